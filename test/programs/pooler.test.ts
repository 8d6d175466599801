import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { findPoolerProblems } from '../../src/lib/db/pooler.ts'
import { openDb } from '../../src/lib/db/pool.ts'
import { openDatabase } from '../../src/runtime/start/database.ts'
import { StartupError } from '../../src/lib/errors.ts'
import { fileDatabase } from '../database/database.ts'
import { PGBOUNCER, startPgBouncer } from '../faults/pgbouncer.ts'
import { withConnection } from '../database/postgres.ts'
import { startTransactionPooler } from '../faults/transaction-pooler.ts'
import { waitFor } from '../world/wait-for.ts'
import { startWorld } from '../world/world.ts'

const skip = PGBOUNCER === undefined && 'Debian’s package pgbouncer is not installed'

const SOUND = { sharesSessions: false, reusesSessions: false, lostSettings: [] }

const SESSIONS = /uses transaction or statement pooling.*"pool_mode = session"/

async function assertRejected(databaseUrl: string, message: RegExp, connections = 0): Promise<void> {
  const config = { databaseUrl, dataDir: '/nonexistent', databasePool: 2 }
  const opening = openDatabase({ config, connections, log: pino({ level: 'silent' }), timeoutMs: 0 })
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof StartupError, String(error))
    assert.match(error.message, message)
    return true
  })
}

function openTestDb(t: TestContext, url: string) {
  const db = openDb({ url, poolSize: 1 })
  t.after(() => db.close())
  return db
}

test('a pooler in transaction mode is rejected before anything is served', async () => {
  using pooler = await startTransactionPooler(await fileDatabase())
  await assertRejected(pooler.url, SESSIONS)
})

test('a connection setting that has no effect is named', async (t) => {
  const db = openTestDb(t, await fileDatabase())
  assert.deepEqual(await findPoolerProblems(db), SOUND)
  await db.rows({ name: 'lose_settings', text: 'reset all' })
  const { lostSettings } = await findPoolerProblems(db)
  const lost = ['lock_timeout', 'plan_cache_mode', 'statement_timeout'].filter((name) => lostSettings.includes(name))
  assert.equal(lost.length, 3, lostSettings.join())
})

test('PgBouncer in session mode keeps every setting of a connection', { skip }, async (t) => {
  const pgbouncer = await startPgBouncer(await fileDatabase(), { poolMode: 'session' })
  t.after(() => pgbouncer.stop())
  assert.deepEqual(await findPoolerProblems(openTestDb(t, pgbouncer.url)), SOUND)
})

test('PgBouncer with fewer server connections than startup needs is rejected', { skip }, async (t) => {
  const settings = { default_pool_size: '6' }
  const pgbouncer = await startPgBouncer(await fileDatabase(), { poolMode: 'session', settings })
  t.after(() => pgbouncer.stop())
  const message = /may use 17 .* only 6 could be opened \(no connection within 3500 ms\)\. Raise .* default_pool_size/
  await assertRejected(pgbouncer.url, message, 17)
})

for (const poolMode of ['transaction', 'statement'] as const)
  test(`PgBouncer in ${poolMode} mode is rejected with the mode to set`, { skip }, async (t) => {
    const pgbouncer = await startPgBouncer(await fileDatabase(), { poolMode })
    t.after(() => pgbouncer.stop())
    await assertRejected(pgbouncer.url, SESSIONS)
  })

test('PgBouncer in transaction mode is rejected even with server_round_robin', { skip }, async (t) => {
  const settings = { server_round_robin: '1' }
  const pgbouncer = await startPgBouncer(await fileDatabase(), { poolMode: 'transaction', settings })
  t.after(() => pgbouncer.stop())
  for (const servers of [2, 3]) {
    await openServers(pgbouncer.url, servers)
    await assertRejected(pgbouncer.url, SESSIONS)
  }
})

/** Concurrent transactions each need their own server process. */
async function openServers(url: string, count: number): Promise<void> {
  if (count === 0) return
  await withConnection(url, async (connection) => {
    await connection.query('begin')
    await openServers(url, count - 1)
    await connection.query('rollback')
  })
}

test('PgBouncer that does not reset sessions is rejected with the setting to change', { skip }, async (t) => {
  const pgbouncer = await startPgBouncer(await fileDatabase(), {
    poolMode: 'session',
    settings: { server_reset_query: '' },
  })
  t.after(() => pgbouncer.stop())
  const former = openDb({ url: pgbouncer.url, poolSize: 1 })
  await former.rows({ name: 'prepared_by_another_process', text: 'select 1' })
  await former.close()
  await assertRejected(pgbouncer.url, /"server_reset_query = DISCARD ALL"/)
})

test('a code is sent and its webhook delivered by a node behind PgBouncer', { skip }, async (t) => {
  const world = await startWorld(t, { works: false })
  const pgbouncer = await startPgBouncer(world.databaseUrl, { poolMode: 'session' })
  t.after(() => pgbouncer.stop())
  const receiver = await world.receiver()
  await world.node({ databaseUrl: pgbouncer.url, works: true })
  const sent = await world.sendOtp()
  await world.whatsapp.reports(sent, ['sent'])
  assert.deepEqual(
    receiver.received.map(({ event }) => [event.type, event.data.messageId]),
    [['message.sent', sent.messageId]],
  )
})

/** The requirement, from the moment when the mode is right again. */
const RECOVERED_WITHIN_MS = 5_000
const REQUESTS_AT_A_TIME = 12
/** Many times the connections of the node: none that was mixed up is left. */
const ROUNDS = 20

test('a node recovers within 5 s after the mode of PgBouncer is changed back', { skip }, async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const pgbouncer = await startPgBouncer(world.databaseUrl, { poolMode: 'session' })
  t.after(() => pgbouncer.stop())
  const node = await world.node({ databaseUrl: pgbouncer.url, works: true })
  world.setCallback(node.url)
  const receiver = await world.receiver()
  const post = async () =>
    (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody(), url: node.url })).status
  const postMany = () => Promise.all(Array.from({ length: REQUESTS_AT_A_TIME }, post))
  const isReady = async () => (await fetch(`${node.url}/readyz`)).ok

  const works = async () => (await isReady()) && (await postMany()).every((status) => status === 202)
  assert.ok(await works())
  await pgbouncer.setPoolMode('transaction')
  await waitFor('sessions to be mixed up', async () => {
    await Promise.all([postMany(), openServers(pgbouncer.url, REQUESTS_AT_A_TIME)])
    return node.logLines.some((line) => /"errorCode":"(26000|42P05)"/.test(line))
  })
  await pgbouncer.setPoolMode('session')
  const repairedAt = performance.now()
  let failedAt = repairedAt
  let inARow = 0
  await waitFor('the node to work', async () => {
    if (await works()) return ++inARow === ROUNDS
    failedAt = performance.now()
    inARow = 0
    return false
  })
  assert.ok(failedAt - repairedAt < RECOVERED_WITHIN_MS, `${failedAt - repairedAt} ms`)
  const sent = await world.sendOtp({}, { url: node.url })
  await world.whatsapp.reports(sent, ['sent'])
  assert.ok(receiver.received.some(({ event }) => event.data.messageId === sent.messageId))
})
