import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startFaultyServer } from '../../../test/faults/faulty-server.ts'
import { startFlakyProxy } from '../../../test/faults/flaky-proxy.ts'
import { fileDatabase } from '../../../test/database/database.ts'
import { createMetrics } from '../metrics.ts'
import { DatabaseUnavailable } from './connection.ts'
import { type Db, type Statement, isDatabaseUnavailable, openDb } from './pool.ts'

test('a host name that does not resolve counts as unavailable', async (t) => {
  const db = openDb({ url: 'postgres://user:word@database.invalid:5432/doorcode', poolSize: 2 })
  t.after(() => db.close())
  await assert.rejects(db.rows({ name: 'any', text: 'select 1' }), isDatabaseUnavailable)
})

const ONE = { name: 'one', text: 'select 1 as one' }
const LOCK = { name: 'lock', text: 'select pg_advisory_xact_lock(1)' }

/** The pool has one connection: if it is kept after a fault, the next statement uses it. */
async function openBehindProxy(t: TestContext) {
  const proxy = await startFlakyProxy(await fileDatabase())
  const db = openDb({ url: proxy.url, poolSize: 1, responseTimeoutMs: 1_500 })
  t.after(async () => {
    await proxy.close() // first: what still waits for an answer would hold up the end of the pool
    await db.close()
  })
  await db.rows(ONE)
  return { proxy, db }
}

test('a statement on a silent connection fails as unavailable; the next one reconnects', {
  timeout: 60_000,
}, async (t) => {
  const { proxy, db } = await openBehindProxy(t)
  proxy.stall()
  await assert.rejects(db.rows(ONE), isDatabaseUnavailable)
  proxy.restore()
  assert.deepEqual(await db.rows(ONE), [{ one: 1 }])
})

test('a transaction on a silent connection fails as unavailable; the next one reconnects', {
  timeout: 60_000,
}, async (t) => {
  const { proxy, db } = await openBehindProxy(t)
  const stalled = db.transaction(async (tx) => {
    proxy.stall()
    await tx.rows(ONE)
  })
  await assert.rejects(stalled, isDatabaseUnavailable)
  proxy.restore()
  assert.deepEqual(await db.transaction((tx) => tx.rows(ONE)), [{ one: 1 }])
})

test('a transaction that throws another connection’s error is rolled back', async (t) => {
  const db = openDb({ url: await fileDatabase(), poolSize: 1 })
  t.after(() => db.close())
  const elsewhere = new DatabaseUnavailable(new Error('another connection was lost'))
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.rows(LOCK)
      throw elsewhere
    }),
    isDatabaseUnavailable,
  )
  const countLocks = `select count(*)::int as locks from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`
  assert.deepEqual(await db.rows({ name: 'count_locks', text: countLocks }), [{ locks: 0 }])
})

test('nothing is written by a transaction that could not begin', async (t) => {
  const { proxy, db } = await openBehindProxy(t)
  const insert = { name: 'insert', text: 'insert into begun values (1)' }
  await db.rows({ name: 'create', text: 'create table begun (number int)' })
  proxy.garble('begin')
  await assert.rejects(
    db.transaction((tx) => tx.rows(insert)),
    { code: '42601' },
  )
  assert.deepEqual(await db.rows({ name: 'read', text: 'select * from begun' }), [])
  await db.transaction((tx) => tx.rows(insert))
  assert.equal((await db.rows({ name: 'read', text: 'select * from begun' })).length, 1)
})

test('the metrics show who waits for a connection, and count waits but no idle connections', async (t) => {
  const metrics = createMetrics()
  const db = openDb({ url: await fileDatabase(), poolSize: 1, watch: metrics.watchPool('main') })
  t.after(() => db.close())
  const valueOf = async (sample: string): Promise<number> => {
    const line = (await metrics.registry.metrics())
      .split('\n')
      .find((each) => each.startsWith(`doorcode_pool_${sample} `))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  await db.rows(ONE)
  const waits = 'wait_seconds_count{pool="main"}'
  assert.equal(await valueOf(waits), 1, 'the first connection had to be opened')
  await db.rows(ONE)
  assert.equal(await valueOf(waits), 1)
  let waiting: Promise<unknown> | undefined
  await db.transaction(async (tx) => {
    await tx.rows(ONE)
    waiting = db.rows(ONE)
    assert.equal(await valueOf('connections{pool="main",state="in_use"}'), 1)
    assert.equal(await valueOf('waiting{pool="main"}'), 1)
  })
  await waiting
  assert.equal(await valueOf('waiting{pool="main"}'), 0)
  assert.equal(await valueOf(waits), 2)
})

test('a process frozen inside a transaction loses its locks and gets "unavailable"', {
  timeout: 60_000,
}, async (t) => {
  const url = await fileDatabase()
  const [frozen, other] = [openDb({ url, poolSize: 1, idleTransactionMs: 250 }), openDb({ url, poolSize: 1 })]
  t.after(() => Promise.all([frozen.close(), other.close()]))
  const [locked, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = assert.rejects(
    frozen.transaction(async (tx) => {
      await tx.rows(LOCK)
      locked.resolve()
      await goesOn.promise
      await tx.rows(ONE)
    }),
    isDatabaseUnavailable,
  )
  await locked.promise
  await other.transaction((tx) => tx.rows(LOCK))
  goesOn.resolve()
  await ended
  assert.deepEqual(await frozen.transaction((tx) => tx.rows(ONE)), [{ one: 1 }])
})

test('only connections of the pool end when their process does not read what the server sends', async (t) => {
  await using server = await startFaultyServer(await fileDatabase())
  const db = openDb({ url: server.url, poolSize: 1 })
  t.after(() => db.close())
  server.fail(['set tcp_user_timeout'], { state: '58000' })
  const single = await db.connect()
  t.after(() => single.close())
  assert.equal(server.failed(), 0)
  await assert.rejects(db.rows(ONE), isDatabaseUnavailable)
  assert.equal(server.failed(), 1)
})

/** Two connections at the same time, each with the statement prepared under its name. */
const inTwo = async (db: Db): Promise<PromiseSettledResult<unknown>[]> =>
  Promise.allSettled([db.rows(ONE), db.rows(ONE)])

const PROCESS: Statement<{ pid: number }> = { name: 'process', text: 'select pg_backend_pid() as pid' }

for (const [mixUp, text] of [
  ['are missing', 'deallocate all'],
  ['another process prepared', 'prepare one as select 1 as one'],
] as const)
  test(`no connection of a pool is used again after one had statements that ${mixUp}`, async (t) => {
    const db = openDb({ url: await fileDatabase(), poolSize: 2 })
    t.after(() => db.close())
    if (mixUp === 'are missing') await inTwo(db)
    const pids = async () => (await Promise.all([db.rows(PROCESS), db.rows(PROCESS)])).flat().map(({ pid }) => pid)
    const before = await pids()
    await db.rows({ name: 'mix_up', text })
    const failed = (await inTwo(db)).filter(({ status }) => status === 'rejected')
    assert.equal(failed.length, 1)
    for (const { status } of await inTwo(db)) assert.equal(status, 'fulfilled')
    for (const pid of await pids()) assert.ok(!before.includes(pid), `${pid}`)
  })

test('a changed table costs a prepared statement one failure, not all that follow', async (t) => {
  const db = openDb({ url: await fileDatabase(), poolSize: 1 })
  const run = (name: string, text: string) => db.rows({ name, text })
  await run('make_changing', 'create table changing (a int)')
  t.after(async () => {
    await run('drop_changing', 'drop table changing')
    await db.close()
  })
  await run('read_changing', 'select * from changing')
  await run('widen_changing', 'alter table changing add column b int')
  await assert.rejects(run('read_changing', 'select * from changing'), isDatabaseUnavailable)
  assert.deepEqual(await run('read_changing', 'select * from changing'), [])
})

test('read-only, rejected or missing databases and mixed-up sessions are unavailable, data errors are not', () => {
  const withState = (code: string): Error => Object.assign(new Error('some words'), { code })
  for (const state of ['25006', '25P03', '26000', '28P01', '28000', '3D000', '42P05', '57P01', '53300', '58030'])
    assert.equal(isDatabaseUnavailable(withState(state)), true, state)
  for (const state of ['23505', '25001', '40P01', '42P01', '22001', '55P03'])
    assert.equal(isDatabaseUnavailable(withState(state)), false, state)
})

test('an unrelated error never counts as a database error', () => {
  for (const code of ['ENOENT', 'ETIMEDOUT', 'ECONNREFUSED'])
    assert.equal(isDatabaseUnavailable(Object.assign(new Error(`${code}: Connection terminated`), { code })), false)
})

test('no statement of the pool is compiled, whatever its estimated cost', async (t) => {
  const db = openDb({ url: await fileDatabase(), poolSize: 1 })
  t.after(() => db.close())
  assert.deepEqual(await db.row({ name: 'show_jit', text: 'show jit' }, []), { jit: 'off' })
})
