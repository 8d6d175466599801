import { type CodedText, asWritten } from '../../locales/text.ts'
import { SECOND_MS, later } from '../clock.ts'
import { isLockTimeout, sqlState } from '../db/pool.ts'

/** After this many failures a row is quarantined: nothing touches it until an operator releases it. */
const MAX_TRIES = 5
const RETRY_MS = 30 * SECOND_MS

export const RETRY_OUTCOMES = ['waiting', 'quarantined'] as const

/** `waiting`: retried at `retryAt`. `quarantined`: not retried. */
export type RetryDecision = {
  outcome: (typeof RETRY_OUTCOMES)[number]
  /** Failed attempts, without waits for a lock. */
  tries: number
  retryAt: Date | null
  quarantinedAt: Date | null
  /** Stored and shown, so never the error's message, which may quote the row. */
  fault: CodedText
}

/** For a row whose step threw. `tries` counts the attempts before this one. */
export function decideRetry(error: unknown, { tries, now }: { tries: number; now: Date }): RetryDecision {
  if (isLockTimeout(error)) return retryLockedRow({ tries, now })
  const isLast = tries + 1 >= MAX_TRIES
  return {
    outcome: isLast ? 'quarantined' : 'waiting',
    tries: tries + 1,
    retryAt: isLast ? null : later(now, RETRY_MS),
    quarantinedAt: isLast ? now : null,
    fault: asWritten(error instanceof Error ? `${error.name} ${sqlState(error)}`.trim() : typeof error),
  }
}

/** The row is not at fault, so the attempt does not count. */
export const retryLockedRow = ({ tries, now }: { tries: number; now: Date }): RetryDecision => ({
  outcome: 'waiting',
  tries,
  retryAt: later(now, RETRY_MS),
  quarantinedAt: null,
  fault: { code: 'jobs.row_locked' },
})

/** Work that failed on every attempt and waits for an operator. */
export type Quarantined = {
  kind: 'report' | 'message' | 'timer'
  /** The id of the provider's report, the message, or the confirmation that the timer belongs to. */
  id: string
  workspaceId: string
  /** For a report: when it arrived. */
  since: Date
  /** The last fault. */
  fault: CodedText | null
}
