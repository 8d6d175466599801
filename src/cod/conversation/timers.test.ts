import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, later } from '../../lib/clock.ts'
import { NO_TIMERS, dueTimer, followUpExpiry, notDueReason } from './timers.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 10, minute))

test('of the timers that are due the deadline fires, and else the only one', () => {
  const timers = { ...NO_TIMERS, reminderAt: at(120), deadlineAt: at(1440) }
  assert.equal(dueTimer(timers, later(at(120), -1)), undefined)
  assert.deepEqual(dueTimer(timers, at(120)), { type: 'reminder_due', at: at(120) })
  assert.deepEqual(dueTimer(timers, at(1440)), { type: 'deadline_passed', at: at(1440) })
  assert.deepEqual(dueTimer({ ...NO_TIMERS, followUpAt: at(10) }, at(10)), { type: 'follow_up_expired', at: at(10) })
})

test('an armed timer is due from its exact millisecond on', () => {
  const armed = { reminder_due: 'reminderAt', deadline_passed: 'deadlineAt', follow_up_expired: 'followUpAt' } as const
  for (const type of ['reminder_due', 'deadline_passed', 'follow_up_expired'] as const) {
    const timers = { ...NO_TIMERS, [armed[type]]: at(10) }
    assert.equal(notDueReason(timers, { type, at: at(10) }), null)
    assert.equal(notDueReason(timers, { type, at: at(500) }), null)
    assert.notEqual(notDueReason(timers, { type, at: later(at(10), -1) }), null)
    assert.notEqual(notDueReason(NO_TIMERS, { type, at: at(10) }), null)
  }
})

test('a follow-up expires 23 hours after the customer’s latest message, in any order', () => {
  const expiry = followUpExpiry(followUpExpiry(null, at(30)), at(10))
  assert.deepEqual(expiry, later(at(30), 23 * HOUR_MS))
})
