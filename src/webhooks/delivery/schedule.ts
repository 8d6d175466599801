import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'

/** How long before each attempt, counted from the end of the one before (docs/webhooks.md#retries). */
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

const LAST_STEP_MS = STEPS_MS[STEPS_MS.length - 1] ?? 0

/** Share of the wait by which retries spread, to both sides. */
export const JITTER = 0.1

/** No attempt waits for longer, not even with a Retry-After header. */
export const MAX_WAIT_MS = LAST_STEP_MS * (1 + JITTER)

/** After so many failed attempts that were brought forward, a delivery keeps to its schedule. */
export const MAX_EARLY_ATTEMPTS = 8
/** After a failed early attempt, the next one waits this long; each time longer by this factor. */
export const EARLY_PAUSE_MS = 5 * SECOND_MS
const EARLY_PAUSE_GROWTH = 4

/** Only failures for this long disable an endpoint. Longer than a whole schedule, so that one lost event does not. */
export const FAILING_DISABLES_AFTER_MS = 5 * DAY_MS

/** An HTTP answer, or none. */
export type AttemptResponse = { httpStatus: number | null; retryAfter: string | null }

export type Decision =
  | { outcome: 'succeeded' }
  | {
      outcome: 'retry'
      step: number
      dueAt: Date
      /** The time from which a success of the endpoint may bring the attempt forward; null: immediately. */
      earlyAt: Date | null
      /** The time from a Retry-After header. */
      retryAfterUntil: Date | null
      earlyAttempts: number
    }
  /** The last step failed too. */
  | { outcome: 'failed' }
  /** The receiver answered 410. */
  | { outcome: 'gone' }

export type EndedAttempt = {
  step: number
  /** For an attempt that was brought forward: when the schedule would have made it. */
  scheduledAt: Date | null
  /** Earlier attempts that were brought forward and failed. */
  earlyAttempts: number
  answer: AttemptResponse
  endedAt: Date
  /** 0 to 1. */
  chance: number
}

export function decide({ step, scheduledAt, earlyAttempts, answer, endedAt, chance }: EndedAttempt): Decision {
  const { httpStatus } = answer
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) return { outcome: 'succeeded' }
  if (httpStatus === 410) return { outcome: 'gone' }
  // An attempt that was brought forward and failed costs no step: an endpoint that succeeds now and then must not use up
  // the schedule within minutes.
  const wasEarly = scheduledAt !== null && scheduledAt > endedAt
  const next = wasEarly ? step : step + 1
  const stepMs = STEPS_MS[next]
  if (stepMs === undefined) return { outcome: 'failed' }
  const waitMs = wasEarly
    ? Math.max(scheduledAt.getTime() - endedAt.getTime(), EARLY_PAUSE_MS)
    : Math.round(stepMs * (1 + JITTER * (2 * chance - 1)))
  const maxRetryMs = STEPS_MS[next + 1] ?? LAST_STEP_MS
  const retryMs = Math.min(retryAfterMs(answer, endedAt), wasEarly ? maxRetryMs : Math.max(waitMs, maxRetryMs))
  const dueAt = later(endedAt, Math.max(waitMs, retryMs))
  const early = wasEarly ? Math.min(earlyAttempts + 1, MAX_EARLY_ATTEMPTS) : earlyAttempts
  const earlyMs = Math.max(retryMs, early === 0 ? 0 : EARLY_PAUSE_MS * EARLY_PAUSE_GROWTH ** (early - 1))
  return {
    outcome: 'retry',
    step: next,
    dueAt,
    earlyAt: early === MAX_EARLY_ATTEMPTS ? dueAt : earlyMs > 0 ? later(endedAt, earlyMs) : null,
    retryAfterUntil: retryMs > 0 ? later(endedAt, retryMs) : null,
    earlyAttempts: early,
  }
}

/** Retry-After in ms; 0 without one, or when it is malformed. */
function retryAfterMs({ httpStatus, retryAfter }: AttemptResponse, endedAt: Date): number {
  if ((httpStatus !== 429 && httpStatus !== 503) || retryAfter === null) return 0
  const text = retryAfter.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS
  const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? 0 : Math.max(0, date - endedAt.getTime())
}
