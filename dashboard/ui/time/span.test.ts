import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spanText } from './span.ts'

test('a span is shown in its largest unit', () => {
  assert.equal(spanText(340, 'en'), '340 ms')
  assert.equal(spanText(2_540, 'en'), '2.5 sec')
  assert.equal(spanText(3 * 3_600_000, 'en'), '3 hr')
})

test('a span in Arabic has its unit in full', () => {
  assert.deepEqual(
    [4, 4_000, 5 * 60_000, 3_600_000].map((ms) => spanText(ms, 'ar')),
    ['4 ملي ثانية', '4 ثوان', '5 دقائق', 'ساعة'],
  )
})
