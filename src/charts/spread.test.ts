import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../clock.ts'
import { LATENCY_BOUNDS_MS, percentile } from './spread.ts'

/** As the database sorts spans into buckets. */
const spreadOfSpans = (spans: readonly number[]): number[] => {
  const spread = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0)
  for (const span of spans) {
    const bucket = LATENCY_BOUNDS_MS.filter((bound) => bound <= span).length
    spread[bucket] = (spread[bucket] ?? 0) + 1
  }
  return spread
}

const near = (actual: number | undefined, expected: number): void => {
  assert.ok(actual !== undefined && Math.abs(actual - expected) <= expected * 0.2, `${actual} is not near ${expected}`)
}

test('a percentile read from buckets is wrong by a fifth at the most, over minutes and over weeks', () => {
  for (const unit of [SECOND_MS, MINUTE_MS, DAY_MS / 5]) {
    const spans = Array.from({ length: 100 }, (_, n) => (n + 1) * unit)
    near(percentile(spreadOfSpans(spans), 0.5), 50 * unit)
    near(percentile(spreadOfSpans(spans), 0.95), 95 * unit)
  }
})

test('one slow message in twenty does not move the median', () => {
  const spans = [...Array.from({ length: 19 }, () => 3 * SECOND_MS), DAY_MS]
  near(percentile(spreadOfSpans(spans), 0.5), 3 * SECOND_MS)
  near(percentile(spreadOfSpans([...spans, DAY_MS, DAY_MS]), 0.95), DAY_MS)
})

test('what took less than a second, or was told before it happened, is below a second', () => {
  assert.ok((percentile(spreadOfSpans([0, 10, -500]), 0.95) ?? SECOND_MS) <= SECOND_MS)
})

test('what took longer than a month counts as a month, and of nothing nothing is known', () => {
  const month = LATENCY_BOUNDS_MS.at(-1) ?? 0
  assert.ok(month >= 30 * DAY_MS)
  assert.ok((percentile(spreadOfSpans([90 * DAY_MS]), 0.5) ?? 0) >= 29 * DAY_MS)
  assert.equal(percentile(spreadOfSpans([]), 0.5), undefined)
})
