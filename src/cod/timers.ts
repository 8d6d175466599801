import { HOUR_MS, MINUTE_MS, later } from '../clock.ts'
import { keptSentences } from '../sentences.ts'

/** spec §8. One hour before WhatsApp's window of 24 h closes. */
export const FOLLOW_UP_EXPIRES_AFTER_MS = 23 * HOUR_MS

/** What a check waits for; null is not armed. */
export type Timers = { reminderAt: Date | null; deadlineAt: Date | null; followUpAt: Date | null }

export const NO_TIMERS: Timers = { reminderAt: null, deadlineAt: null, followUpAt: null }

export type TimerType = 'reminder_due' | 'deadline_passed' | 'follow_up_expired'

/** The first that rings, as the event that it then is. */
export function nextTimer(timers: Timers): { type: TimerType; at: Date } | null {
  const armed = [
    { type: 'reminder_due', at: timers.reminderAt },
    { type: 'deadline_passed', at: timers.deadlineAt },
    { type: 'follow_up_expired', at: timers.followUpAt },
  ] as const
  let first: { type: TimerType; at: Date } | null = null
  for (const { type, at } of armed) if (at && (!first || at < first.at)) first = { type, at }
  return first
}

/** Why a timer that rang changes nothing; null when it does. It may ring early, twice, or after the answer. */
export function whyNotDue(armedFor: Date | null, at: Date): string | null {
  if (!armedFor) return notes.notArmed.en
  return armedFor <= at ? null : notes.armedForLater.en
}

const notes = keptSentences({
  notArmed: { en: 'this timer is not armed', ar: 'هذا المؤقِّت غير مضبوط' },
  armedForLater: { en: 'this timer is armed for later', ar: 'هذا المؤقِّت مضبوط على وقت لاحق' },
})

export const afterMinutes = (from: Date, minutes: number): Date => later(from, minutes * MINUTE_MS)

/** Messages may come out of order: one that is not the customer's last never shortens the follow-up. */
export function followUpExpiry(present: Date | null, messageAt: Date): Date {
  const expiry = later(messageAt, FOLLOW_UP_EXPIRES_AFTER_MS)
  return present && present > expiry ? present : expiry
}
