import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spanText } from './span.ts'

test('a span is shown in its largest unit', () => {
  assert.equal(spanText(340, 'en'), '340 ms')
  assert.equal(spanText(2_540, 'en'), '2.5 sec')
  assert.equal(spanText(3 * 3_600_000, 'en'), '3 hr')
})
