import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../lib/clock.ts'
import { endOfMonth, forecast, paceOf } from './usage.ts'

const at = (text: string): Date => new Date(text)
const mid = at('2026-11-10T00:00:00Z')
const aDay = (units: number) => ({ units: units * 7, overMs: 7 * DAY_MS })

test('a quota that runs out this month names the instant', () => {
  const quota = { monthlyUnits: 1_000, used: 900, now: mid }
  assert.deepEqual(forecast(quota, aDay(50)), { will: 'runs_out', at: at('2026-11-12T00:00:00Z') })
})

test('a quota that would run out as the next month begins lasts', () => {
  const left = 21 * 10
  const quota = { monthlyUnits: 1_000, used: 1_000 - left, now: mid }
  assert.equal(endOfMonth(mid).toISOString(), '2026-12-01T00:00:00.000Z')
  assert.deepEqual(forecast(quota, aDay(10)), { will: 'lasts' })
  assert.equal(forecast({ ...quota, used: quota.used + 1 }, aDay(10)).will, 'runs_out')
})

test('the month is in UTC, also at the end of a year', () => {
  const now = at('2026-12-31T23:00:00Z')
  const quota = { monthlyUnits: 24, used: 0, now }
  assert.deepEqual(forecast(quota, aDay(24)), { will: 'lasts' })
  assert.deepEqual(forecast(quota, aDay(24 * 60)), { will: 'runs_out', at: at('2026-12-31T23:24:00Z') })
})

test('a used-up quota and a quota of zero are out', () => {
  for (const used of [1_000, 1_200]) {
    assert.deepEqual(forecast({ monthlyUnits: 1_000, used, now: mid }, aDay(0)), { will: 'is_out' })
  }
  assert.deepEqual(forecast({ monthlyUnits: 0, used: 0, now: mid }, aDay(0)), { will: 'is_out' })
})

test('no use, or less than a day of it, gives no forecast', () => {
  const quota = { monthlyUnits: 1_000, used: 10, now: mid }
  assert.deepEqual(forecast(quota, aDay(0)), { will: 'is_unused' })
  assert.deepEqual(forecast(quota, { units: 900, overMs: 23 * HOUR_MS }), { will: 'is_too_early' })
})

test('the slowest pace and the largest quota still give a forecast', () => {
  const quota = { monthlyUnits: 2_147_483_647, used: 0, now: mid }
  assert.deepEqual(forecast(quota, { units: 1, overMs: 7 * DAY_MS }), { will: 'lasts' })
})

test('the pace counts units of the last seven days across months', () => {
  const later = at('2026-11-20T00:00:00Z')
  const first = { unit: 401, at: at('2026-11-13T02:00:00Z') }
  assert.deepEqual(paceOf({ used: 500, usedLastMonth: 900, usedEarlier: true, first }, later), aDay(100 / 7))
  const now = at('2026-11-03T00:00:00Z')
  const lastMonth = { unit: 851, at: at('2026-10-27T01:00:00Z') }
  assert.deepEqual(paceOf({ used: 20, usedLastMonth: 900, usedEarlier: true, first: lastMonth }, now), aDay(10))
})

test('the pace of a new quota counts from its first use', () => {
  const first = { unit: 1, at: at('2026-11-09T12:00:00Z') }
  const young = paceOf({ used: 30, usedLastMonth: 0, usedEarlier: false, first }, mid)
  assert.deepEqual(young, { units: 30, overMs: 12 * HOUR_MS })
  const known = paceOf({ used: 30, usedLastMonth: 5, usedEarlier: true, first }, mid)
  assert.deepEqual(known, { units: 30, overMs: 7 * DAY_MS })
})

test('no use in the last seven days is a pace of zero', () => {
  assert.equal(paceOf({ used: 30, usedLastMonth: 0, usedEarlier: false, first: undefined }, mid).units, 0)
})
