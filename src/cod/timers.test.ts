import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, later } from '../clock.ts'
import { NO_TIMERS, followUpExpiry, nextTimer, whyNotDue } from './timers.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 10, minute))

test('the timer that rings first is the next one, and nothing rings when none is armed', () => {
  assert.equal(nextTimer(NO_TIMERS), null)
  const timers = { ...NO_TIMERS, reminderAt: at(120), deadlineAt: at(1440) }
  assert.deepEqual(nextTimer(timers), { type: 'reminder_due', at: at(120) })
  assert.deepEqual(nextTimer({ ...timers, reminderAt: null }), { type: 'deadline_passed', at: at(1440) })
  assert.deepEqual(nextTimer({ ...NO_TIMERS, followUpAt: at(1380) }), { type: 'follow_up_expired', at: at(1380) })
})

test('a timer is due from its very millisecond on, and never when it is not armed', () => {
  assert.equal(whyNotDue(at(10), at(10)), null)
  assert.equal(whyNotDue(at(10), at(500)), null)
  assert.notEqual(whyNotDue(at(10), later(at(10), -1)), null)
  assert.notEqual(whyNotDue(null, at(10)), null)
})

test('a follow-up expires 23 hours after the customer’s last message, whatever order the messages come in', () => {
  const expiry = followUpExpiry(followUpExpiry(null, at(30)), at(10))
  assert.deepEqual(expiry, later(at(30), 23 * HOUR_MS))
})
