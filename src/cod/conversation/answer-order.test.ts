import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, later } from '../../lib/clock.ts'
import { answerOrder } from './answer-order.ts'

const NOON = new Date('2026-11-20T12:00:00.000Z')
const at = (ms: number): Date => later(NOON, ms)
const order = (occurredAt: Date | null, receivedAt: Date, id = 'b'): string =>
  answerOrder({ id, occurred_at: occurredAt, received_at: receivedAt })

test('the provider’s second decides before the arrival', () => {
  assert.ok(order(at(0), at(DAY_MS)) < order(at(1_000), at(1_200)))
  assert.ok(order(at(0), at(DAY_MS)) < order(at(1_000), at(-5_000)), 'our clock is behind')
})

test('within one second the arrival decides, then the report’s id', () => {
  assert.ok(order(at(0), at(700)) < order(at(0), at(701)))
  assert.ok(order(at(0), at(700), 'a') < order(at(0), at(700), 'b'))
})

test('a message without a time gets the time of its arrival', () => {
  assert.ok(order(at(0), at(DAY_MS)) < order(null, at(1_500)))
  assert.ok(order(null, at(1_500)) < order(at(2_000), at(1_800)))
})

test('a time in the far future does not outlast every later answer', () => {
  const wrong = order(later(NOON, 365 * DAY_MS), at(0))
  assert.ok(wrong < order(at(2_000), at(2_500)))
})
