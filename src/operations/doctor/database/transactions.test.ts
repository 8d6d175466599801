import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, after, before, test } from 'node:test'
import { Client } from 'pg'
import { fileDatabase } from '../../../../test/database/database.ts'
import { lockInAnotherSession } from '../../../../test/faults/lock-in-another-session.ts'
import { newEvent } from '../../../../test/database/events.ts'
import {
  createDatabase,
  dropDatabase,
  ownerUrlOf,
  serverUrl,
  withConnection,
} from '../../../../test/database/postgres.ts'
import { openTestSeal } from '../../../../test/database/seal.ts'
import { waitFor } from '../../../../test/world/wait-for.ts'
import { MINUTE_MS, later, systemClock } from '../../../lib/clock.ts'
import { type Db, openDb } from '../../../lib/db/pool.ts'
import { type HeldEvents, findHeldEvents } from '../../../events/held.ts'
import { recordEvents } from '../../../events/record.ts'
import { createWorkspace } from '../../../workspaces/workspaces.ts'
import type { NewFinding } from '../finding.ts'
import { findLockedTables, checkHeldEvents } from './transactions.ts'

let db: Db
const otherDatabase = `other_${randomUUID().replaceAll('-', '')}`

before(async () => {
  db = openDb({ url: await fileDatabase(), poolSize: 3 })
  await openTestSeal(db) // creates the row of the instance
  await createDatabase(serverUrl(), otherDatabase)
})
after(async () => {
  await db.close()
  await dropDatabase(serverUrl(), otherDatabase)
})

async function recordEvent(): Promise<void> {
  const { workspaceId } = await createWorkspace(db, systemClock, { name: 'held', sandbox: true })
  await recordEvents(db, new Date(), [newEvent(workspaceId)])
}

/** Other tests on the server have transactions, too: waits until this one is the oldest. */
const untilOldest = (isOurs: (transaction: NonNullable<HeldEvents['transaction']>) => boolean): Promise<HeldEvents> =>
  waitFor('the transaction to be the oldest', async () => {
    const held = await findHeldEvents(db, later(new Date(), 2 * MINUTE_MS))
    return held.transaction && isOurs(held.transaction) && held.number > 0 && held
  })

/** A session in a database that is not Doorcode's. */
async function openElsewhere(t: TestContext): Promise<Client> {
  const session = new Client({ connectionString: ownerUrlOf(otherDatabase), application_name: 'importer' })
  await session.connect()
  t.after(() => session.end())
  return session
}

test('a transaction that was left open in another database is named with the events that it holds', async (t) => {
  const session = await openElsewhere(t)
  await session.query('begin')
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid, pg_current_xact_id()')
  await recordEvent()
  const held = await untilOldest(({ pid }) => pid === rows[0]?.pid)
  assert.deepEqual(checkHeldEvents({ ...held, heldMs: MINUTE_MS }), [], 'a short transaction is no problem')
  const [found] = checkHeldEvents(held)
  assert.ok(found?.code === 'events_held')
  const { database, pid, program, state, number } = found
  assert.deepEqual(
    { database, pid, program, state },
    {
      database: otherDatabase,
      pid: String(rows[0]?.pid),
      program: { code: 'text', text: 'importer' },
      state: { code: 'text', text: 'idle in transaction' },
    },
  )
  assert.ok(Number(number) > 0)
})

test('a forgotten prepared transaction is named with the command that ends it', async (t) => {
  const session = await openElsewhere(t)
  const gid = `it's ${randomUUID()}`
  await session.query(`begin; select pg_current_xact_id(); prepare transaction '${gid.replace("'", "''")}'`)
  await recordEvent()
  const [found] = checkHeldEvents(await untilOldest((transaction) => transaction.gid === gid))
  assert.ok(found?.code === 'events_held_by_prepared')
  assert.deepEqual([found.gid, found.database], [gid, otherDatabase])
  assert.ok(typeof found.rollback === 'string')
  await session.query(found.rollback)
  await waitFor(
    'the events to be readable',
    async () => (await findHeldEvents(db, new Date())).transaction?.gid !== gid,
  )
})

const lockersOf = async (sql: Db, options: Parameters<typeof findLockedTables>[1]): Promise<NewFinding[]> =>
  (await findLockedTables(sql, options)).filter((found) => 'tables' in found && found.tables === 'webhook_deliveries')

test('a session that has locked a table of work is named, and a reader is not', async (t) => {
  const WORK = 'select from webhook_deliveries where $1::uuid is null'
  await lockInAnotherSession(t, db, WORK, randomUUID())
  assert.deepEqual(await lockersOf(db, { minMs: 0 }), [])
  const release = await lockInAnotherSession(t, db, `${WORK} for no key update`, randomUUID())
  const [found] = await lockersOf(db, { minMs: 0 })
  assert.ok(found?.code === 'tables_locked')
  assert.deepEqual(found.state, { code: 'text', text: 'idle in transaction' })
  assert.deepEqual(await lockersOf(db, {}), [], 'its transaction is young')
  await release()
  assert.deepEqual(await lockersOf(db, { minMs: 0 }), [])
})

test('a prepared transaction that has locked a table of work is named', async (t) => {
  const gid = randomUUID()
  await withConnection(db.url, async (connection) => {
    await connection.query(`begin; lock table webhook_deliveries in share mode; prepare transaction '${gid}'`)
  })
  t.after(() => withConnection(db.url, (connection) => connection.query(`rollback prepared '${gid}'`)))
  const [found] = await lockersOf(db, { minMs: 0 })
  assert.ok(found?.code === 'tables_locked_by_prepared' && found.gid === gid)
})

test('a database user without privileges finds the session of another user that keeps a table locked', async (t) => {
  const role = `plain_${randomUUID().replaceAll('-', '')}`
  await withConnection(serverUrl(), (connection) => connection.query(`create role ${role} login password 'plain'`))
  const url = new URL(db.url)
  Object.assign(url, { username: role, password: 'plain' })
  const plain = openDb({ url: url.href, poolSize: 1 })
  t.after(async () => {
    await plain.close()
    await withConnection(serverUrl(), (connection) => connection.query(`drop role ${role}`))
  })
  const release = await lockInAnotherSession(
    t,
    db,
    'select from webhook_deliveries where $1::uuid is null for share',
    randomUUID(),
  )
  const [found] = await lockersOf(plain, { lookAgainMs: 1 })
  assert.ok(found?.code === 'tables_locked')
  assert.deepEqual([found.state, found.duration], [{ code: 'doctor.unknown' }, { code: 'doctor.unknown' }])
  assert.ok(typeof found.pid === 'string' && /^\d+$/.test(found.pid))
  await release()
  assert.deepEqual(await lockersOf(plain, { lookAgainMs: 1 }), [])
})
