import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import { getMigrations } from 'better-auth/db/migration'
import { DAY_MS } from '../../src/clock.ts'
import { authOptions } from '../../src/dashboard/auth.ts'
import { makeInvitation, makePasswordLink, makeSetupLink } from '../../src/dashboard/links.ts'
import { authCalls } from '../../src/dashboard/sign-in.ts'
import { closeBrowser, openPage } from '../browser.ts'
import { PASSWORD, type SignedIn, callsOf, cookieOf, signedInByPassword } from '../dashboard.ts'
import { until } from '../until.ts'
import { type World, startWorld } from '../world.ts'

after(closeBrowser)

const NEW_PASSWORD = 'staple battery horse correct'

type Asking = { url?: string; cookie?: string; headers?: Record<string, string>; method?: string }

/** A call of the sign-in library as a page makes it, or with other headers; '' drops one. */
async function ask(world: World, path: string, body: object, asking: Asking = {}) {
  const { url = world.first.url, cookie, headers = {}, method = 'POST' } = asking
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

const signIn = (world: World, email: string, password: string, asking: Asking = {}) =>
  ask(world, 'sign-in/email', { email, password }, asking)

const tokenOf = (link: string | undefined): string => link?.split('#')[1] ?? assert.fail('there is no link')

const noOwners = async (world: World): Promise<void> => {
  await world.ask('delete from operators')
}

/** RFC 6238 with SHA-1, 6 digits and 30 seconds, as authenticator apps compute it. */
function totp(uri: string, at = Date.now()): string {
  const base32 = new URL(uri).searchParams.get('secret') ?? assert.fail('the address holds no secret')
  const bits = Array.from(base32, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
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

test('what the library can do beside signing in cannot be reached, and signing up not at all', async (t) => {
  const world = await startWorld(t)
  const owner = await signedInByPassword(world, 'owner')
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

test('the session is a cookie that scripts cannot read and other sites cannot send, and no answer holds its token', async (t) => {
  const world = await startWorld(t)
  const { email } = await signedInByPassword(world, 'member')
  const plain = await signIn(world, email, PASSWORD)
  const session = plain.cookies.find((each) => each.startsWith('doorcode.session_token=')) ?? assert.fail(plain.text)
  assert.match(session, /; HttpOnly/)
  assert.match(session, /; SameSite=Lax/)
  assert.doesNotMatch(session, /Secure/)
  const [{ token } = { token: '' }] = await world.ask<{ token: string }>(
    'select token from auth.session order by "createdAt" desc limit 1',
  )
  assert.ok(session.includes(token) && !plain.text.includes(token))
  const bare = callsOf(world.first.url, `doorcode.session_token=${token}`)
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

test('what does not come from our own pages is refused for signing in and for calls, whatever cookie comes along', async (t) => {
  const world = await startWorld(t)
  const owner = await signedInByPassword(world, 'owner')
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

test('a browser at the public address gets in behind a proxy that changes the host', async (t) => {
  const world = await startWorld(t)
  const { email } = await signedInByPassword(world, 'member')
  const node = await world.node({ settings: { DOORCODE_PUBLIC_URL: 'https://doorcode.example' } })
  const headers = { origin: 'https://doorcode.example', 'sec-fetch-site': 'same-origin' }
  assert.equal((await signIn(world, email, PASSWORD, { url: node.url, headers })).status, 200)
})

test('after too many sign-ins from one address nothing that the caller says of itself lets it go on', async (t) => {
  const world = await startWorld(t)
  await signedInByPassword(world, 'member')
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

test('the word of a trusted proxy on the visitor is taken, and of nobody else', async (t) => {
  const world = await startWorld(t)
  const { email } = await signedInByPassword(world, 'member')
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

test('after ten wrong passwords an account waits on every node, whether it exists or not, and then goes on', async (t) => {
  const world = await startWorld(t)
  const { email } = await signedInByPassword(world, 'owner')
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

test('of many passwords that are tried at once no more than ten are looked at', async (t) => {
  const world = await startWorld(t)
  const { email } = await signedInByPassword(world, 'owner')
  await world.ask('delete from auth."rateLimit"')
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => signIn(world, email, `wrong ${n}`)))
  assert.equal(answers.filter(({ status }) => status === 401).length, 10)
})

test('whoever tries passwords from elsewhere does not lock the owner out of a browser that knows them', async (t) => {
  const world = await startWorld(t)
  const { email } = await signedInByPassword(world, 'owner')
  const { cookies } = await signIn(world, email, PASSWORD)
  const device = asCookie(cookies.filter((each) => each.startsWith('doorcode.device=')))
  for (let n = 0; n < 10; n += 1) await signIn(world, email, 'wrong')
  assert.equal((await signIn(world, email, PASSWORD)).status, 429)
  assert.equal((await signIn(world, email, PASSWORD, { cookie: `${device}x` })).status, 429, 'a forged mark is none')
  assert.equal((await signIn(world, email, PASSWORD, { cookie: device })).status, 200)
})

test('a second factor is asked for after the password, and a code or a backup code answers it once', async (t) => {
  const world = await startWorld(t)
  const person = await signedInByPassword(world, 'owner')
  const { totpURI, backupCodes } = await withSecondFactor(world, person)
  const first = await signIn(world, person.email, PASSWORD)
  assert.deepEqual(first.json, { twoFactorRedirect: true })
  const pending = asCookie(first.cookies)
  assert.equal(await callsOf(world.first.url, pending).session.current.query(), null)
  assert.equal((await ask(world, 'two-factor/verify-totp', { code: '000000' }, { cookie: pending })).status, 401)
  const code = totp(totpURI)
  const verified = await ask(world, 'two-factor/verify-totp', { code, trustDevice: true }, { cookie: pending })
  assert.equal(verified.status, 200)
  assert.ok(!verified.cookies.some((each) => each.includes('trust_device')), 'no browser is let off the second factor')
  const session = await callsOf(world.first.url, asCookie(verified.cookies)).session.current.query()
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

test('ten wrong codes of one account make it wait, however often the password is given anew', async (t) => {
  const world = await startWorld(t)
  const person = await signedInByPassword(world, 'owner')
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
  const right = await ask(world, 'two-factor/verify-totp', { code: totp(totpURI) }, { cookie: pending })
  assert.deepEqual([right.status, right.json['code']], [429, 'WAIT'])
})

test('whoever holds a stolen session cannot guess its password to turn the second factor off', async (t) => {
  const world = await startWorld(t)
  const person = await signedInByPassword(world, 'owner')
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

test('whoever is half signed in with an old password begins anew when there is another one', async (t) => {
  const world = await startWorld(t)
  const person = await signedInByPassword(world, 'member')
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
  const { token } = await makePasswordLink(db, about)
  await callsOf(world.first.url).session.setPassword.mutate({ token, password: PASSWORD })
  assert.equal((await finish(backupCodes[1], beforeLink)).status, 401)
  assert.equal((await finish(backupCodes[2], await halfIn(PASSWORD))).status, 200)
})

test('a changed password ends every other session and is told in the account’s events', async (t) => {
  const world = await startWorld(t)
  const person = await signedInByPassword(world, 'member')
  const elsewhere = await cookieOf(world.first.url, { email: person.email, password: PASSWORD })
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, revokeOtherSessions: false }
  assert.equal(
    (await ask(world, 'change-password', { ...body, newPassword: 'short' }, person)).json['code'],
    'PASSWORD_TOO_SHORT',
  )
  const changed = await ask(world, 'change-password', body, person)
  assert.equal(changed.status, 200, changed.text)
  assert.equal(await callsOf(world.first.url, elsewhere).session.current.query(), null)
  assert.ok(await callsOf(world.first.url, asCookie(changed.cookies)).session.current.query())
  assert.equal((await signIn(world, person.email, PASSWORD)).status, 401)
  assert.ok((await eventsOf(world, person)).includes('person.password_changed'))
})

test('signing out everywhere ends every session at once, on every node', async (t) => {
  const world = await startWorld(t)
  const person = await signedInByPassword(world, 'member')
  const second = await world.node()
  const elsewhere = callsOf(second.url, await cookieOf(second.url, { email: person.email, password: PASSWORD }))
  assert.equal((await elsewhere.account.sessions.query()).length, 2)
  await person.calls.account.signOutEverywhere.mutate()
  assert.equal(await elsewhere.session.current.query(), null)
  assert.equal(await person.calls.session.current.query(), null)
})

test('one session can be ended alone, and nobody else’s', async (t) => {
  const world = await startWorld(t)
  const [person, other] = [await signedInByPassword(world, 'member'), await signedInByPassword(world, 'owner')]
  const elsewhere = callsOf(
    world.first.url,
    await cookieOf(world.first.url, { email: person.email, password: PASSWORD }),
  )
  const [mine] = (await elsewhere.account.sessions.query()).filter(({ current }) => current)
  assert.ok(mine)
  const end = { sessionId: mine.sessionId }
  await assert.rejects(() => other.calls.account.endSession.mutate(end), /You have no such session/)
  await person.calls.account.endSession.mutate(end)
  assert.equal(await elsewhere.session.current.query(), null)
  assert.ok(await person.calls.session.current.query())
})

test('a session ends after a week without use and after a month of it', async (t) => {
  const world = await startWorld(t)
  const [idle, old] = [await signedInByPassword(world, 'member'), await signedInByPassword(world, 'member')]
  await world.ask(`update auth.session set "expiresAt" = now() - interval '1 second' where "userId" = $1`, [
    idle.userId,
  ])
  await world.ask(`update auth.session set "createdAt" = now() - interval '31 days' where "userId" = $1`, [old.userId])
  assert.equal(await idle.calls.session.current.query(), null)
  assert.equal(await old.calls.session.current.query(), null)
})

test('a session that is used goes on, and the browser is told so', async (t) => {
  const world = await startWorld(t)
  const person = await signedInByPassword(world, 'member')
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

test('of two who use the first owner’s links at once one owns the instance', async (t) => {
  const world = await startWorld(t)
  await noOwners(world)
  const links = [tokenOf(await makeSetupLink(world.parts)), tokenOf(await makeSetupLink(world.parts))]
  const calls = callsOf(world.first.url)
  const person = (n: number) => ({ email: `First-${n}@Shop.example`, name: 'First', password: PASSWORD })
  const outcomes = await Promise.allSettled(
    [0, 1, 2, 3].map((n) => calls.session.accept.mutate({ token: links[n % 2] ?? '', ...person(n) })),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  const made = await world.ask<{ email: string }>(`select email from auth.user where email like 'first-%@shop.example'`)
  assert.equal(made.length, 1, 'whoever came second has no account either')
  assert.equal(await makeSetupLink(world.parts), undefined)
  await noOwners(world)
})

test('an address that has an account is told at its field, and the link can be used with another', async (t) => {
  const world = await startWorld(t)
  await noOwners(world)
  const { email } = await signedInByPassword(world, 'member')
  const token = tokenOf(await makeSetupLink(world.parts))
  const calls = callsOf(world.first.url)
  const accept = (address: string) =>
    calls.session.accept.mutate({ token, email: address, name: 'First', password: PASSWORD })
  const refused = await accept(email.toUpperCase()).catch((error: unknown) => error)
  assert.match(JSON.stringify(refused), /"path":"email","message":"has an account here already/)
  await accept('another-owner@shop.example')
  await noOwners(world)
})

test('an invitation is for its own address and role, is used once, and not after a week', async (t) => {
  const world = await startWorld(t)
  const owner = await signedInByPassword(world, 'owner')
  const { workspaceId } = world
  const invite = (email: string) => owner.calls.people.invite.mutate({ workspaceId, email, role: 'admin' })
  const { token } = await invite('New.Person@Shop.example')
  const calls = callsOf(world.first.url)
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
  await assert.rejects(() => calls.session.accept.mutate(newcomer), /used already/)
  const joined = callsOf(
    world.first.url,
    await cookieOf(world.first.url, { email: 'New.Person@shop.example', password: PASSWORD }),
  )
  assert.equal((await joined.session.current.query())?.workspaces[0]?.role, 'admin')

  const late = await invite('late@shop.example')
  world.clock.advance(7 * DAY_MS)
  await assert.rejects(() => calls.session.link.mutate({ token: late.token }), /has expired/)
})

test('an invitation of somebody who has an account adds the workspace when they are signed in, and for nobody else', async (t) => {
  const [world, theirs] = [await startWorld(t), await startWorld(t)]
  const [owner, invited, other] = [
    await signedInByPassword(world, 'owner'),
    await signedInByPassword(theirs, 'owner'),
    await signedInByPassword(theirs, 'owner'),
  ]
  const { workspaceId } = world
  const { token } = await owner.calls.people.invite.mutate({ workspaceId, email: invited.email, role: 'member' })
  const anybody = callsOf(world.first.url)
  assert.equal((await anybody.session.link.mutate({ token })).hasAccount, true)
  await assert.rejects(
    () => anybody.session.accept.mutate({ token, name: 'Thief', password: NEW_PASSWORD }),
    /has an account here already/,
  )
  await assert.rejects(() => anybody.session.join.mutate({ token }), /not signed in/)
  await assert.rejects(() => other.calls.session.join.mutate({ token }), /used already/)
  const outcomes = await Promise.allSettled([1, 2].map(() => invited.calls.session.join.mutate({ token })))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.ok((await invited.calls.keys.list.query({ workspaceId })).length >= 0)
})

test('a link for a new password ends every session, and no other kind of link can set one', async (t) => {
  const world = await startWorld(t)
  const person = await signedInByPassword(world, 'member')
  const { cookie } = await withSecondFactor(world, person)
  const { db, clock } = world.parts
  const about = { email: person.email, createdBy: null, at: clock.now() }
  const calls = callsOf(world.first.url)
  const invitation = await makeInvitation(db, { ...about, workspaceId: world.workspaceId, role: 'owner' })
  const set = (token: string) => calls.session.setPassword.mutate({ token, password: NEW_PASSWORD })
  await assert.rejects(() => set(invitation.token), /used already/)
  const { token } = await makePasswordLink(db, { ...about, endsSecondFactor: false })
  await assert.rejects(
    () => calls.session.accept.mutate({ token, email: 'x@shop.example', name: 'X', password: PASSWORD }),
    /used already/,
  )
  const outcomes = await Promise.allSettled([set(token), set(token)])
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal(await callsOf(world.first.url, cookie).session.current.query(), null)
  assert.deepEqual((await signIn(world, person.email, NEW_PASSWORD)).json, { twoFactorRedirect: true })
  await set((await makePasswordLink(db, { ...about, endsSecondFactor: true })).token)
  assert.deepEqual((await signIn(world, person.email, NEW_PASSWORD)).json, {})
})

test('what signing in leaves behind is swept away when it is over', async (t) => {
  const world = await startWorld(t)
  const person = await signedInByPassword(world, 'owner')
  await makePasswordLink(world.parts.db, {
    email: person.email,
    createdBy: null,
    endsSecondFactor: false,
    at: new Date(0),
  })
  await world.ask(`update auth.session set "expiresAt" = now() - interval '1 second' where "userId" = $1`, [
    person.userId,
  ])
  await world.ask(`insert into auth."rateLimit" (id, key, count, "lastRequest") values ('old', 'old', 1, 1)`)
  await world.ask(`insert into sign_in_attempts values ('old', array[now() - interval '1 hour'], true)`)
  await world.ask(
    `insert into auth.verification (id, identifier, value, "expiresAt") values ('old', 'old', 'x', now() - interval '1 hour')`,
  )
  const left = () =>
    world.ask<{ count: number }>(
      `select (select count(*) from auth.session where "userId" = $1)
         + (select count(*) from auth."rateLimit" where id = 'old') + (select count(*) from auth.verification where id = 'old')
         + (select count(*) from sign_in_attempts where account = 'old')
         + (select count(*) from access_links where expires_at < now()) as count`,
      [person.userId],
    )
  assert.equal(Number((await left())[0]?.count), 5)
  await world.node() // whose housekeeping begins at once
  await until('the leftovers to be gone', async () => Number((await left())[0]?.count) === 0)
})

test('the tables of the sign-in library are what the library would make of them', async (t) => {
  const world = await startWorld(t)
  const pool = new Pool({ connectionString: world.databaseUrl, options: '-c search_path=auth', max: 1 })
  t.after(() => pool.end())
  const { toBeAdded, toBeCreated } = await getMigrations(authOptions(pool, world.parts))
  assert.deepEqual({ toBeAdded, toBeCreated }, { toBeAdded: [], toBeCreated: [] })
})

test('the first owner comes from the printed link to the overview, and to a first code on the phone', async (t) => {
  const world = await startWorld(t)
  await world.ask('update workspaces set sandbox = true where id = $1', [world.workspaceId])
  await noOwners(world)
  const token = tokenOf(await makeSetupLink(world.parts))
  const page = await openPage(t, world)
  await page.goto(`/dashboard/welcome#${token}`)
  await page.getByLabel('Your name').fill('Nadia')
  await page.getByLabel('E-mail address').fill('nadia@shop.example')
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Make my account' }).click()
  await page.waitForURL('**/overview')
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.ok(!page.url().includes(token))

  await page.goto(`/dashboard/w/${world.workspaceId}/phone`)
  await page.getByRole('button', { name: 'New customer' }).click()
  await page.getByLabel('Phone number').fill('+34600111222')
  await page.getByRole('button', { name: 'Open the phone' }).click()
  const send = page.getByRole('region', { name: 'Send something' })
  const code = await send.getByRole('textbox', { name: 'Code' }).inputValue()
  await send.getByRole('button', { name: 'Send to' }).click()
  const phone = page.getByRole('region', { name: 'The phone of +34600111222' })
  await phone.getByText(code).waitFor()
  await phone.getByText('Read', { exact: true }).waitFor()
  await noOwners(world)
})

test('a second factor is turned on with an app, and a sign-in asks for its code and leads back to where one was', async (t) => {
  const world = await startWorld(t)
  const person = await signedInByPassword(world, 'member')
  const page = await openPage(t, world, { as: person })
  await page.goto(`/dashboard/w/${world.workspaceId}/account`)
  await page.getByRole('button', { name: 'Turn the second factor on' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Current password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Next' }).click()
  await dialog.getByRole('img', { name: /QR code/ }).waitFor()
  const secret = ((await dialog.getByText(/^[A-Z2-7]{4} /).textContent()) ?? '').replaceAll(' ', '')
  const uri = `otpauth://totp/Doorcode?secret=${secret}`
  await dialog.getByLabel('The six digits that the app shows now').fill('000000')
  await dialog.getByRole('button', { name: 'Turn it on' }).click()
  await dialog.getByText('The code is wrong').waitFor()
  await dialog.getByLabel('The six digits that the app shows now').fill(totp(uri))
  await dialog.getByRole('button', { name: 'Turn it on' }).click()
  await dialog.getByText(/^[\w]{5}-[\w]{5}/).waitFor()
  await dialog.getByRole('button', { name: 'I have kept them' }).click()
  await page.getByRole('button', { name: 'Make new backup codes' }).waitFor()

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL('**/sign-in')
  await page.goto(`/dashboard/w/${world.workspaceId}/people`)
  await page.waitForURL('**/sign-in?*')
  await page.getByLabel('E-mail address').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Code of your authenticator app').fill(totp(uri))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**/w/${world.workspaceId}/people`)
})
