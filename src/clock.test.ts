import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseClock, HOUR_MS } from './clock.ts'
import type { Sql } from './db.ts'

test('a node whose own clock is an hour off has the time of the database', async () => {
  const clock = await databaseClock(databaseAt(() => Date.now() - HOUR_MS))
  clock.stop()
  const offByMs = clock.now().getTime() - (Date.now() - HOUR_MS)
  assert.ok(Math.abs(offByMs) < 1_000, `${offByMs} ms off`)
})

const databaseAt = (nowMs: () => number): Sql => ({
  rows: async <Row>() => [{ now: new Date(nowMs()) } as Row],
  row: async <Row>() => ({ now: new Date(nowMs()) }) as Row,
})
