import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf } from './numbers.ts'
import { rangeOf, readChartSearch } from './search.ts'

test('a number changes in percent, and a share in points', () => {
  assert.deepEqual(changeOf(150, 100), { kind: 'percent', by: 0.5 })
  assert.deepEqual(changeOf({ part: 3, whole: 4 }, { part: 1, whole: 2 }), { kind: 'points', by: 25 })
})

test('no value is compared with a span without data', () => {
  assert.equal(changeOf(5, undefined), undefined)
  assert.equal(changeOf(5, 0), undefined)
  assert.equal(changeOf({ part: 1, whole: 2 }, { part: 0, whole: 0 }), undefined)
})

test('an address gives days or a span, and invalid values are ignored', () => {
  assert.deepEqual(readChartSearch({ days: '7', language: 'ar', template: ' a ' }), {
    days: 7,
    language: 'ar',
    template: 'a',
  })
  assert.deepEqual(readChartSearch({ days: 8, from: '2026-11-01', senderId: {} }), {})
  assert.deepEqual(readChartSearch({ from: '2026-02-01', to: '2026-02-31', senderId: 'mine' }), {})
  assert.deepEqual(readChartSearch({ days: 7, from: '2026-11-01', to: '2026-11-09' }), {
    from: '2026-11-01',
    to: '2026-11-09',
  })
})

test('without a choice a month is shown', () => {
  assert.deepEqual(rangeOf({}), { last: 30 })
  assert.deepEqual(rangeOf({ days: 90 }), { last: 90 })
  assert.deepEqual(rangeOf({ from: '2026-11-01', to: '2026-11-09' }), { from: '2026-11-01', to: '2026-11-09' })
})
