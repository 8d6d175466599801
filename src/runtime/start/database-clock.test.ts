import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { waitFor } from '../../../test/world/wait-for.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { createDatabaseClock } from './database-clock.ts'
import type { Sql } from '../../lib/db/pool.ts'

test('a node whose clock is an hour off uses the database’s time', async (t) => {
  const clock = await start(t, () => Date.now() - HOUR_MS)
  const offByMs = clock.now().getTime() - (Date.now() - HOUR_MS)
  assert.ok(Math.abs(offByMs) < 1_000, `${offByMs} ms off`)
})

test('after a failover to a server with another clock, the time is the new server’s', async (t) => {
  let aheadMs = 0
  let failures = 0
  const clock = await start(t, () => {
    if ((failures -= 1) >= 0) throw new Error('the new server still rejects connections')
    return Date.now() + aheadMs
  })
  aheadMs = HOUR_MS
  failures = 3
  await clock.measureAgain()
  const offByMs = clock.now().getTime() - (Date.now() + HOUR_MS)
  assert.ok(Math.abs(offByMs) < 1_000, `${offByMs} ms off`)
})

test('a database whose clock was set is followed as soon as it reports its time', async (t) => {
  let aheadMs = 0
  const clock = await start(t, () => Date.now() + aheadMs)
  aheadMs = HOUR_MS
  clock.follow(new Date(Date.now() + HOUR_MS))
  await waitFor('the new time', () => Math.abs(clock.now().getTime() - (Date.now() + HOUR_MS)) < 1_000)
})

test('measurements that all fail keep the last one', async (t) => {
  let fails = false
  const clock = await start(t, () => {
    if (fails) throw new Error('gone')
    return Date.now() - HOUR_MS
  })
  fails = true
  await clock.measureAgain()
  const offByMs = clock.now().getTime() - (Date.now() - HOUR_MS)
  assert.ok(Math.abs(offByMs) < 1_000, `${offByMs} ms off`)
})

const start = async (t: TestContext, nowMs: () => number) => {
  const clock = await createDatabaseClock(databaseAt(nowMs), { retryMs: 1 })
  t.after(() => clock.stop())
  return clock
}

const databaseAt = (nowMs: () => number): Sql => ({
  rows: async <Row>() => [{ now: new Date(nowMs()) } as Row],
  row: async <Row>() => ({ now: new Date(nowMs()) }) as Row,
})
