import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS, spanOf } from './clock.ts'

test('a span is shown in its two largest units', () => {
  assert.equal(spanOf(DAY_MS + 2 * HOUR_MS + 5 * MINUTE_MS, 'en'), '1 day 2 hours')
  assert.equal(spanOf(2 * HOUR_MS, 'en'), '2 hours')
  assert.equal(spanOf(400, 'en'), '0 seconds')
})
