import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '../clock.ts'
import { createDatabaseClock } from './database-clock.ts'
import type { Sql } from '../db/pool.ts'

test('a node whose clock is an hour off uses the database’s time', async () => {
  const clock = await createDatabaseClock(databaseAt(() => Date.now() - HOUR_MS))
  clock.stop()
  const offByMs = clock.now().getTime() - (Date.now() - HOUR_MS)
  assert.ok(Math.abs(offByMs) < 1_000, `${offByMs} ms off`)
})

test('after a failover to a server with another clock, the time is the new server’s', async () => {
  let aheadMs = 0
  const clock = await createDatabaseClock(databaseAt(() => Date.now() + aheadMs))
  clock.stop()
  aheadMs = HOUR_MS
  await clock.measureAgain()
  const offByMs = clock.now().getTime() - (Date.now() + HOUR_MS)
  assert.ok(Math.abs(offByMs) < 1_000, `${offByMs} ms off`)
})

test('a measurement that fails keeps the last one', async () => {
  let fails = false
  const clock = await createDatabaseClock(
    databaseAt(() => {
      if (fails) throw new Error('gone')
      return Date.now() - HOUR_MS
    }),
  )
  clock.stop()
  fails = true
  await clock.measureAgain()
  const offByMs = clock.now().getTime() - (Date.now() - HOUR_MS)
  assert.ok(Math.abs(offByMs) < 1_000, `${offByMs} ms off`)
})

const databaseAt = (nowMs: () => number): Sql => ({
  rows: async <Row>() => [{ now: new Date(nowMs()) } as Row],
  row: async <Row>() => ({ now: new Date(nowMs()) }) as Row,
})
