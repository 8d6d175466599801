import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Pool } from 'pg'
import { getMigrations } from 'better-auth/db/migration'
import { DAY_MS } from '../../src/clock.ts'
import { authOptions } from '../../src/admin/auth/auth.ts'
import { createLink, createSetupLink } from '../../src/admin/auth/links.ts'
import { authCalls } from '../../src/admin/auth/sign-in.ts'
import { openPage } from '../browser.ts'
import { PASSWORD, type SignedIn, createCalls, fetchSessionCookie, signInWithPassword } from '../dashboard.ts'
import { waitFor } from '../wait-for.ts'
import { type World, startWorld } from '../world.ts'

const NEW_PASSWORD = 'staple battery horse correct'

type AskOptions = { url?: string; cookie?: string; headers?: Record<string, string>; method?: string }

/** A call of the sign-in library with a page's headers or with others; '' removes a header. */
async function ask(world: World, path: string, body: object, options: AskOptions = {}) {
  const { url = world.first.url, cookie, headers = {}, method = 'POST' } = options
  const all = { 'content-type': 'application/json', origin: url, ...(cookie && { cookie }), ...headers }
  const answer = await fetch(`${url}/dashboard/auth/${path}`, {
    method,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
  const cookies = answer.headers.getSetCookie()
  return { status: answer.status, headers: answer.headers, text, json, cookies }
}

const asCookie = (cookies: readonly string[]): string =>
  cookies
    .map((each) => each.split(';')[0] ?? '')
    .filter((each) => !each.endsWith('='))
    .join('; ')

const signIn = (world: World, email: string, password: string, options: AskOptions = {}) =>
  ask(world, 'sign-in/email', { email, password }, options)

const tokenOf = (link: string | undefined): string => link?.split('#')[1] ?? assert.fail('there is no link')

const noOwners = async (world: World): Promise<void> => {
  await world.ask('delete from operators')
}

const CODE_PERIOD_MS = 30_000

/** RFC 6238 with SHA-1, 6 digits and 30 seconds, as authenticator apps compute it. */
function totp(uri: string, at = Date.now()): string {
  const base32 = new URL(uri).searchParams.get('secret') ?? assert.fail('the address holds no secret')
  const bits = Array.from(base32, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / CODE_PERIOD_MS)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

async function withSecondFactor(world: World, person: SignedIn) {
  const enabled = await ask(world, 'two-factor/enable', { password: PASSWORD }, person)
  assert.equal(enabled.status, 200, enabled.text)
  const { totpURI, backupCodes } = enabled.json as { totpURI: string; backupCodes: string[] }
  const verified = await ask(world, 'two-factor/verify-totp', { code: totp(totpURI) }, person)
  assert.equal(verified.status, 200, verified.text)
  return { totpURI, backupCodes, cookie: asCookie(verified.cookies) }
}

const eventsOf = (world: World, { email }: { email: string }) =>
  world
    .ask<{ action: string }>('select action from audit_log where target = $1 order by id', [email])
    .then((rows) => rows.map(({ action }) => action))

test('only sign-in calls of the library are reachable, and signing up is not', async (t) => {
  const world = await startWorld(t)
  const owner = await signInWithPassword(world, 'owner')
  const closed = ['sign-up/email', 'update-user', 'delete-user', 'change-email', 'list-sessions', 'revoke-session']
  const more = [
    'request-password-reset',
    'reset-password',
    'two-factor/send-otp',
    'sign-in/social',
    'get-session',
    'ok',
  ]
  for (const path of [...closed, ...more, 'sign-in/email/', '/sign-in/email', 'constructor', '']) {
    const body = { email: 'new@shop.example', password: PASSWORD, name: 'New', newEmail: 'new@shop.example' }
    assert.equal((await ask(world, path, body, owner)).status, 404, path)
    assert.equal((await ask(world, path, {}, { ...owner, method: 'GET' })).status, 404, `GET ${path}`)
  }
  for (const path of Object.keys(authCalls)) {
    assert.equal((await ask(world, path.slice(1), {}, { method: 'GET' })).status, 404, `GET ${path}`)
  }
})

test('the session cookie is HttpOnly and SameSite, and no answer holds its token', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'member')
  const plain = await signIn(world, email, PASSWORD)
  const session = plain.cookies.find((each) => each.startsWith('doorcode.session_token=')) ?? assert.fail(plain.text)
  assert.match(session, /; HttpOnly/)
  assert.match(session, /; SameSite=Lax/)
  assert.doesNotMatch(session, /Secure/)
  const [{ token } = { token: '' }] = await world.ask<{ token: string }>(
    'select token from auth.session order by "createdAt" desc limit 1',
  )
  assert.ok(session.includes(token) && !plain.text.includes(token))
  const bare = createCalls(world.first.url, `doorcode.session_token=${token}`)
  assert.equal(await bare.session.current.query(), null, 'the token of the table is no session without its signature')

  const secure = await world.node({ settings: { DOORCODE_PUBLIC_URL: 'https://doorcode.example' } })
  const behindTls = await signIn(world, email, PASSWORD, { url: secure.url })
  assert.equal(behindTls.status, 200)
  for (const cookie of behindTls.cookies) assert.match(cookie, /^__Secure-doorcode\..*; Secure/)
})

const foreign: Readonly<Record<string, Record<string, string>>> = {
  'another origin': { origin: 'https://evil.example' },
  'an origin that begins like ours': { origin: 'http://127.0.0.1.evil.example' },
  'no origin': { origin: '' },
  'the origin "null"': { origin: 'null' },
  'a request across sites': { 'sec-fetch-site': 'cross-site' },
  'a request of a neighbour': { 'sec-fetch-site': 'same-site' },
  'what a form can send': { 'content-type': 'application/x-www-form-urlencoded' },
  'text that is JSON': { 'content-type': 'text/plain' },
}

test('requests from other origins are rejected, even with a cookie', async (t) => {
  const world = await startWorld(t)
  const owner = await signInWithPassword(world, 'owner')
  for (const [what, headers] of Object.entries(foreign)) {
    const auth = await signIn(world, owner.email, PASSWORD, { cookie: owner.cookie, headers })
    const all = { 'content-type': 'application/json', origin: world.first.url, cookie: owner.cookie, ...headers }
    const call = await fetch(`${world.first.url}/dashboard/calls/keys.create`, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
      body: JSON.stringify({ workspaceId: world.workspaceId, name: 'forged' }),
    })
    assert.deepEqual([auth.status, call.status], [403, 403], what)
    assert.deepEqual(auth.cookies, [])
  }
})

test('a browser signs in behind a proxy that changes the host', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'member')
  const node = await world.node({ settings: { DOORCODE_PUBLIC_URL: 'https://doorcode.example' } })
  const headers = { origin: 'https://doorcode.example', 'sec-fetch-site': 'same-origin' }
  assert.equal((await signIn(world, email, PASSWORD, { url: node.url, headers })).status, 200)
})

test('no header evades the limit on sign-ins from one address', async (t) => {
  const world = await startWorld(t)
  await signInWithPassword(world, 'member')
  const lies = (n: number) => ({
    'x-forwarded-for': `203.0.113.${n}`,
    'x-doorcode-client-address': `203.0.113.${n}`,
    forwarded: `for=203.0.113.${n}`,
    'x-real-ip': `203.0.113.${n}`,
  })
  await signIn(world, 'nobody@shop.example', 'wrong')
  await world.ask(`update auth."rateLimit" set count = 29 where key like '%/sign-in/email'`)
  const statuses: number[] = []
  for (let n = 0; n < 3; n += 1) {
    statuses.push((await signIn(world, `nobody-${n}@shop.example`, 'wrong', { headers: lies(n) })).status)
  }
  assert.deepEqual(statuses, [401, 429, 429])
  const answer = await signIn(world, 'nobody@shop.example', 'wrong', { headers: lies(99) })
  assert.equal(answer.json['code'], 'WAIT')
  assert.ok(Number(answer.json['retryAfterSeconds']) > 0)
})

test('only a trusted proxy can state the visitor’s address', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'member')
  const node = await world.node({ settings: { DOORCODE_TRUSTED_PROXIES: '127.0.0.1' } })
  const addressAfter = async (url: string): Promise<string | undefined> => {
    await signIn(world, email, PASSWORD, { url, headers: { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' } })
    const [row] = await world.ask<{ ipAddress: string }>(
      'select "ipAddress" from auth.session order by "createdAt" desc limit 1',
    )
    return row?.ipAddress
  }
  assert.equal(await addressAfter(node.url), '203.0.113.9', 'the nearest one that is no proxy of ours')
  assert.equal(await addressAfter(world.first.url), '127.0.0.1')
})

test('after ten wrong passwords an account waits on every node, existing or not', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'owner')
  const second = await world.node()
  const tries = async (address: string) => {
    const answers: Awaited<ReturnType<typeof signIn>>[] = []
    await world.ask('delete from auth."rateLimit"')
    for (let n = 0; n < 11; n += 1) {
      const url = n % 2 === 0 ? world.first.url : second.url
      answers.push(await signIn(world, n % 3 === 0 ? address.toUpperCase() : address, `wrong ${n}`, { url }))
    }
    return answers.map(({ status, json }) => ({ status, code: json['code'] }))
  }
  const known = await tries(email)
  assert.deepEqual(
    known.map(({ status }) => status),
    [...Array.from({ length: 10 }, () => 401), 429],
  )
  assert.deepEqual(await tries('nobody-at-all@shop.example'), known)
  const waiting = await signIn(world, email, PASSWORD)
  assert.equal(waiting.status, 429)
  assert.ok(Number(waiting.json['retryAfterSeconds']) <= 15 * 60 && Number(waiting.json['retryAfterSeconds']) > 14 * 60)
  assert.ok((await eventsOf(world, { email })).includes('person.sign_in_paused'))
  world.advance('15m')
  assert.equal((await signIn(world, email, PASSWORD)).status, 200)
})

test('of many concurrent passwords only ten are checked', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'owner')
  await world.ask('delete from auth."rateLimit"')
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => signIn(world, email, `wrong ${n}`)))
  assert.equal(answers.filter(({ status }) => status === 401).length, 10)
})

test('password guessing from elsewhere does not lock out a trusted browser', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'owner')
  const { cookies } = await signIn(world, email, PASSWORD)
  const device = asCookie(cookies.filter((each) => each.startsWith('doorcode.device=')))
  for (let n = 0; n < 10; n += 1) await signIn(world, email, 'wrong')
  assert.equal((await signIn(world, email, PASSWORD)).status, 429)
  assert.equal((await signIn(world, email, PASSWORD, { cookie: `${device}x` })).status, 429, 'a forged mark is none')
  assert.equal((await signIn(world, email, PASSWORD, { cookie: device })).status, 200)
})

test('a second factor is required, and each code works once', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'owner')
  const { totpURI, backupCodes } = await withSecondFactor(world, person)
  const first = await signIn(world, person.email, PASSWORD)
  assert.deepEqual(first.json, { twoFactorRedirect: true })
  const pending = asCookie(first.cookies)
  assert.equal(await createCalls(world.first.url, pending).session.current.query(), null)
  assert.equal((await ask(world, 'two-factor/verify-totp', { code: '000000' }, { cookie: pending })).status, 401)
  const code = totp(totpURI, Date.now() + CODE_PERIOD_MS) // the current code enabled the second factor
  const verified = await ask(world, 'two-factor/verify-totp', { code, trustDevice: true }, { cookie: pending })
  assert.equal(verified.status, 200)
  assert.ok(!verified.cookies.some((each) => each.includes('trust_device')), 'no browser is let off the second factor')
  const session = await createCalls(world.first.url, asCookie(verified.cookies)).session.current.query()
  assert.equal(session?.person.twoFactor, true)

  const [backup = ''] = backupCodes
  const use = async () => {
    const again = asCookie((await signIn(world, person.email, PASSWORD)).cookies)
    return ask(world, 'two-factor/verify-backup-code', { code: backup }, { cookie: again })
  }
  assert.deepEqual([(await use()).status, (await use()).status], [200, 401])
  const events = await eventsOf(world, person)
  assert.deepEqual(events, ['person.signed_in', 'person.second_factor_on', 'person.signed_in', 'person.signed_in'])
})

test('an authenticator code works once over all nodes', async (t) => {
  const world = await startWorld(t)
  const second = await world.node()
  const person = await signInWithPassword(world, 'owner')
  const enabled = await ask(world, 'two-factor/enable', { password: PASSWORD }, person)
  const { totpURI } = enabled.json as { totpURI: string }
  await world.ask('delete from used_sign_in_codes')
  const begun = Date.now()
  const [now, next] = [totp(totpURI, begun), totp(totpURI, begun + CODE_PERIOD_MS)]
  const give = async (code: string, { url = world.first.url } = {}) => {
    const pending = asCookie((await signIn(world, person.email, PASSWORD, { url })).cookies)
    return ask(world, 'two-factor/verify-totp', { code }, { cookie: pending, url })
  }
  assert.equal((await ask(world, 'two-factor/verify-totp', { code: now }, person)).status, 200)
  const again = await give(now)
  assert.deepEqual([again.status, again.json['code'], again.cookies], [401, 'CODE_ALREADY_USED', []])

  const answers = await Promise.all([give(next), give(next, second), give(next), give(next, second)])
  assert.deepEqual(
    answers.map(({ status }) => status).sort((one, other) => one - other),
    [200, 401, 401, 401],
  )
  assert.deepEqual(
    [(await give('000000')).json['code'], (await give('000000')).json['code']],
    ['INVALID_CODE', 'INVALID_CODE'],
  )
  const [kept] = await world.ask<{ codes: number }>('select count(*)::int as codes from used_sign_in_codes')
  assert.equal(kept?.codes, 2)
})

test('ten wrong codes lock an account, even when the password is repeated', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'owner')
  const { totpURI } = await withSecondFactor(world, person)
  const wrong = async () => {
    await world.ask('delete from auth."rateLimit"')
    const pending = asCookie((await signIn(world, person.email, PASSWORD)).cookies)
    const statuses: number[] = []
    for (let n = 0; n < 5; n += 1) {
      statuses.push((await ask(world, 'two-factor/verify-totp', { code: 'wrong!' }, { cookie: pending })).status)
    }
    return statuses
  }
  assert.deepEqual(
    [...(await wrong()), ...(await wrong())],
    Array.from({ length: 10 }, () => 401),
  )
  const pending = asCookie((await signIn(world, person.email, PASSWORD)).cookies)
  const code = totp(totpURI, Date.now() + CODE_PERIOD_MS)
  const right = await ask(world, 'two-factor/verify-totp', { code }, { cookie: pending })
  assert.deepEqual([right.status, right.json['code']], [429, 'WAIT'])
})

test('a stolen session cannot guess the password to disable the second factor', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'owner')
  const { cookie } = await withSecondFactor(world, person)
  const statuses: number[] = []
  for (let n = 0; n < 11; n += 1) {
    await world.ask('delete from auth."rateLimit"')
    statuses.push((await ask(world, 'two-factor/disable', { password: `wrong ${n}` }, { cookie })).status)
  }
  assert.deepEqual([...new Set(statuses.slice(0, 10)), statuses[10]], [400, 429])
  const [row] = await world.ask<{ on: boolean }>('select "twoFactorEnabled" as on from auth.user where id = $1', [
    person.userId,
  ])
  assert.equal(row?.on, true)
})

test('a changed password ends sign-ins that wait for a second factor', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  const { backupCodes, cookie } = await withSecondFactor(world, person)
  const halfIn = async (password: string) => asCookie((await signIn(world, person.email, password)).cookies)
  const finish = (code: string | undefined, half: string) =>
    ask(world, 'two-factor/verify-backup-code', { code: code ?? '' }, { cookie: half })

  const beforeChange = await halfIn(PASSWORD)
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
  assert.equal((await ask(world, 'change-password', change, { cookie })).status, 200)
  assert.equal((await finish(backupCodes[0], beforeChange)).status, 401)

  const beforeLink = await halfIn(NEW_PASSWORD)
  const { db, clock } = world.parts
  const about = { email: person.email, endsSecondFactor: false, createdBy: null, at: clock.now() }
  const { token } = await createLink(db, { purpose: 'password', ...about })
  await createCalls(world.first.url).session.setPassword.mutate({ token, password: PASSWORD })
  assert.equal((await finish(backupCodes[1], beforeLink)).status, 401)
  assert.equal((await finish(backupCodes[2], await halfIn(PASSWORD))).status, 200)
})

test('a changed password ends all other sessions and is listed as event', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  const elsewhere = await fetchSessionCookie(world.first.url, { email: person.email, password: PASSWORD })
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, revokeOtherSessions: false }
  assert.equal(
    (await ask(world, 'change-password', { ...body, newPassword: 'short' }, person)).json['code'],
    'PASSWORD_TOO_SHORT',
  )
  assert.equal(
    (await ask(world, 'change-password', { ...body, newPassword: 'Password1234' }, person)).json['code'],
    'PASSWORD_TOO_COMMON',
  )
  const changed = await ask(world, 'change-password', body, person)
  assert.equal(changed.status, 200, changed.text)
  assert.equal(await createCalls(world.first.url, elsewhere).session.current.query(), null)
  assert.ok(await createCalls(world.first.url, asCookie(changed.cookies)).session.current.query())
  assert.equal((await signIn(world, person.email, PASSWORD)).status, 401)
  assert.ok((await eventsOf(world, person)).includes('person.password_changed'))
})

test('signing out everywhere ends every session at once, on every node', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  const second = await world.node()
  const elsewhere = createCalls(
    second.url,
    await fetchSessionCookie(second.url, { email: person.email, password: PASSWORD }),
  )
  assert.equal((await elsewhere.account.sessions.query()).length, 2)
  await person.calls.account.signOutEverywhere.mutate()
  assert.equal(await elsewhere.session.current.query(), null)
  assert.equal(await person.calls.session.current.query(), null)
})

test('a person can end one session, but not another person’s', async (t) => {
  const world = await startWorld(t)
  const [person, other] = [await signInWithPassword(world, 'member'), await signInWithPassword(world, 'owner')]
  const elsewhere = createCalls(
    world.first.url,
    await fetchSessionCookie(world.first.url, { email: person.email, password: PASSWORD }),
  )
  const [mine] = (await elsewhere.account.sessions.query()).filter(({ current }) => current)
  assert.ok(mine)
  const end = { sessionId: mine.sessionId }
  await assert.rejects(() => other.calls.account.endSession.mutate(end), /This session does not exist/)
  await person.calls.account.endSession.mutate(end)
  assert.equal(await elsewhere.session.current.query(), null)
  assert.ok(await person.calls.session.current.query())
})

test('a session ends after a week without use, and after a month', async (t) => {
  const world = await startWorld(t)
  const [idle, old] = [await signInWithPassword(world, 'member'), await signInWithPassword(world, 'member')]
  await world.ask(`update auth.session set "expiresAt" = now() - interval '1 second' where "userId" = $1`, [
    idle.userId,
  ])
  await world.ask(`update auth.session set "createdAt" = now() - interval '31 days' where "userId" = $1`, [old.userId])
  assert.equal(await idle.calls.session.current.query(), null)
  assert.equal(await old.calls.session.current.query(), null)
})

test('use extends a session, and the browser gets the new expiry', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  await world.ask(`update auth.session set "expiresAt" = now() + interval '1 day' where "userId" = $1`, [person.userId])
  const answer = await fetch(`${world.first.url}/dashboard/calls/session.current`, {
    headers: { cookie: person.cookie },
  })
  assert.match(answer.headers.getSetCookie().join(), /doorcode\.session_token=.*Max-Age=604800/)
  const [row] = await world.ask<{ left: number }>(
    `select extract(epoch from "expiresAt" - now())::float as left from auth.session where "userId" = $1`,
    [person.userId],
  )
  assert.ok(Number(row?.left) * 1000 > 6 * DAY_MS)
})

test('of two uses of setup links at once only one creates the owner', async (t) => {
  const world = await startWorld(t)
  await noOwners(world)
  const links = [tokenOf(await createSetupLink(world.parts)), tokenOf(await createSetupLink(world.parts))]
  const calls = createCalls(world.first.url)
  const person = (n: number) => ({ email: `First-${n}@Shop.example`, name: 'First', password: PASSWORD })
  const outcomes = await Promise.allSettled(
    [0, 1, 2, 3].map((n) => calls.session.accept.mutate({ token: links[n % 2] ?? '', ...person(n) })),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  const made = await world.ask<{ email: string }>(`select email from auth.user where email like 'first-%@shop.example'`)
  assert.equal(made.length, 1, 'the second person has no account')
  assert.equal(await createSetupLink(world.parts), undefined)
  await noOwners(world)
})

test('a known address or common password is reported at its field, and the link stays valid', async (t) => {
  const world = await startWorld(t)
  await noOwners(world)
  const { email } = await signInWithPassword(world, 'member')
  const token = tokenOf(await createSetupLink(world.parts))
  const calls = createCalls(world.first.url)
  const accept = (address: string, password = PASSWORD) =>
    calls.session.accept.mutate({ token, email: address, name: 'First', password })
  const common = await accept('another-owner@shop.example', 'Password1234').catch((error: unknown) => error)
  assert.match(JSON.stringify(common), /"path":"password","text":\{"code":"admin.password_common"/)
  const refused = await accept(email.toUpperCase()).catch((error: unknown) => error)
  assert.match(JSON.stringify(refused), /"path":"email","text":\{"code":"admin.taken"/)
  await accept('another-owner@shop.example')
  await noOwners(world)
})

test('an invitation works once, for its address and role, within a week', async (t) => {
  const world = await startWorld(t)
  const owner = await signInWithPassword(world, 'owner')
  const { workspaceId } = world
  const invite = (email: string) => owner.calls.people.invite.mutate({ workspaceId, email, role: 'admin' })
  const { token } = await invite('New.Person@Shop.example')
  const calls = createCalls(world.first.url)
  const link = await calls.session.link.mutate({ token })
  assert.deepEqual(link, {
    purpose: 'invitation',
    email: 'new.person@shop.example',
    workspaceName: 'Test shop',
    role: 'admin',
    hasAccount: false,
  })
  const newcomer = { token, email: 'other@shop.example', name: 'New', password: PASSWORD }
  assert.deepEqual(await calls.session.accept.mutate(newcomer), { email: 'new.person@shop.example' })
  await assert.rejects(() => calls.session.accept.mutate(newcomer), /link is not valid/)
  const joined = createCalls(
    world.first.url,
    await fetchSessionCookie(world.first.url, { email: 'New.Person@shop.example', password: PASSWORD }),
  )
  assert.equal((await joined.session.current.query())?.workspaces[0]?.role, 'admin')

  const late = await invite('late@shop.example')
  world.clock.advance(7 * DAY_MS)
  await assert.rejects(() => calls.session.link.mutate({ token: late.token }), /has expired/)
})

test('an invitation adds the workspace to the existing account of its address', async (t) => {
  const [world, theirs] = [await startWorld(t), await startWorld(t)]
  const [owner, invited, other] = [
    await signInWithPassword(world, 'owner'),
    await signInWithPassword(theirs, 'owner'),
    await signInWithPassword(theirs, 'owner'),
  ]
  const { workspaceId } = world
  const { token } = await owner.calls.people.invite.mutate({ workspaceId, email: invited.email, role: 'member' })
  const anybody = createCalls(world.first.url)
  assert.equal((await anybody.session.link.mutate({ token })).hasAccount, true)
  await assert.rejects(
    () => anybody.session.accept.mutate({ token, name: 'Thief', password: NEW_PASSWORD }),
    /already has an account/,
  )
  await assert.rejects(() => anybody.session.join.mutate({ token }), /not signed in/)
  await assert.rejects(() => other.calls.session.join.mutate({ token }), /link is not valid/)
  const outcomes = await Promise.allSettled([1, 2].map(() => invited.calls.session.join.mutate({ token })))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.ok((await invited.calls.keys.list.query({ workspaceId })).length >= 0)
})

test('a password link ends every session, and no other link sets passwords', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  const { cookie } = await withSecondFactor(world, person)
  const { db, clock } = world.parts
  const about = { email: person.email, createdBy: null, at: clock.now() }
  const calls = createCalls(world.first.url)
  const invitation = await createLink(db, {
    ...about,
    purpose: 'invitation',
    workspaceId: world.workspaceId,
    role: 'owner',
  })
  const set = (token: string) => calls.session.setPassword.mutate({ token, password: NEW_PASSWORD })
  await assert.rejects(() => set(invitation.token), /link is not valid/)
  const { token } = await createLink(db, { ...about, purpose: 'password', endsSecondFactor: false })
  await assert.rejects(
    () => calls.session.accept.mutate({ token, email: 'x@shop.example', name: 'X', password: PASSWORD }),
    /link is not valid/,
  )
  const outcomes = await Promise.allSettled([set(token), set(token)])
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal(await createCalls(world.first.url, cookie).session.current.query(), null)
  assert.deepEqual((await signIn(world, person.email, NEW_PASSWORD)).json, { twoFactorRedirect: true })
  await set((await createLink(db, { ...about, purpose: 'password', endsSecondFactor: true })).token)
  assert.deepEqual((await signIn(world, person.email, NEW_PASSWORD)).json, {})
})

test('expired sign-in data is deleted', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'owner')
  await createLink(world.parts.db, {
    purpose: 'password',
    email: person.email,
    createdBy: null,
    endsSecondFactor: false,
    at: new Date(0),
  })
  await world.ask(`update auth.session set "expiresAt" = now() - interval '1 second' where "userId" = $1`, [
    person.userId,
  ])
  await world.ask(`insert into auth."rateLimit" (id, key, count, "lastRequest") values ('old', 'old', 1, 1)`)
  await world.ask(
    `insert into sign_in_attempts (account, tried_at, granted) values ('old', array[now() - interval '1 hour'], true)`,
  )
  await world.ask(`insert into used_sign_in_codes (code, used_at) values ('old', now() - interval '1 hour')`)
  await world.ask(
    `insert into auth.verification (id, identifier, value, "expiresAt") values ('old', 'old', 'x', now() - interval '1 hour')`,
  )
  const left = () =>
    world.ask<{ count: number }>(
      `select (select count(*) from auth.session where "userId" = $1)
         + (select count(*) from auth."rateLimit" where id = 'old') + (select count(*) from auth.verification where id = 'old')
         + (select count(*) from sign_in_attempts where account = 'old')
         + (select count(*) from used_sign_in_codes where code = 'old')
         + (select count(*) from access_links where expires_at < now()) as count`,
      [person.userId],
    )
  assert.equal(Number((await left())[0]?.count), 6)
  await world.node() // its housekeeping starts at once
  await waitFor('the leftovers to be gone', async () => Number((await left())[0]?.count) === 0)
})

test('the sign-in library’s tables match its own schema', async (t) => {
  const world = await startWorld(t)
  const pool = new Pool({ connectionString: world.databaseUrl, options: '-c search_path=auth', max: 1 })
  t.after(() => pool.end())
  const { toBeAdded, toBeCreated } = await getMigrations(authOptions(pool, world.parts))
  assert.deepEqual({ toBeAdded, toBeCreated }, { toBeAdded: [], toBeCreated: [] })
})

test('a second factor is set up with an app and required at sign-in', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  const page = await openPage(t, world, { as: person })
  await page.goto(`/dashboard/w/${world.workspaceId}/account`)
  await page.getByRole('button', { name: 'Turn on two-factor authentication' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Current password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Next' }).click()
  await dialog.getByRole('img', { name: /QR code/ }).waitFor()
  const secret = ((await dialog.getByText(/^[A-Z2-7]{4} /).textContent()) ?? '').replaceAll(' ', '')
  const uri = `otpauth://totp/Doorcode?secret=${secret}`
  await dialog.getByLabel('6-digit code from the app').fill('000000')
  await dialog.getByRole('button', { name: 'Turn on', exact: true }).click()
  await dialog.getByText('Wrong code').waitFor()
  await dialog.getByLabel('6-digit code from the app').fill(totp(uri))
  await dialog.getByRole('button', { name: 'Turn on', exact: true }).click()
  await dialog.getByText(/^[\w]{5}-[\w]{5}/).waitFor()
  await page.keyboard.press('Escape') // the codes are shown once
  await dialog.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByRole('button', { name: 'Generate new backup codes' }).waitFor()

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL('**/sign-in', { waitUntil: 'commit' })
  await page.goto(`/dashboard/w/${world.workspaceId}/people`)
  await page.waitForURL('**/sign-in?*')
  await page.getByLabel('Email address').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Authenticator code').fill(totp(uri, Date.now() + CODE_PERIOD_MS))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**/w/${world.workspaceId}/people`, { waitUntil: 'commit' })
})
