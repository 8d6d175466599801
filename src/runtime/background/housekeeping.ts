import { MINUTE_MS, later } from '../../lib/clock.ts'
import { expiredSignInRows } from '../../admin/auth/expired-rows.ts'
import { removeIdleRateLimits } from '../../lib/http/rate-limit.ts'
import { removeIdlePairs } from '../../messages/queue/pair-slots.ts'
import { removeOldLeases } from '../jobs/leases.ts'
import { TRACE_KEPT_MS, removeOldTraces } from '../jobs/traces.ts'
import type { Parts } from '../parts.ts'
import { removeUnreadable } from '../../operations/lifecycle/recipients/unfinished.ts'
import type { Loop } from '../jobs/loop.ts'
import type { RemovalGuard } from '../../operations/lifecycle/retention/guard.ts'

/**
 * Removes short-lived rows in small batches. The guard is not asked about paces, leases and rate limits: they are worthless
 * after a minute, and a wrong removal loses only the pace of that minute.
 */
export const housekeepingLoop = ({
  db,
  clock,
  seal,
  guard,
}: Pick<Parts, 'db' | 'clock' | 'seal'> & { guard: RemovalGuard }): Loop => ({
  name: 'housekeeping',
  pollMs: MINUTE_MS,
  async turn() {
    const now = clock.now()
    const permit = await guard.check()
    const idle = [removeIdlePairs, removeOldLeases, removeIdleRateLimits].map(
      (remove) => [remove, later(now, -IDLE_MS)] as const,
    )
    let more = false
    // One after the other: together, each would take a connection.
    for (const [remove, until] of [
      ...idle,
      ...(permit ? [...expiredSignInRows(permit.now), oldTraces(permit.now)] : []),
    ]) {
      const row = await db.row(remove, [until, MAX_EACH])
      more ||= row?.removed === MAX_EACH
    }
    if (permit) await removeUnreadable({ db, seal }, permit.now)
    return { more }
  },
})

const oldTraces = (now: Date) => [removeOldTraces, later(now, -TRACE_KEPT_MS)] as const

const IDLE_MS = MINUTE_MS
const MAX_EACH = 5_000
