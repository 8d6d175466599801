import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, later } from '../clock.ts'

/** How long before each attempt, counted from the end of the one before (contract §5). docs/webhooks.md shows the same. */
export const STEPS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const

/** Retries of one outage spread by this share of the wait, to both sides. */
export const JITTER = 0.1

/** After this long with nothing but failures an endpoint is disabled: longer than a whole schedule, so that one lost event does not do it. */
export const FAILING_DISABLES_AFTER_MS = 5 * DAY_MS

/** What an attempt brought: an HTTP answer, or none. */
export type Answer = { httpStatus: number | null; retryAfter: string | null }

export type Verdict =
  | { outcome: 'succeeded' }
  | { outcome: 'retry'; step: number; dueAt: Date }
  /** The last step failed too. */
  | { outcome: 'failed' }
  /** The receiver says that it is gone for good. */
  | { outcome: 'gone' }

export type Ended = { step: number; answer: Answer; endedAt: Date /** 0 to 1 */; chance: number }

/** What follows from the attempt of this step. */
export function judge({ step, answer, endedAt, chance }: Ended): Verdict {
  const { httpStatus } = answer
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) return { outcome: 'succeeded' }
  if (httpStatus === 410) return { outcome: 'gone' }
  const next = step + 1
  const wait = STEPS_MS[next]
  if (wait === undefined) return { outcome: 'failed' }
  const scheduled = spread(wait, chance)
  const most = Math.max(scheduled, STEPS_MS[next + 1] ?? wait)
  const asked = askedWait(answer, endedAt)
  return { outcome: 'retry', step: next, dueAt: later(endedAt, Math.min(Math.max(scheduled, asked), most)) }
}

/** Whether failures since that time are enough to disable the endpoint. */
export const failedTooLong = (failingSince: Date, now: Date): boolean =>
  now.getTime() - failingSince.getTime() >= FAILING_DISABLES_AFTER_MS

const spread = (wait: number, chance: number): number => Math.round(wait * (1 + JITTER * (2 * chance - 1)))

/** How long the receiver asks to be left alone, ms; 0 when it does not, or not in a way that we can read. */
function askedWait({ httpStatus, retryAfter }: Answer, endedAt: Date): number {
  if ((httpStatus !== 429 && httpStatus !== 503) || retryAfter === null) return 0
  const text = retryAfter.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS
  const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? 0 : Math.max(0, date - endedAt.getTime())
}
