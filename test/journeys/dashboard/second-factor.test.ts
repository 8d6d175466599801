import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLink } from '../../../src/admin/auth/links.ts'
import { PASSWORD, createCalls, signInWithPassword } from '../../world/dashboard.ts'
import {
  CODE_PERIOD_MS,
  NEW_PASSWORD,
  asCookie,
  askAuth,
  eventsOf,
  totp,
  trySignIn,
  withSecondFactor,
} from '../../world/sign-in-calls.ts'
import { startWorld } from '../../world/world.ts'

/** As the Arabic keyboard of a Mac types them. */
const inArabicDigits = (code: string): string => code.replaceAll(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'[Number(digit)] ?? '')

test('a second factor is required, and each code works once', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'owner')
  const { totpURI, backupCodes } = await withSecondFactor(world, person)
  const first = await trySignIn(world, person.email, PASSWORD)
  assert.deepEqual(first.json, { twoFactorRedirect: true })
  const pending = asCookie(first.cookies)
  assert.equal(await createCalls(world.first.url, pending).session.current.query(), null)
  assert.equal((await askAuth(world, 'two-factor/verify-totp', { code: '000000' }, { cookie: pending })).status, 401)
  const code = inArabicDigits(totp(totpURI, Date.now() + CODE_PERIOD_MS)) // the current code enabled the second factor
  const verified = await askAuth(world, 'two-factor/verify-totp', { code, trustDevice: true }, { cookie: pending })
  assert.equal(verified.status, 200)
  assert.ok(!verified.cookies.some((each) => each.includes('trust_device')), 'no browser is let off the second factor')
  const session = await createCalls(world.first.url, asCookie(verified.cookies)).session.current.query()
  assert.equal(session?.person.twoFactor, true)

  const [backup = ''] = backupCodes
  const use = async () => {
    const again = asCookie((await trySignIn(world, person.email, PASSWORD)).cookies)
    return askAuth(world, 'two-factor/verify-backup-code', { code: backup }, { cookie: again })
  }
  assert.deepEqual([(await use()).status, (await use()).status], [200, 401])
  const events = await eventsOf(world, person)
  assert.deepEqual(events, ['person.signed_in', 'person.second_factor_on', 'person.signed_in', 'person.signed_in'])
})

test('an authenticator code works once over all nodes', async (t) => {
  const world = await startWorld(t)
  const second = await world.node()
  const person = await signInWithPassword(world, 'owner')
  const enabled = await askAuth(world, 'two-factor/enable', { password: PASSWORD }, person)
  const { totpURI } = enabled.json as { totpURI: string }
  await world.query('delete from used_sign_in_codes')
  const begun = Date.now()
  const [now, next] = [totp(totpURI, begun), totp(totpURI, begun + CODE_PERIOD_MS)]
  const give = async (code: string, { url = world.first.url } = {}) => {
    const pending = asCookie((await trySignIn(world, person.email, PASSWORD, { url })).cookies)
    return askAuth(world, 'two-factor/verify-totp', { code }, { cookie: pending, url })
  }
  assert.equal((await askAuth(world, 'two-factor/verify-totp', { code: now }, person)).status, 200)
  const again = await give(now)
  assert.deepEqual([again.status, again.json['code'], again.cookies], [401, 'CODE_ALREADY_USED', []])
  assert.equal((await give(inArabicDigits(now))).json['code'], 'CODE_ALREADY_USED')

  const answers = await Promise.all([give(next), give(next, second), give(next), give(next, second)])
  assert.deepEqual(
    answers.map(({ status }) => status).sort((one, other) => one - other),
    [200, 401, 401, 401],
  )
  assert.deepEqual(
    [(await give('000000')).json['code'], (await give('000000')).json['code']],
    ['INVALID_CODE', 'INVALID_CODE'],
  )
  const [kept] = await world.query<{ codes: number }>('select count(*)::int as codes from used_sign_in_codes')
  assert.equal(kept?.codes, 2)
})

test('ten wrong codes lock an account, even when the password is repeated', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'owner')
  const { totpURI } = await withSecondFactor(world, person)
  const wrong = async () => {
    await world.query('delete from auth."rateLimit"')
    const pending = asCookie((await trySignIn(world, person.email, PASSWORD)).cookies)
    const statuses: number[] = []
    for (let n = 0; n < 5; n += 1) {
      statuses.push((await askAuth(world, 'two-factor/verify-totp', { code: 'wrong!' }, { cookie: pending })).status)
    }
    return statuses
  }
  assert.deepEqual(
    [...(await wrong()), ...(await wrong())],
    Array.from({ length: 10 }, () => 401),
  )
  const pending = asCookie((await trySignIn(world, person.email, PASSWORD)).cookies)
  const code = totp(totpURI, Date.now() + CODE_PERIOD_MS)
  const right = await askAuth(world, 'two-factor/verify-totp', { code }, { cookie: pending })
  assert.deepEqual([right.status, right.json['code']], [429, 'WAIT'])
})

test('a stolen session cannot guess the password to disable the second factor', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'owner')
  const { cookie } = await withSecondFactor(world, person)
  const statuses: number[] = []
  for (let n = 0; n < 11; n += 1) {
    await world.query('delete from auth."rateLimit"')
    statuses.push((await askAuth(world, 'two-factor/disable', { password: `wrong ${n}` }, { cookie })).status)
  }
  assert.deepEqual([...new Set(statuses.slice(0, 10)), statuses[10]], [400, 429])
  const [row] = await world.query<{ on: boolean }>('select "twoFactorEnabled" as on from auth.user where id = $1', [
    person.userId,
  ])
  assert.equal(row?.on, true)
})

test('a changed password ends sign-ins that wait for a second factor', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  const { backupCodes, cookie } = await withSecondFactor(world, person)
  const halfIn = async (password: string) => asCookie((await trySignIn(world, person.email, password)).cookies)
  const finish = (code: string | undefined, half: string) =>
    askAuth(world, 'two-factor/verify-backup-code', { code: code ?? '' }, { cookie: half })

  const beforeChange = await halfIn(PASSWORD)
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
  assert.equal((await askAuth(world, 'change-password', change, { cookie })).status, 200)
  assert.equal((await finish(backupCodes[0], beforeChange)).status, 401)

  const beforeLink = await halfIn(NEW_PASSWORD)
  const { db, clock } = world.parts
  const about = { email: person.email, endsSecondFactor: false, createdBy: null, at: clock.now() }
  const { token } = await createLink(db, { purpose: 'password', ...about })
  await createCalls(world.first.url).session.setPassword.mutate({ token, password: PASSWORD })
  assert.equal((await finish(backupCodes[1], beforeLink)).status, 401)
  assert.equal((await finish(backupCodes[2], await halfIn(PASSWORD))).status, 200)
})
