import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pool } from 'pg'
import { getMigrations } from 'better-auth/db/migration'
import { DAY_MS, MINUTE_MS, SECOND_MS, later } from '../../../src/lib/clock.ts'
import { authOptions } from '../../../src/admin/auth/auth.ts'
import { createLink, createSetupLink } from '../../../src/admin/auth/links.ts'
import { authCalls } from '../../../src/admin/auth/sign-in.ts'
import { PASSWORD, createCalls, fetchSessionCookie, signInWithPassword } from '../../world/dashboard.ts'
import { NEW_PASSWORD, asCookie, askAuth, eventsOf, trySignIn, withSecondFactor } from '../../world/sign-in-calls.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

const tokenOf = (link: string | undefined): string => link?.split('#')[1] ?? assert.fail('there is no link')

const noOwners = async (world: World): Promise<void> => {
  await world.query('delete from operators')
}

test('a stranger’s name or password that is too long is not examined further', async (t) => {
  const world = await startWorld(t)
  const visitor = createCalls(world.first.url, '')
  const faultsOf = (more: { name?: string; password?: string }) =>
    visitor.session.accept
      .mutate({ token: 'unknown', name: 'New', password: NEW_PASSWORD, ...more })
      .then(() => assert.fail('it was accepted'))
      .catch(({ data }: { data?: { faults: { path: string; text: { code: string } }[] } }) =>
        data?.faults.map(({ path, text }) => [path, text.code]),
      )
  const tooLong = 'http.must_have_at_most'
  // Each has another fault, which takes long to find in a megabyte.
  assert.deepEqual(await faultsOf({ name: `a\n${'b'.repeat(200)}` }), [['name', tooLong]])
  assert.deepEqual(await faultsOf({ password: 'password'.repeat(20) }), [['password', tooLong]])
})

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
    assert.equal((await askAuth(world, path, body, owner)).status, 404, path)
    assert.equal((await askAuth(world, path, {}, { ...owner, method: 'GET' })).status, 404, `GET ${path}`)
  }
  for (const path of Object.keys(authCalls)) {
    assert.equal((await askAuth(world, path.slice(1), {}, { method: 'GET' })).status, 404, `GET ${path}`)
  }
})

test('the session cookie is HttpOnly and SameSite, and no answer holds its token', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'member')
  const plain = await trySignIn(world, email, PASSWORD)
  const session = plain.cookies.find((each) => each.startsWith('doorcode.session_token=')) ?? assert.fail(plain.text)
  assert.match(session, /; HttpOnly/)
  assert.match(session, /; SameSite=Lax/)
  assert.doesNotMatch(session, /Secure/)
  const [{ token } = { token: '' }] = await world.query<{ token: string }>(
    'select token from auth.session order by "createdAt" desc limit 1',
  )
  assert.ok(session.includes(token) && !plain.text.includes(token))
  const bare = createCalls(world.first.url, `doorcode.session_token=${token}`)
  assert.equal(await bare.session.current.query(), null, 'the token of the table is no session without its signature')

  const secure = await world.node({ settings: { DOORCODE_PUBLIC_URL: 'https://doorcode.example' } })
  const behindTls = await trySignIn(world, email, PASSWORD, { url: secure.url })
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
    const auth = await trySignIn(world, owner.email, PASSWORD, { cookie: owner.cookie, headers })
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

test('behind a proxy that drops the port of the host, a sign-in is rejected with a code of its own', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'member')
  const headers = { origin: `${world.first.url.replace(/:\d+$/, '')}:8443`, 'sec-fetch-site': 'same-origin' }
  const { status, json } = await trySignIn(world, email, PASSWORD, { headers })
  assert.deepEqual([status, json['code']], [403, 'OTHER_ORIGIN'])
})

test('a browser signs in behind a proxy that changes the host', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'member')
  const node = await world.node({ settings: { DOORCODE_PUBLIC_URL: 'https://doorcode.example' } })
  const headers = { origin: 'https://doorcode.example', 'sec-fetch-site': 'same-origin' }
  assert.equal((await trySignIn(world, email, PASSWORD, { url: node.url, headers })).status, 200)
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
  await trySignIn(world, 'nobody@shop.example', 'wrong')
  await world.query(`update auth."rateLimit" set count = 29 where key like '%/sign-in/email'`)
  const statuses: number[] = []
  for (let n = 0; n < 3; n += 1) {
    statuses.push((await trySignIn(world, `nobody-${n}@shop.example`, 'wrong', { headers: lies(n) })).status)
  }
  assert.deepEqual(statuses, [401, 429, 429])
  const answer = await trySignIn(world, 'nobody@shop.example', 'wrong', { headers: lies(99) })
  assert.equal(answer.json['code'], 'WAIT')
  assert.ok(Number(answer.json['retryAfterSeconds']) > 0)
})

test('only a trusted proxy can state the visitor’s address', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'member')
  const node = await world.node({ settings: { DOORCODE_TRUSTED_PROXIES: '127.0.0.1' } })
  const addressAfter = async (url: string): Promise<string | undefined> => {
    await trySignIn(world, email, PASSWORD, { url, headers: { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' } })
    const [row] = await world.query<{ ipAddress: string }>(
      'select "ipAddress" from auth.session order by "createdAt" desc limit 1',
    )
    return row?.ipAddress
  }
  assert.equal(await addressAfter(node.url), '203.0.113.9', 'the nearest one that is no proxy of ours')
  assert.equal(await addressAfter(world.first.url), '127.0.0.1')
})

test('ports and brackets that proxies add to a visitor’s address do not hide it', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'member')
  const { url } = await world.node({ settings: { DOORCODE_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,fd00::/8' } })
  const addressAfter = async (forwarded: string): Promise<string | undefined> => {
    await world.query('delete from auth.session')
    await trySignIn(world, email, PASSWORD, { url, headers: { 'x-forwarded-for': forwarded } })
    return (await world.query<{ ipAddress: string }>('select "ipAddress" from auth.session'))[0]?.ipAddress
  }
  const written = { '203.0.113.9': '203.0.113.9:51234', '2001:0db8:0000:0000:0000:0000:0000:0000': '[2001:db8::1]:443' }
  for (const [address, forwarded] of Object.entries(written))
    for (const proxies of ['', ', 10.0.0.5:8443', ',[fd00::5]:443, 10.0.0.6', ', [fd00::5]']) {
      const found = await addressAfter(`198.51.100.7, ${forwarded}${proxies}`)
      assert.equal(found, address, `${forwarded}${proxies}`)
    }
})

test('after ten wrong passwords an account waits on every node, existing or not', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'owner')
  const second = await world.node()
  const tries = async (address: string) => {
    const answers: Awaited<ReturnType<typeof trySignIn>>[] = []
    await world.query('delete from auth."rateLimit"')
    for (let n = 0; n < 11; n += 1) {
      const url = n % 2 === 0 ? world.first.url : second.url
      answers.push(await trySignIn(world, n % 3 === 0 ? address.toUpperCase() : address, `wrong ${n}`, { url }))
    }
    return answers.map(({ status, json }) => ({ status, code: json['code'] }))
  }
  const begunAt = world.clock.now()
  const known = await tries(email)
  const triedAt = world.clock.now()
  assert.deepEqual(
    known.map(({ status }) => status),
    [...Array.from({ length: 10 }, () => 401), 429],
  )
  assert.deepEqual(await tries('nobody-at-all@shop.example'), known)
  const askedAt = world.clock.now()
  const waiting = await trySignIn(world, email, PASSWORD)
  const answeredAt = world.clock.now()
  assert.equal(waiting.status, 429)
  const endFrom = (at: Date): Date => later(at, Number(waiting.json['retryAfterSeconds']) * SECOND_MS)
  assert.ok(endFrom(answeredAt) >= later(begunAt, 15 * MINUTE_MS), 'not before the first wrong password is that old')
  assert.ok(
    endFrom(askedAt) <= later(triedAt, 15 * MINUTE_MS + SECOND_MS),
    'and at most a second after the last one is',
  )
  assert.ok((await eventsOf(world, { email })).includes('person.sign_in_paused'))
  world.advance('15m')
  assert.equal((await trySignIn(world, email, PASSWORD)).status, 200)
})

test('of many concurrent passwords only ten are checked', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'owner')
  await world.query('delete from auth."rateLimit"')
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => trySignIn(world, email, `wrong ${n}`)))
  assert.equal(answers.filter(({ status }) => status === 401).length, 10)
})

test('password guessing from elsewhere does not lock out a trusted browser', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'owner')
  const { cookies } = await trySignIn(world, email, PASSWORD)
  const device = asCookie(cookies.filter((each) => each.startsWith('doorcode.device=')))
  for (let n = 0; n < 10; n += 1) await trySignIn(world, email, 'wrong')
  assert.equal((await trySignIn(world, email, PASSWORD)).status, 429)
  assert.equal((await trySignIn(world, email, PASSWORD, { cookie: `${device}x` })).status, 429, 'a forged mark is none')
  assert.equal((await trySignIn(world, email, PASSWORD, { cookie: device })).status, 200)
})

test('a changed password ends all other sessions and is listed as event', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  const elsewhere = await fetchSessionCookie(world.first.url, { email: person.email, password: PASSWORD })
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, revokeOtherSessions: false }
  assert.equal(
    (await askAuth(world, 'change-password', { ...body, newPassword: 'short' }, person)).json['code'],
    'PASSWORD_TOO_SHORT',
  )
  assert.equal(
    (await askAuth(world, 'change-password', { ...body, newPassword: 'Password1234' }, person)).json['code'],
    'PASSWORD_TOO_COMMON',
  )
  const changed = await askAuth(world, 'change-password', body, person)
  assert.equal(changed.status, 200, changed.text)
  assert.equal(await createCalls(world.first.url, elsewhere).session.current.query(), null)
  assert.ok(await createCalls(world.first.url, asCookie(changed.cookies)).session.current.query())
  assert.equal((await trySignIn(world, person.email, PASSWORD)).status, 401)
  assert.ok((await eventsOf(world, person)).includes('person.password_changed'))
})

test('signing out everywhere ends every session immediately, on every node', async (t) => {
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
  await world.query(`update auth.session set "expiresAt" = now() - interval '1 second' where "userId" = $1`, [
    idle.userId,
  ])
  await world.query(`update auth.session set "createdAt" = now() - interval '31 days' where "userId" = $1`, [
    old.userId,
  ])
  assert.equal(await idle.calls.session.current.query(), null)
  assert.equal(await old.calls.session.current.query(), null)
})

test('use extends a session, and the browser gets the new expiry', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  await world.query(`update auth.session set "expiresAt" = now() + interval '1 day' where "userId" = $1`, [
    person.userId,
  ])
  const answer = await fetch(`${world.first.url}/dashboard/calls/session.current`, {
    headers: { cookie: person.cookie },
  })
  assert.match(answer.headers.getSetCookie().join(), /doorcode\.session_token=.*Max-Age=604800/)
  const [row] = await world.query<{ left: number }>(
    `select extract(epoch from "expiresAt" - now())::float as left from auth.session where "userId" = $1`,
    [person.userId],
  )
  assert.ok(Number(row?.left) * 1000 > 6 * DAY_MS)
})

test('of two simultaneous uses of setup links only one creates the owner', async (t) => {
  const world = await startWorld(t)
  await noOwners(world)
  const links = [tokenOf(await createSetupLink(world.parts)), tokenOf(await createSetupLink(world.parts))]
  const calls = createCalls(world.first.url)
  const person = (n: number) => ({ email: `First-${n}@Shop.example`, name: 'First', password: PASSWORD })
  const outcomes = await Promise.allSettled(
    [0, 1, 2, 3].map((n) => calls.session.accept.mutate({ token: links[n % 2] ?? '', ...person(n) })),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  const made = await world.query<{ email: string }>(
    `select email from auth.user where email like 'first-%@shop.example'`,
  )
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
  const rejected = await accept(email.toUpperCase()).catch((error: unknown) => error)
  assert.match(JSON.stringify(rejected), /"path":"email","text":\{"code":"admin.taken"/)
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
  const visitor = createCalls(world.first.url)
  assert.equal((await visitor.session.link.mutate({ token })).hasAccount, true)
  await assert.rejects(
    () => visitor.session.accept.mutate({ token, name: 'Thief', password: NEW_PASSWORD }),
    /already has an account/,
  )
  await assert.rejects(() => visitor.session.join.mutate({ token }), /not signed in/)
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
  assert.deepEqual((await trySignIn(world, person.email, NEW_PASSWORD)).json, { twoFactorRedirect: true })
  await set((await createLink(db, { ...about, purpose: 'password', endsSecondFactor: true })).token)
  assert.deepEqual((await trySignIn(world, person.email, NEW_PASSWORD)).json, {})
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
  await world.query(`update auth.session set "expiresAt" = now() - interval '1 second' where "userId" = $1`, [
    person.userId,
  ])
  await world.query(`insert into auth."rateLimit" (id, key, count, "lastRequest") values ('old', 'old', 1, 1)`)
  await world.query(
    `insert into sign_in_attempts (account, tried_at, granted) values ('old', array[now() - interval '1 hour'], true)`,
  )
  await world.query(`insert into used_sign_in_codes (code, used_at) values ('old', now() - interval '1 hour')`)
  await world.query(
    `insert into auth.verification (id, identifier, value, "expiresAt") values ('old', 'old', 'x', now() - interval '1 hour')`,
  )
  const left = () =>
    world.query<{ count: number }>(
      `select (select count(*) from auth.session where "userId" = $1)
         + (select count(*) from auth."rateLimit" where id = 'old') + (select count(*) from auth.verification where id = 'old')
         + (select count(*) from sign_in_attempts where account = 'old')
         + (select count(*) from used_sign_in_codes where code = 'old')
         + (select count(*) from access_links where expires_at < now()) as count`,
      [person.userId],
    )
  assert.equal(Number((await left())[0]?.count), 6)
  await world.node({ removes: true }) // its housekeeping starts immediately
  await waitFor('the leftovers to be gone', async () => Number((await left())[0]?.count) === 0)
})

test('the sign-in library’s tables match its own schema', async (t) => {
  const world = await startWorld(t)
  const pool = new Pool({ connectionString: world.databaseUrl, options: '-c search_path=auth', max: 1 })
  t.after(() => pool.end())
  const { toBeAdded, toBeCreated } = await getMigrations(authOptions(pool, world.parts))
  assert.deepEqual({ toBeAdded, toBeCreated }, { toBeAdded: [], toBeCreated: [] })
})
