import { HOUR_MS, MINUTE_MS, later } from '../../lib/clock.ts'

const SYNC_INTERVAL_MS = HOUR_MS
/** No account is due later, by any node's clock. */
export const MAX_SYNC_AHEAD_MS = SYNC_INTERVAL_MS + MINUTE_MS
/** Longer than the timeouts of all calls of a sync together. */
export const SYNC_LEASE_MS = 5 * MINUTE_MS
/** Updates and rejected sends come in bursts, and each sync costs two of the 200 calls per hour. */
export const MIN_SYNC_INTERVAL_MS = MINUTE_MS

const RETRY_MS = {
  /** The token may get its permissions back. */
  credentials_invalid: 5 * MINUTE_MS,
  /** WhatsApp limits management calls per hour. */
  rate: 30 * MINUTE_MS,
  unreachable: 2 * MINUTE_MS,
  rejected: SYNC_INTERVAL_MS,
} as const

export type SyncFailure = keyof typeof RETRY_MS

export const nextSyncAt = (now: Date): Date => later(now, SYNC_INTERVAL_MS)
export const retrySyncAt = (failure: SyncFailure, now: Date): Date => later(now, RETRY_MS[failure])
