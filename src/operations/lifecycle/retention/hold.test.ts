import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS, later } from '../../../lib/clock.ts'
import { type GuardFacts, type GuardState, checkRemoval, longestKeep, shorterClasses } from './hold.ts'

const NOW = new Date('2026-11-24T12:00:00Z')
const KEEP = { contentDays: 90, recordsDays: 400, auditDays: 730 }
const TRUSTED: GuardState = { trustedAt: later(NOW, -MINUTE_MS), setBackTo: null, keep: KEEP }

const check = (facts: Partial<GuardFacts> = {}) =>
  checkRemoval({ now: NOW, machinesAheadMs: [0], keep: KEEP, state: TRUSTED, ...facts })

test('a running instance with right clocks removes without a stop, and stores the time each hour', () => {
  assert.deepEqual(check(), { hold: undefined, keep: KEEP, next: undefined })
  const now = later(NOW, HOUR_MS)
  assert.deepEqual(check({ now }).next, { ...TRUSTED, trustedAt: now })
})

test('a new instance needs no confirmation, but its first time is not trusted while the clocks differ', () => {
  const { hold, next } = check({ state: undefined })
  assert.deepEqual([hold, next], [undefined, { trustedAt: NOW, setBackTo: null, keep: KEEP }])
  const differing = check({ state: undefined, machinesAheadMs: [-DAY_MS] })
  assert.deepEqual([differing.hold?.reason, differing.next], ['clocks_differ', undefined])
})

test('an instance from before this release needs no confirmation if it worked in the last three days', () => {
  const { hold, next } = check({ state: undefined, lastActiveAt: later(NOW, -2 * DAY_MS) })
  assert.deepEqual([hold, next], [undefined, { trustedAt: NOW, setBackTo: null, keep: KEEP }])
})

for (const days of [500, -500])
  test(`a first start by clocks that are ${days} days ahead of the newest row waits, also after new rows`, () => {
    const lastActiveAt = later(NOW, -days * DAY_MS)
    const { hold, next } = check({ state: undefined, lastActiveAt })
    assert.equal(hold?.reason, days > 0 ? 'time_jumped' : 'time_set_back')
    assert.deepEqual(next?.trustedAt, lastActiveAt)
    assert.equal(check({ state: next }).hold?.reason, hold?.reason)
  })

for (const aheadMs of [-500 * DAY_MS, -6 * MINUTE_MS, 6 * MINUTE_MS, 500 * DAY_MS])
  test(`a node whose clock is ${aheadMs / MINUTE_MS} minutes ahead of the database holds removal`, () => {
    assert.equal(check({ machinesAheadMs: [0, aheadMs, 10] }).hold?.reason, 'clocks_differ')
  })

test('clocks that differ by less than five minutes do not hold removal', () => {
  for (const aheadMs of [-4 * MINUTE_MS, 4 * MINUTE_MS])
    assert.equal(check({ machinesAheadMs: [aheadMs] }).hold, undefined)
})

test('a database clock that jumps ahead and returns holds removal only meanwhile', () => {
  const ahead = check({ now: later(NOW, 500 * DAY_MS), machinesAheadMs: [-500 * DAY_MS] })
  assert.equal(ahead.hold?.reason, 'clocks_differ')
  assert.equal(check({ state: ahead.next ?? TRUSTED }).hold, undefined)
})

test('a worker clock that is ahead for weeks holds removal only meanwhile', () => {
  let state = TRUSTED
  for (let days = 1; days <= 30; days += 1) {
    const { hold, next } = check({ now: later(NOW, days * DAY_MS), machinesAheadMs: [DAY_MS], state })
    assert.equal(hold?.reason, 'clocks_differ')
    state = next ?? state
  }
  assert.equal(check({ now: later(NOW, 31 * DAY_MS), state }).hold, undefined)
})

test('a time more than three days after the last trusted one waits for a confirmation, a weekend does not', () => {
  assert.equal(check({ now: later(NOW, 2.9 * DAY_MS) }).hold, undefined)
  const now = later(NOW, 3.1 * DAY_MS)
  const { hold, next } = check({ now })
  assert.deepEqual([hold, next], [{ reason: 'time_jumped', trustedAt: TRUSTED.trustedAt, now }, undefined])
})

test('a jump of all clocks that is corrected needs no confirmation', () => {
  const { next } = check({ now: later(NOW, 500 * DAY_MS) })
  assert.equal(check({ state: next ?? TRUSTED }).hold, undefined)
})

test('after a clock was far behind, removal waits for a confirmation even when it is right again', () => {
  const behind = later(NOW, -10 * DAY_MS)
  const back = check({ now: behind })
  assert.deepEqual(back.hold, { reason: 'time_set_back', setBackTo: behind })
  assert.deepEqual(check({ state: back.next }).hold, { reason: 'time_set_back', setBackTo: behind })
  const confirmed: GuardState = { trustedAt: NOW, setBackTo: null, keep: KEEP }
  assert.equal(check({ state: confirmed }).hold, undefined)
})

test('a node that recorded rows with a time far behind is remembered when its clock is right again', () => {
  const { hold, next } = check({ machinesAheadMs: [0, -10 * DAY_MS] })
  assert.equal(hold?.reason, 'clocks_differ')
  assert.equal(check({ state: next }).hold?.reason, 'time_set_back')
})

test('longer settings apply immediately, shorter ones only after a confirmation', () => {
  const longer = { ...KEEP, contentDays: 0, auditDays: 800 }
  const { hold, keep, next } = check({ keep: longer })
  assert.deepEqual([hold, keep, next?.keep], [undefined, longer, longer])
  const shorter = { ...KEEP, contentDays: 30 }
  const still = check({ keep: shorter })
  assert.deepEqual([still.hold, still.keep, still.next], [undefined, KEEP, undefined])
  assert.deepEqual(shorterClasses(shorter, KEEP), ['content'])
  assert.deepEqual(shorterClasses(KEEP, longer), ['content', 'audit'])
})

test('of two settings the longer is in force, and 0 is the longest', () => {
  assert.deepEqual(longestKeep(KEEP, { contentDays: 30, recordsDays: 0, auditDays: 731 }), {
    contentDays: 90,
    recordsDays: 0,
    auditDays: 731,
  })
})
