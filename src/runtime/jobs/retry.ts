import { type CodedText, asWritten } from '../../../locales/text.ts'
import { SECOND_MS, later } from '../../lib/clock.ts'
import { IDLE_TRANSACTION_MS, isConflict, sqlState } from '../../lib/db/pool.ts'

/** After this many failures a row is quarantined: nothing touches it until an operator releases it. */
const MAX_TRIES = 5
const RETRY_MS = 30 * SECOND_MS
/** A frozen process holds its rows until the server ends its transaction. Work that waits for them must not wait much longer. */
export const LOCKED_RETRY_MS = 2 * SECOND_MS
/** A row that is locked for longer than by a frozen process, such as by a person's session, is tried as rarely as a failed one. */
const LOCKED_RETRIES_END_MS = 2 * IDLE_TRANSACTION_MS

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

/** `tries` counts the attempts before this one. `lockedSince`: when the row was first found locked, if it was before. */
type TryCount = { tries: number; now: Date; lockedSince?: Date | undefined }

/** For a row whose step threw. */
export function decideRetry(error: unknown, { tries, now, lockedSince }: TryCount): RetryDecision {
  if (isConflict(error)) return retryLockedRow({ tries, now, lockedSince })
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
export const retryLockedRow = ({ tries, now, lockedSince = now }: TryCount): RetryDecision => ({
  outcome: 'waiting',
  tries,
  retryAt: later(now, now < later(lockedSince, LOCKED_RETRIES_END_MS) ? LOCKED_RETRY_MS : RETRY_MS),
  quarantinedAt: null,
  fault: { code: 'jobs.row_locked' },
})

/** Work that failed on every attempt and waits for an operator. */
export type QuarantinedRow = {
  kind: 'report' | 'message' | 'timer'
  /** The id of the provider's report, the message, or the confirmation that the timer belongs to. */
  id: string
  workspaceId: string
  /** For a report: when it arrived. */
  since: Date
  /** The last fault. */
  fault: CodedText | null
}
