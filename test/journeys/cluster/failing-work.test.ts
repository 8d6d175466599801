import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { serverUrl, superuserUrlOf, withConnection } from '../../database/postgres.ts'
import type { Node } from '../../world/node.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

test('a node that can send nothing, because its role may not use a table, is not ready until it can', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const { node, revoke, grant } = await nodeWithRole(t, world)
  assert.deepEqual(await readinessOf(node), { code: 200, status: 'ready' })
  await revoke('sender_pace')
  await waitFor('503', async () => (await readinessOf(node)).code === 503)
  const { status, failing = [] } = await readinessOf(node)
  assert.deepEqual([status, failing.includes('submit')], ['background work fails', true])
  await grant('sender_pace')
  await waitFor('200, with no failing work', async () => {
    const { code, failing } = await readinessOf(node)
    return code === 200 && !failing
  })
})

test('a node whose other work fails still accepts requests, is ready, and names that work', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const { node, revoke } = await nodeWithRole(t, world)
  await revoke('provider_reports')
  await waitFor('the work to be named', async () => (await readinessOf(node)).failing?.includes('reports'))
  const { code, status } = await readinessOf(node)
  assert.deepEqual([code, status], [200, 'ready'])
  const request = { body: world.otpBody(), url: node.url, key: await world.freshKey() }
  assert.equal((await world.request('POST', '/api/v1/otp/messages', request)).status, 202)
})

/** Longer than a failure of every turn takes to make the node not ready. */
const LOCKED_FOR_MS = 7_000

test('a locked table of submission leaves a node ready, which names that work', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const { node } = await nodeWithRole(t, world)
  await withConnection(world.databaseUrl, async (holder) => {
    await holder.query('begin; lock table sender_pace')
    await waitFor('turns to fail', () => {
      const times = node.logLines
        .filter((line) => line.includes('55P03') && line.includes('"loop":"submit"'))
        .map((line) => Date.parse((JSON.parse(line) as { time: string }).time))
      return (times.at(-1) ?? 0) - (times[0] ?? 0) > LOCKED_FOR_MS
    })
    const { code, status, failing = [] } = await readinessOf(node)
    assert.deepEqual([code, status, failing.includes('submit')], [200, 'ready', true])
    await holder.query('rollback')
  })
})

async function readinessOf({ url }: Node): Promise<{ code: number; status: string; failing?: string[] }> {
  const answer = await fetch(`${url}/readyz`)
  return { code: answer.status, ...((await answer.json()) as { status: string; failing?: string[] }) }
}

/** A working node with a database role of its own, which may do everything until a test revokes it. */
async function nodeWithRole(t: TestContext, world: World) {
  const role = `node_${randomUUID().replaceAll('-', '')}`
  const asSuperuser = (text: string) =>
    withConnection(superuserUrlOf(world.databaseUrl), async (connection) => void (await connection.query(text)))
  await withConnection(serverUrl(), (connection) => connection.query(`create role ${role} login password 'node'`))
  await asSuperuser(`grant usage on schema public, auth to ${role};
    grant all on all tables in schema public to ${role}; grant all on all tables in schema auth to ${role}`)
  const databaseUrl = new URL(world.databaseUrl.replace('@/', '@localhost/'))
  Object.assign(databaseUrl, { username: role, password: 'node' })
  t.after(() => asSuperuser(`drop owned by ${role}; drop role ${role}`))
  const node = await world.node({ databaseUrl: databaseUrl.href, works: true })
  return {
    node,
    revoke: (table: string) => asSuperuser(`revoke all on ${table} from ${role}`),
    grant: (table: string) => asSuperuser(`grant all on ${table} to ${role}`),
  }
}
