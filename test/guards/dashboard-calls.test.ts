import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import type { MemberRole } from '../../src/admin/auth/members.ts'
import { dashboardRouter } from '../../src/admin/router.ts'
import { type SignedIn, signIn } from '../world/dashboard.ts'
import { type World, startWorld } from '../world/world.ts'

/** Calls that need no session, and why. */
const WITHOUT_SESSION: Readonly<Record<string, string>> = {
  'session.current': 'says that no one is signed in',
  'session.link': 'the holder of a one-time link has no account yet',
  'session.accept': 'the holder of a one-time link has no account yet',
  'session.setPassword': 'the holder of a one-time link cannot sign in',
}

/** Calls without a workspace for any signed-in person, and why. */
const OF_NO_WORKSPACE: Readonly<Record<string, string>> = {
  'session.join': 'an invitation says which workspace',
  'workspaces.mayCreate': 'asked before there is a workspace',
  'workspaces.create': 'makes one',
  'account.sessions': 'one’s own account',
  'account.events': 'one’s own account',
  'account.rename': 'one’s own account',
  'account.endSession': 'one’s own account',
  'account.signOutEverywhere': 'one’s own account',
}

/** Mutations that a member may call, and why. */
const MEMBERS_MAY: Readonly<Record<string, string>> = {
  'people.leave': 'every member may leave',
  'phone.act': 'any customer could do the same',
  'blocked.check': 'changes nothing',
  'codSettings.tryOut': 'changes nothing',
}

const MISSING_ID = '019f0000-0000-7000-8000-000000000000'

type Procedure = { path: string; type: 'query' | 'mutation' | 'subscription'; minRole: MemberRole | undefined }

type Definition = { _def: { type: Procedure['type']; meta?: { minRole?: MemberRole } } }

const procedures: readonly Procedure[] = Object.entries(
  dashboardRouter._def.procedures as unknown as Record<string, Definition>,
).map(([path, { _def }]) => ({ path, type: _def.type, minRole: _def.meta?.minRole }))

const ofWorkspace = procedures.filter(({ minRole }) => minRole !== undefined)

type Answer = { path: string; code: string; text: string }

type Sent = { as?: SignedIn; workspaceId?: string; more?: object }

/** The most calls that a request may hold. */
const MAX_BATCH = 10

/** The input has only a workspace: permission is checked before the rest. */
async function callEach(world: World, some: readonly Procedure[], sent: Sent): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const isMutation of [false, true]) {
    const sameMethod = some.filter(({ type }) => (type === 'mutation') === isMutation)
    for (let from = 0; from < sameMethod.length; from += MAX_BATCH)
      answers.push(...(await callBatch(world, sameMethod.slice(from, from + MAX_BATCH), isMutation, sent)))
  }
  assert.deepEqual(pathsOf(answers), pathsOf(some))
  return answers
}

async function callBatch(
  world: World,
  some: readonly Procedure[],
  isMutation: boolean,
  { as, workspaceId, more }: Sent,
): Promise<Answer[]> {
  const paths = some.map(({ path }) => path)
  const url = `${world.first.url}/dashboard/calls/${paths.join(',')}?batch=1`
  const headers = { origin: world.first.url, 'content-type': 'application/json', ...(as && { cookie: as.cookie }) }
  const inputs = JSON.stringify(Object.fromEntries(paths.map((_, index) => [index, { workspaceId, ...more }])))
  const answer = isMutation
    ? await fetch(url, { method: 'POST', headers, body: inputs })
    : await fetch(`${url}&input=${encodeURIComponent(inputs)}`, { headers })
  const each = (await answer.json()) as object[]
  assert.equal(each.length, paths.length, JSON.stringify(each))
  return paths.map((path, index) => {
    const text = JSON.stringify(each[index])
    return { path, code: codeIn(text), text }
  })
}

const codeIn = (text: string): string => /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? 'OK'

const pathsOf = (some: readonly { path: string }[]): string[] => some.map(({ path }) => path).sort()

test('every call except the listed ones requires a session', async (t) => {
  const world = await startWorld(t)
  const answers = await callEach(world, procedures, { workspaceId: world.workspaceId })
  const answered = answers.filter(({ code }) => code !== 'UNAUTHORIZED')
  assert.deepEqual(pathsOf(answered), Object.keys(WITHOUT_SESSION).sort())
})

test('every call belongs to a workspace or is listed as not', () => {
  const others = procedures.filter(({ minRole }) => minRole === undefined).map(({ path }) => path)
  assert.deepEqual(others.sort(), [...Object.keys(WITHOUT_SESSION), ...Object.keys(OF_NO_WORKSPACE)].sort())
  assert.ok(ofWorkspace.length > 10, 'the walk finds the calls of workspaces')
})

test('every call answers another workspace exactly like a missing one', async (t) => {
  const [world, theirs] = [await startWorld(t), await startWorld(t)]
  const as = await signIn(world, 'owner')
  const foreign = await callEach(world, ofWorkspace, { as, workspaceId: theirs.workspaceId })
  for (const { path, code } of foreign) assert.equal(code, 'NOT_FOUND', path)
  assert.deepEqual(foreign, await callEach(world, ofWorkspace, { as, workspaceId: MISSING_ID }))
})

const rejectedTo = async (world: World, as: SignedIn, calls: readonly Procedure[]): Promise<string[]> => {
  const answers = await callEach(world, calls, { as, workspaceId: world.workspaceId })
  return pathsOf(answers.filter(({ code }) => code === 'FORBIDDEN'))
}

test('members may change nothing, and admins nothing reserved for owners', async (t) => {
  const world = await startWorld(t)
  const [member, admin] = [await signIn(world, 'member'), await signIn(world, 'admin')]
  const mutations = ofWorkspace.filter(({ type }) => type === 'mutation')
  const changes = mutations.filter(({ path }) => !(path in MEMBERS_MAY))
  assert.deepEqual(await rejectedTo(world, member, changes), pathsOf(changes))
  const beyondMembers = ofWorkspace.filter(({ minRole }) => minRole !== 'member')
  assert.deepEqual(await rejectedTo(world, member, beyondMembers), pathsOf(beyondMembers))
  const forOwners = ofWorkspace.filter(({ minRole }) => minRole === 'owner')
  assert.ok(forOwners.length > 3)
  assert.deepEqual(await rejectedTo(world, admin, forOwners), pathsOf(forOwners))
})

test('a removed member loses access with the next call', async (t) => {
  const world = await startWorld(t)
  const [owner, admin] = [await signIn(world, 'owner'), await signIn(world, 'admin')]
  const { workspaceId } = world
  await admin.calls.keys.list.query({ workspaceId })
  await owner.calls.people.changeRole.mutate({ workspaceId, userId: admin.userId, role: 'member' })
  await assert.rejects(() => admin.calls.keys.create.mutate({ workspaceId, name: 'late' }), /requires the role admin/)
  await owner.calls.people.remove.mutate({ workspaceId, userId: admin.userId })
  await assert.rejects(() => admin.calls.keys.list.query({ workspaceId }), /There is no such workspace/)
  assert.deepEqual((await admin.calls.session.current.query())?.workspaces, [])
})

test('every call rejects unstorable text in every field', async (t) => {
  const world = await startWorld(t)
  const as = await signIn(world, 'owner')
  const texts = ['a\0b', 'half \ud83d', '\udc00']
  for (const { path, code, text } of await callEach(world, procedures, {
    as,
    more: { deep: texts.map((each) => ({ text: each })) },
  })) {
    assert.equal(code, 'BAD_REQUEST', path)
    for (const index of texts.keys()) assert.match(text, new RegExp(`"path":"deep\\.${index}\\.text"`), path)
  }
})

test('a request with too many calls or too large a body is rejected', async (t) => {
  const world = await startWorld(t)
  const { cookie } = await signIn(world, 'member')
  const batch = (count: number) =>
    fetch(
      `${world.first.url}/dashboard/calls/${Array.from({ length: count }, () => 'session.current').join(',')}?batch=1`,
      { headers: { cookie } },
    )
  assert.equal((await batch(10)).status, 200)
  assert.equal((await batch(11)).status, 400)
  for (const path of ['calls/codSettings.tryOut', 'auth/sign-in/email']) {
    const answer = await fetch(`${world.first.url}/dashboard/${path}`, {
      method: 'POST',
      headers: { cookie, origin: world.first.url, 'content-type': 'application/json' },
      body: JSON.stringify({ workspaceId: world.workspaceId, settings: 'x'.repeat(1_100_000), language: null }),
    })
    assert.equal(answer.status, 413, path)
  }
})

test('every answer states its length', async (t) => {
  const { first } = await startWorld(t)
  const headers = { origin: first.url, 'content-type': 'application/json', 'accept-encoding': 'identity' }
  for (const [path, request] of [
    ['', {}],
    ['calls/session.current', {}],
    ['calls/keys.list', {}],
    ['auth/get-session', {}],
    ['auth/sign-in/email', { method: 'POST', body: JSON.stringify({ email: 'a@b.example', password: 'wrong' }) }],
  ] as const) {
    const answer = await fetch(`${first.url}/dashboard/${path}`, { headers, ...request })
    assert.equal(answer.headers.get('content-length'), String((await answer.bytes()).length), path)
  }
})

/** A request with an impossible host name. */
const statusOf = (world: World, { host, path, cookie }: { host: string; path: string; cookie: string }) =>
  new Promise<number | undefined>((resolve, reject) => {
    httpRequest(`${world.first.url}/`, { path, headers: { host, cookie } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

test('an invalid Host is rejected on every path', async (t) => {
  const world = await startWorld(t)
  const { cookie } = await signIn(world, 'member')
  for (const host of ['x:99999', '%', 'a@b', '[', 'a b']) {
    for (const path of [
      '/dashboard/calls/session.current',
      'http://elsewhere/dashboard/calls/session.current',
      `/dashboard/emulator/${world.workspaceId}/live`,
      '/dashboard/auth/get-session',
    ]) {
      assert.equal(await statusOf(world, { host, path, cookie }), 403, `${host} ${path}`)
    }
  }
})

test('calls that take a one-time token are mutations, since proxies log queries', () => {
  const tokens = ['session.accept', 'session.join', 'session.link', 'session.setPassword']
  const withTokens = procedures.filter(({ path }) => tokens.includes(path))
  assert.deepEqual(
    withTokens.map(({ type }) => type),
    Array.from(tokens, () => 'mutation'),
  )
})
