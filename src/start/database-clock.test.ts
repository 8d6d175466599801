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

const databaseAt = (nowMs: () => number): Sql => ({
  rows: async <Row>() => [{ now: new Date(nowMs()) } as Row],
  row: async <Row>() => ({ now: new Date(nowMs()) }) as Row,
})
