import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { LATENCY_BOUNDS_MS, percentile } from './histogram.ts'

/** Sorts durations into buckets like the database. */
const histogramOf = (durations: readonly number[]): number[] => {
  const histogram = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0)
  for (const duration of durations) {
    const bucket = LATENCY_BOUNDS_MS.filter((bound) => bound <= duration).length
    histogram[bucket] = (histogram[bucket] ?? 0) + 1
  }
  return histogram
}

const near = (actual: number | undefined, expected: number): void => {
  assert.ok(actual !== undefined && Math.abs(actual - expected) <= expected * 0.2, `${actual} is not near ${expected}`)
}

test('a percentile from buckets is at most 20 % off, for minutes and weeks', () => {
  for (const unit of [SECOND_MS, MINUTE_MS, DAY_MS / 5]) {
    const durations = Array.from({ length: 100 }, (_, n) => (n + 1) * unit)
    near(percentile(histogramOf(durations), 0.5), 50 * unit)
    near(percentile(histogramOf(durations), 0.95), 95 * unit)
  }
})

test('one slow message in twenty does not change the median', () => {
  const durations = [...Array.from({ length: 19 }, () => 3 * SECOND_MS), DAY_MS]
  near(percentile(histogramOf(durations), 0.5), 3 * SECOND_MS)
  near(percentile(histogramOf([...durations, DAY_MS, DAY_MS]), 0.95), DAY_MS)
})

test('durations below a second, even negative ones, fall in the first bucket', () => {
  assert.ok((percentile(histogramOf([0, 10, -500]), 0.95) ?? SECOND_MS) <= SECOND_MS)
})

test('durations over a month count as a month; no data has no percentile', () => {
  const month = LATENCY_BOUNDS_MS.at(-1) ?? 0
  assert.ok(month >= 30 * DAY_MS)
  assert.ok((percentile(histogramOf([90 * DAY_MS]), 0.5) ?? 0) >= 29 * DAY_MS)
  assert.equal(percentile(histogramOf([]), 0.5), undefined)
})
