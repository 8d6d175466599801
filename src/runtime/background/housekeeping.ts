import { MINUTE_MS, later } from '../../lib/clock.ts'
import { expiredSignInRows } from '../../admin/auth/expired-rows.ts'
import { removeIdleRateLimits } from '../../lib/http/rate-limit.ts'
import { correctSyncTimes } from '../../accounts/sync/sync.ts'
import { correctMessageTimes, correctReportTimes } from '../../messages/correct-times.ts'
import { correctBreakerTimes } from '../../messages/queue/circuit-breaker.ts'
import { removeIdlePairs } from '../../messages/queue/pair-slots.ts'
import { removeOldLeases } from '../jobs/leases.ts'
import { TRACE_KEPT_MS, removeOldTraces } from '../jobs/traces.ts'
import type { Parts } from '../parts.ts'
import { correctDeliveryTimes } from '../../webhooks/delivery/claim.ts'
import { correctReleaseTimes } from '../../webhooks/delivery/release.ts'
import { removeUnreadable } from '../../operations/lifecycle/recipients/unfinished.ts'
import type { Loop } from '../jobs/loop.ts'
import type { RemovalGuard } from '../../operations/lifecycle/retention/guard.ts'

/**
 * Removes short-lived rows in small batches, and corrects times that were written while the database's clock was ahead. The guard is not
 * asked about paces, leases and rate limits: they are worthless after a minute, and a wrong removal loses only the pace of that minute.
 */
export const housekeepingLoop = ({
  db,
  clock,
  seal,
  guard,
}: Pick<Parts, 'db' | 'clock' | 'seal'> & { guard: RemovalGuard }): Loop => ({
  name: 'housekeeping',
  pollMs: MINUTE_MS,
  async turn(stop) {
    const now = clock.now()
    const permit = await guard.check()
    const idle = [removeIdlePairs, removeOldLeases, removeIdleRateLimits].map(
      (remove) => [remove, later(now, -IDLE_MS)] as const,
    )
    const removals = [...idle, ...(permit ? [...expiredSignInRows(permit.now), oldTraces(permit.now)] : [])]
    const faults: unknown[] = []
    let more = false
    // One at a time: in parallel, each would take its own connection. A locked table does not keep the others from their turn.
    for (const [remove, until] of removals) {
      if (stop?.aborted) return { more: false }
      const row = await db.row(remove, [until, MAX_EACH]).catch((fault: unknown) => void faults.push(fault))
      more ||= row?.removed === MAX_EACH
    }
    for (const correct of CORRECTIONS) {
      if (stop?.aborted) break
      const corrected = await correct(db, now, MAX_CORRECTED).catch((fault: unknown) => void faults.push(fault))
      more ||= corrected?.length === MAX_CORRECTED
    }
    if (permit) await removeUnreadable({ db, seal }, permit.now)
    if (faults.length > 0) throw faults[0]
    return { more }
  },
})

const oldTraces = (now: Date) => [removeOldTraces, later(now, -TRACE_KEPT_MS)] as const

const IDLE_MS = MINUTE_MS
const MAX_EACH = 5_000

const CORRECTIONS = [
  correctSyncTimes,
  correctBreakerTimes,
  correctMessageTimes,
  correctReportTimes,
  correctDeliveryTimes,
  correctReleaseTimes,
] as const
/** In one statement, so that its locks are short. */
const MAX_CORRECTED = 2_000
