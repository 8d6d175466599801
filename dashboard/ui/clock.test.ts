import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aheadText, nearTime, rangeText, spanText, workspaceClock } from './clock.ts'

const HOUR = 3_600_000
const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 22, 0) + hour * HOUR)

/** Moved at 10:00 by a day, and at 12:00 by three hours. One hour is of moves that are no longer listed. */
const clock = workspaceClock({
  clockOffsetMs: 28 * HOUR,
  clockMoves: [
    { at: at(10).getTime(), byMs: 24 * HOUR },
    { at: at(12).getTime(), byMs: 3 * HOUR },
  ],
})

test('a past instant shows what the workspace’s clock showed then', () => {
  const shownAt = (hour: number): Date => clock.read(at(hour), 'past').shown
  assert.deepEqual([9, 10, 11, 13].map(shownAt), [at(10), at(35), at(36), at(41)])
})

test('a due instant follows every move', () => {
  assert.deepEqual(clock.read(at(14), 'due'), { shown: at(42), real: at(14) })
})

test('a time of the workspace stays, and its real instant is found', () => {
  const realOf = (hour: number): Date => clock.read(at(hour), 'workspace').real
  assert.deepEqual([10, 36, 41].map(realOf), [at(9), at(11), at(13)])
  assert.deepEqual(realOf(20), at(10), 'skipped by the move at 10:00')
  assert.deepEqual(clock.read(at(36), 'workspace').shown, at(36))
})

const paris = { language: 'en', timeZone: 'Europe/Paris' }

test('a time of the last day is an age that is never overstated', () => {
  const ago = (seconds: number): string => nearTime(new Date(-seconds * 1_000), new Date(0), paris)
  assert.deepEqual([20, 60, 119, 7_199, 86_399].map(ago), [
    'now',
    '1 min. ago',
    '1 min. ago',
    '1 hr. ago',
    '23 hr. ago',
  ])
  assert.equal(nearTime(new Date(180_000), new Date(0), paris), 'in 3 min.')
})

test('a time of another day is a date and an hour of the zone, with the year if it is another', () => {
  assert.equal(nearTime(at(-24), at(0), paris), 'Nov 21, 01:00')
  assert.equal(nearTime(at(24), at(0), { ...paris, language: 'fr' }), '23 nov., 01:00')
  assert.equal(nearTime(at(-365 * 24), at(0), paris), 'Nov 22, 2025, 01:00')
})

test('a clock’s lead is named by its two largest units', () => {
  const leads = [27 * HOUR, 26.5 * HOUR, 24 * HOUR, HOUR / 2, 10].map((ms) => aheadText(ms, 'en'))
  assert.deepEqual(leads, ['1d 3h', '1d 2h', '1d', '30m', '0m'])
  assert.equal(aheadText(27 * HOUR, 'ar'), 'يوم و3 ساعات')
})

test('a span is shown in its largest unit', () => {
  assert.equal(spanText(340, 'en'), '340 ms')
  assert.equal(spanText(2_540, 'en'), '2.5 sec')
  assert.equal(spanText(3 * 3_600_000, 'en'), '3 hr')
})

test('a range of spans has the unit of its start', () => {
  assert.equal(rangeText(0, 5 * 60_000, 'en'), '0–5 min')
  assert.equal(rangeText(30 * 60_000, HOUR, 'en'), '30–60 min')
  assert.equal(rangeText(8 * HOUR, 24 * HOUR, 'en'), '8–24 hr')
})

test('a span in Arabic has its unit written out', () => {
  assert.deepEqual(
    [4, 4_000, 5 * 60_000, 3_600_000].map((ms) => spanText(ms, 'ar')),
    ['4 ملي ثانية', '4 ثوان', '5 دقائق', 'ساعة'],
  )
})
