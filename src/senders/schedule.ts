import { HOUR_MS, MINUTE_MS, later } from '../clock.ts'

/** contract §8 */
const SYNC_EVERY_MS = HOUR_MS
/** A token that was refused may be given its permissions back; each look costs two calls of 200 an hour. */
const CREDENTIALS_LOOK_MS = 5 * MINUTE_MS
const UNREACHABLE_RETRY_MS = 2 * MINUTE_MS
/** The limit of management calls is counted by the hour. */
const RATE_RETRY_MS = 30 * MINUTE_MS
/** A sync that takes longer is taken for lost: more than its calls' timeouts together. */
export const SYNC_LEASE_MS = 5 * MINUTE_MS

/**
 * Updates and refused sends come in storms, and each list costs two calls of 200 an hour. What one of them says against
 * a template counts at once all the same.
 */
export const SYNC_INTERVAL_LEAST_MS = MINUTE_MS

export const nextSyncAt = (now: Date): Date => later(now, SYNC_EVERY_MS)
export const nextCredentialsLookAt = (now: Date): Date => later(now, CREDENTIALS_LOOK_MS)

export type SyncFailure = 'credentials_invalid' | 'rate' | 'unreachable' | 'refused'

const RETRY_MS = {
  credentials_invalid: CREDENTIALS_LOOK_MS,
  rate: RATE_RETRY_MS,
  unreachable: UNREACHABLE_RETRY_MS,
  refused: SYNC_EVERY_MS,
} as const satisfies Record<SyncFailure, number>

export const retrySyncAt = (failure: SyncFailure, now: Date): Date => later(now, RETRY_MS[failure])
