import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { pino } from 'pino'
import { fileDatabase } from '../../../test/database/database.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import type { Connection } from '../../lib/db/connection.ts'
import { type Db, openDb } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { isAnyWorkerAlive, listLiveNodes, lockDeadNodes } from './node.ts'
import { createWakeUps } from './wake.ts'

/** Nodes that were last seen some seconds ago, with their locks if they still hold them. */
async function scene(t: TestContext) {
  const url = await fileDatabase()
  const db = openDb({ url, poolSize: 2 })
  const connection = new Client({ connectionString: url })
  await connection.connect()
  t.after(async () => {
    await connection.query('delete from nodes')
    await connection.end()
    await db.close()
  })
  return {
    url,
    db,
    nodeSeen: async (secondsAgo: number, { locked }: { locked: boolean }): Promise<string> => {
      const id = newId()
      const now = "clock_timestamp() - $2 * interval '1 second'"
      await connection.query(
        `insert into nodes (id, roles, settings, version, started_at, seen_at) values ($1, '{worker}', '{}', '0', ${now}, ${now})`,
        [id, secondsAgo],
      )
      if (locked) await connection.query('select pg_advisory_lock(hashtextextended($1::uuid::text, 7305222))', [id])
      return id
    },
    deadNodes: () =>
      db.transaction(async (tx) =>
        (await lockDeadNodes(tx, { id: newId(), mayDeclareDead: () => true })).map(({ id }) => id),
      ),
  }
}

/** A worker whose own connection is opened by `connect`. */
const createWorker = (db: Db, connect: Db['connect']) =>
  createWakeUps({
    db: { rows: (...asked) => db.rows(...asked), connect },
    roles: new Set(['worker']),
    log: pino({ level: 'silent' }),
  })

test('a node without its lock is dead after a short silence', async (t) => {
  const { nodeSeen, deadNodes } = await scene(t)
  const dead = await nodeSeen(2, { locked: false })
  await nodeSeen(-5, { locked: false }) // connects again just now
  assert.deepEqual(await deadNodes(), [dead])
})

test('a node with its lock is dead only after a long silence', async (t) => {
  const { nodeSeen, deadNodes } = await scene(t)
  await nodeSeen(5, { locked: true })
  const silent = await nodeSeen(11, { locked: true })
  assert.deepEqual(await deadNodes(), [silent])
})

test('a node whose last heartbeat came from a clock that was ahead is dead unless it holds its lock', async (t) => {
  const { db, nodeSeen, deadNodes } = await scene(t)
  const aheadSeconds = 800 * 86_400
  const dead = await nodeSeen(-aheadSeconds, { locked: false })
  const alive = await nodeSeen(-aheadSeconds, { locked: true })
  assert.deepEqual(
    (await listLiveNodes(db)).map(({ id }) => id),
    [alive],
  )
  assert.deepEqual(await deadNodes(), [dead])
})

test('a worker counts as alive while it holds its lock', async (t) => {
  const { db, nodeSeen } = await scene(t)
  await nodeSeen(0, { locked: false })
  assert.equal(await isAnyWorkerAlive(db), false)
  await nodeSeen(5, { locked: true })
  assert.equal(await isAnyWorkerAlive(db), true)
})

test('a node has a row until it stops and may declare others dead', async (t) => {
  const { db } = await scene(t)
  const node = createWakeUps({ db, roles: new Set(['api', 'worker']), log: pino({ level: 'silent' }) })
  assert.equal(node.node.mayDeclareDead(), false)
  await node.start()
  const nodes = () => db.rows({ name: 'nodes', text: 'select id, roles from nodes' })
  assert.deepEqual(await nodes(), [{ id: node.node.id, roles: ['api', 'worker'] }])
  assert.equal(node.node.mayDeclareDead(), true)
  await node.stop()
  assert.deepEqual(await nodes(), [])
})

test('a reconnected node keeps its id and declares none dead for a while', async (t) => {
  const { db } = await scene(t)
  const wakes = createWakeUps({ db, roles: new Set(['worker']), log: pino({ level: 'silent' }) })
  const { node } = wakes
  t.after(() => wakes.stop())
  await wakes.start()
  const holder = {
    name: 'holder',
    text: `select l.pid from pg_locks l
           where l.locktype = 'advisory'
             and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended($1::uuid::text, 7305222)`,
  }
  const pidOf = async (): Promise<number | undefined> => (await db.row<{ pid: number }>(holder, [node.id]))?.pid
  const before = await pidOf()
  assert.ok(before)
  await db.rows({ name: 'cut', text: 'select pg_terminate_backend($1)' }, [before])
  await waitFor('another connection to hold the lock', async () => {
    const now = await pidOf()
    return now !== undefined && now !== before
  })
  assert.equal(node.mayDeclareDead(), false)
})

for (const [what, text] of [
  ['reset', 'discard all'],
  ['exchanged for another node’s', "set doorcode.session = 'of another node'"],
] as const)
  test(`a node whose session a pooler ${what} connects again and listens`, async (t) => {
    const { db } = await scene(t)
    const clients: Connection[] = []
    const connect = async (): Promise<Connection> => {
      const client = await db.connect()
      clients.push(client)
      return client
    }
    const wakes = createWorker(db, connect)
    t.after(() => wakes.stop())
    await wakes.start()
    await clients[0]?.query(text)
    await waitFor('another connection', () => clients.length === 2)
    await waitFor('its lock', () => isAnyWorkerAlive(db))
  })

test('a node joins in a session that still has the statements of another node', async (t) => {
  const { db } = await scene(t)
  const connect = async (): Promise<Connection> => {
    const client = await db.connect()
    await client.query('prepare write_node as select 1')
    return client
  }
  const wakes = createWorker(db, connect)
  t.after(() => wakes.stop())
  await wakes.start()
  assert.ok(await isAnyWorkerAlive(db))
})

test('a node that cannot register leaks no connections', async (t) => {
  const { db } = await scene(t)
  const run = (name: string, text: string) => db.rows({ name, text })
  await run('reject', 'alter table nodes add constraint no_node check (false) not valid')
  let tries = 0
  const connect = () => {
    tries += 1
    return db.connect()
  }
  const node = createWorker(db, connect)
  t.after(() => node.stop())
  await node.start()
  await waitFor('a third try', () => tries >= 3)
  const announcing = `select pid from pg_stat_activity
    where datname = current_database() and query like '%insert into nodes%' and pid <> pg_backend_pid()`
  await waitFor('at most one connection', async () => (await run('announcing', announcing)).length <= 1)
  await waitFor('it to declare no node dead', () => !node.node.mayDeclareDead())

  await run('allow', 'alter table nodes drop constraint no_node')
  await waitFor('it to be a node', async () => (await run('nodes', 'select id from nodes')).length === 1)
})
