import type { CodedText } from '../../../locales/text.ts'
import { HOUR_MS, MINUTE_MS, later } from '../../lib/clock.ts'

/** One hour before WhatsApp's window of 24 h closes (docs/cod.md#timers). */
export const FOLLOW_UP_EXPIRES_AFTER_MS = 23 * HOUR_MS

/** What a check waits for; null is not set. */
export type Timers = { reminderAt: Date | null; deadlineAt: Date | null; followUpAt: Date | null }

export const NO_TIMERS: Timers = { reminderAt: null, deadlineAt: null, followUpAt: null }

const TIMERS = { reminder_due: 'reminderAt', deadline_passed: 'deadlineAt', follow_up_expired: 'followUpAt' } as const

export type TimerEvent = { type: keyof typeof TIMERS; at: Date }

/** A timer that is due. If an outage has delayed both, it is the deadline: a reminder would come too late. */
export function dueTimer(timers: Timers, now: Date): TimerEvent | undefined {
  for (const type of ['deadline_passed', 'reminder_due', 'follow_up_expired'] as const) {
    const at = timers[TIMERS[type]]
    if (at && at <= now) return { type, at }
  }
  return undefined
}

/** Why a timer changes nothing, or null. It may fire early, twice, or after the answer. */
export function notDueReason(timers: Timers, { type, at }: TimerEvent): CodedText | null {
  const armedFor = timers[TIMERS[type]]
  if (!armedFor) return { code: 'cod.not_armed' }
  return armedFor <= at ? null : { code: 'cod.armed_for_later' }
}

export const afterMinutes = (from: Date, minutes: number): Date => later(from, minutes * MINUTE_MS)

/** Messages may come out of order: an earlier one never shortens the follow-up. */
export function followUpExpiry(current: Date | null, messageAt: Date): Date {
  const expiry = later(messageAt, FOLLOW_UP_EXPIRES_AFTER_MS)
  return current && current > expiry ? current : expiry
}
