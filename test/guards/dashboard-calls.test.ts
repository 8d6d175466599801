import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import type { MemberRole } from '../../src/dashboard/roles.ts'
import { dashboardRouter } from '../../src/dashboard/router.ts'
import { type SignedIn, signedIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

/** Calls that anybody may make, and why. */
const FOR_ANYBODY: Readonly<Record<string, string>> = {
  'session.current': 'tells that nobody is signed in',
  'session.link': 'whoever holds a one-time link has no account yet',
  'session.accept': 'whoever holds a one-time link has no account yet',
  'session.setPassword': 'whoever holds a one-time link cannot sign in',
}

/** Calls of no workspace, for whoever is signed in, and why. */
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

/** What a member may call that is a mutation, and why. */
const MEMBERS_MAY: Readonly<Record<string, string>> = {
  'people.leave': 'everybody may go',
  'blocked.check': 'changes nothing; a list of numbers is longer than an address may be',
  'codSettings.tryOut': 'changes nothing; settings are longer than an address may be',
}

const MISSING_ID = '019f0000-0000-7000-8000-000000000000'

type Procedure = { path: string; type: 'query' | 'mutation' | 'subscription'; least: MemberRole | undefined }

type Definition = { _def: { type: Procedure['type']; meta?: { least?: MemberRole } } }

const procedures: readonly Procedure[] = Object.entries(
  dashboardRouter._def.procedures as unknown as Record<string, Definition>,
).map(([path, { _def }]) => ({ path, type: _def.type, least: _def.meta?.least }))

const ofWorkspace = procedures.filter(({ least }) => least !== undefined)

type Answer = { code: string; text: string }

/** With nothing in the input but a workspace: whether somebody may call comes before what they ask. */
async function call(
  world: World,
  { path, type }: Procedure,
  { as, workspaceId, more }: { as?: SignedIn; workspaceId?: string; more?: object },
) {
  const input = JSON.stringify({ workspaceId, ...more })
  const headers = { origin: world.first.url, 'content-type': 'application/json', ...(as && { cookie: as.cookie }) }
  const url = `${world.first.url}/dashboard/calls/${path}`
  const answer =
    type === 'mutation'
      ? await fetch(url, { method: 'POST', headers, body: input })
      : await fetch(`${url}?input=${encodeURIComponent(input)}`, { headers })
  const text = await answer.text()
  return { code: codeIn(text), text } satisfies Answer
}

const codeIn = (text: string): string => /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? 'OK'

test('every call but a few takes somebody who is signed in', async (t) => {
  const world = await startWorld(t)
  const answered: string[] = []
  for (const procedure of procedures) {
    const { code } = await call(world, procedure, { workspaceId: world.workspaceId })
    if (code !== 'UNAUTHORIZED') answered.push(procedure.path)
  }
  assert.deepEqual(answered.sort(), Object.keys(FOR_ANYBODY).sort())
})

test('every call is of one workspace, or known not to be', () => {
  const others = procedures.filter(({ least }) => least === undefined).map(({ path }) => path)
  assert.deepEqual(others.sort(), [...Object.keys(FOR_ANYBODY), ...Object.keys(OF_NO_WORKSPACE)].sort())
  assert.ok(ofWorkspace.length > 10, 'the walk finds the calls of workspaces')
})

test('every call answers another workspace exactly like a missing one, whatever else is asked', async (t) => {
  const [world, theirs] = [await startWorld(t), await startWorld(t)]
  const as = await signedIn(world, 'owner')
  for (const procedure of ofWorkspace) {
    const foreign = await call(world, procedure, { as, workspaceId: theirs.workspaceId })
    const missing = await call(world, procedure, { as, workspaceId: MISSING_ID })
    assert.equal(foreign.code, 'NOT_FOUND', procedure.path)
    assert.equal(foreign.text, missing.text, procedure.path)
  }
})

const refusedTo = async (world: World, as: SignedIn, asked: readonly Procedure[]): Promise<string[]> => {
  const refused: string[] = []
  for (const procedure of asked) {
    const { code } = await call(world, procedure, { as, workspaceId: world.workspaceId })
    if (code === 'FORBIDDEN') refused.push(procedure.path)
  }
  return refused.sort()
}

const pathsOf = (some: readonly Procedure[]): string[] => some.map(({ path }) => path).sort()

test('a member is refused every change, and an admin whatever is the owners’ alone', async (t) => {
  const world = await startWorld(t)
  const [member, admin] = [await signedIn(world, 'member'), await signedIn(world, 'admin')]
  const mutations = ofWorkspace.filter(({ type }) => type === 'mutation')
  const changes = mutations.filter(({ path }) => !(path in MEMBERS_MAY))
  assert.deepEqual(await refusedTo(world, member, changes), pathsOf(changes))
  const beyondMembers = ofWorkspace.filter(({ least }) => least !== 'member')
  assert.deepEqual(await refusedTo(world, member, beyondMembers), pathsOf(beyondMembers))
  const ownersAlone = ofWorkspace.filter(({ least }) => least === 'owner')
  assert.ok(ownersAlone.length > 3)
  assert.deepEqual(await refusedTo(world, admin, ownersAlone), pathsOf(ownersAlone))
})

test('whoever is removed from a workspace loses it at the very next call', async (t) => {
  const world = await startWorld(t)
  const [owner, admin] = [await signedIn(world, 'owner'), await signedIn(world, 'admin')]
  const { workspaceId } = world
  await admin.calls.keys.list.query({ workspaceId })
  await owner.calls.people.changeRole.mutate({ workspaceId, userId: admin.userId, role: 'member' })
  await assert.rejects(() => admin.calls.keys.create.mutate({ workspaceId, name: 'late' }), /takes the role admin/)
  await owner.calls.people.remove.mutate({ workspaceId, userId: admin.userId })
  await assert.rejects(() => admin.calls.keys.list.query({ workspaceId }), /There is no such workspace/)
  assert.deepEqual((await admin.calls.session.current.query())?.workspaces, [])
})

test('what cannot be stored is refused by every call, in whichever field it stands', async (t) => {
  const world = await startWorld(t)
  const as = await signedIn(world, 'owner')
  for (const procedure of procedures) {
    for (const text of ['a\0b', 'half \ud83d', '\udc00']) {
      const { code, text: answer } = await call(world, procedure, { as, more: { deep: [{ text }] } })
      assert.equal(code, 'BAD_REQUEST', procedure.path)
      assert.match(answer, /"path":"deep\.0\.text"/, procedure.path)
    }
  }
})

test('no request holds more calls than our pages put into one, nor more than is read at once', async (t) => {
  const world = await startWorld(t)
  const { cookie } = await signedIn(world, 'member')
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

/** With a name in the request that no page could be asked by. */
const askedAs = (world: World, { host, path, cookie }: { host: string; path: string; cookie: string }) =>
  new Promise<number | undefined>((resolve, reject) => {
    httpRequest(`${world.first.url}/`, { path, headers: { host, cookie } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

test('a name in the request that is none changes no answer', async (t) => {
  const world = await startWorld(t)
  const { cookie } = await signedIn(world, 'member')
  for (const host of ['x:99999', '%', 'a@b', '[', 'a b', '']) {
    for (const [path, status] of [
      ['/dashboard/calls/session.current', 200],
      ['http://elsewhere/dashboard/calls/session.current', 200],
      [`/dashboard/twin/${world.workspaceId}/chat`, 404],
      ['/dashboard/auth/get-session', 404],
    ] as const) {
      assert.equal(await askedAs(world, { host, path, cookie }), status, `${host} ${path}`)
    }
  }
})

test('what takes the token of a one-time link is no query, in whose address proxies would write it down', () => {
  const tokens = ['session.accept', 'session.join', 'session.link', 'session.setPassword']
  const asked = procedures.filter(({ path }) => tokens.includes(path))
  assert.deepEqual(
    asked.map(({ type }) => type),
    Array.from(tokens, () => 'mutation'),
  )
})
