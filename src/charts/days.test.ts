import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysBetween } from './days.ts'

test('the days up to the last day with a four-digit year end there', () => {
  assert.deepEqual(daysBetween('9999-12-30', '9999-12-31'), ['9999-12-30', '9999-12-31'])
  assert.deepEqual(daysBetween('2026-11-25', '2026-11-24'), [])
})
