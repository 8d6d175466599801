import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { cuttable } from '../test/cuttable.ts'
import { fileDatabase } from '../test/database.ts'
import { isDatabaseUnavailable, openDb } from './db.ts'

test('a database whose name does not resolve counts as one that cannot be reached', async (t) => {
  const db = openDb({ url: 'postgres://user:word@database.invalid:5432/doorcode', poolSize: 2 })
  t.after(() => db.close())
  await assert.rejects(db.rows({ name: 'any', text: 'select 1' }), isDatabaseUnavailable)
})

const ONE = { name: 'one', text: 'select 1 as one' }
const LOCK = { name: 'lock', text: 'select pg_advisory_xact_lock(1)' }

/** One connection alone: if it is kept after a fault, the next statement meets it. */
async function behindStalling(t: TestContext) {
  const way = await cuttable(await fileDatabase())
  const db = openDb({ url: way.url, poolSize: 1, queryTimeoutMs: 250 })
  t.after(async () => {
    await way.close() // first: what still waits for an answer would hold up the end of the pool
    await db.close()
  })
  await db.rows(ONE)
  return { way, db }
}

test('a statement on a connection that fell silent ends as "unavailable", and the next one gets another connection', {
  timeout: 10_000,
}, async (t) => {
  const { way, db } = await behindStalling(t)
  way.stall()
  await assert.rejects(db.rows(ONE), isDatabaseUnavailable)
  way.mend()
  assert.deepEqual(await db.rows(ONE), [{ one: 1 }])
})

test('a transaction on a connection that fell silent ends as "unavailable", and the next one gets another connection', {
  timeout: 10_000,
}, async (t) => {
  const { way, db } = await behindStalling(t)
  const stalled = db.transaction(async (tx) => {
    way.stall()
    await tx.rows(ONE)
  })
  await assert.rejects(stalled, isDatabaseUnavailable)
  way.mend()
  assert.deepEqual(await db.transaction((tx) => tx.rows(ONE)), [{ one: 1 }])
})

test('a process that stands still inside a transaction stops holding its locks, and finds the database "unavailable" when it goes on', {
  timeout: 10_000,
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

test('a database that only reads, refuses the user or has gone for a restore counts as unavailable, a fault of data does not', () => {
  const withState = (code: string): Error => Object.assign(new Error('some words'), { code })
  for (const state of ['25006', '25P03', '28P01', '28000', '3D000', '57P01', '53300', '58030'])
    assert.equal(isDatabaseUnavailable(withState(state)), true, state)
  for (const state of ['23505', '25001', '40P01', '42P01', '22001'])
    assert.equal(isDatabaseUnavailable(withState(state)), false, state)
})
