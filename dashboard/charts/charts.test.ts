import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, namedDays, roundTicks } from './numbers.ts'
import { rangeOf, readChartSearch } from './search.ts'

test('a number changes in percent, and a share in points', () => {
  assert.deepEqual(changeOf(150, 100), { kind: 'percent', by: 0.5 })
  assert.deepEqual(changeOf({ part: 30, whole: 40 }, { part: 10, whole: 20 }), { kind: 'points', by: 25 })
})

test('no value is compared with a span that has fewer than 20', () => {
  assert.equal(changeOf(50, undefined), undefined)
  assert.equal(changeOf(50, 0), undefined)
  assert.equal(changeOf(50, 19), undefined)
  assert.deepEqual(changeOf(10, 20), { kind: 'percent', by: -0.5 })
  assert.equal(changeOf({ part: 10, whole: 20 }, { part: 10, whole: 19 }), undefined)
  assert.equal(changeOf({ part: 10, whole: 19 }, { part: 10, whole: 20 }), undefined)
})

test('an axis has at most six round labels, from 0 to the highest value or above it', () => {
  assert.deepEqual(roundTicks(380), [0, 100, 200, 300, 400])
  assert.deepEqual(roundTicks(67), [0, 20, 40, 60, 80])
  assert.deepEqual(roundTicks(1), [0, 1])
  assert.deepEqual(roundTicks(0), [0, 1])
  for (let highest = 1; highest < 100_000; highest = Math.ceil(highest * 1.07)) {
    const ticks = roundTicks(highest)
    const step = ticks[1] ?? 0
    assert.ok(ticks.length <= 6 && ticks.every(Number.isInteger), `${highest}: ${ticks.join()}`)
    assert.ok((ticks.at(-1) ?? 0) >= highest && (ticks.at(-2) ?? 0) < highest, `${highest}: ${ticks.join()}`)
    assert.match(String(step), /^(?:[125]|25)0*$/)
  }
})

test('an axis names at most seven days, always the last', () => {
  const days = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
  assert.deepEqual(namedDays(days(7), 20), days(7))
  assert.deepEqual(namedDays(days(30), 20), [5, 10, 15, 20, 25, 30])
  assert.deepEqual(namedDays(days(90), 20), [6, 20, 34, 48, 62, 76, 90])
  assert.deepEqual(namedDays(days(30), 3), [2, 16, 30])
  assert.deepEqual(namedDays(days(1), 0), [1])
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
