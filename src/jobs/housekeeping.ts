import { MINUTE_MS, later } from '../clock.ts'
import { overdueInSignIn } from '../dashboard/overdue.ts'
import { type Statement, statement } from '../db.ts'
import type { Parts } from '../parts.ts'
import type { Loop } from './loop.ts'

/** Removes what only the last minutes needed, in small steps that hold nobody up. */
export const housekeepingLoop = ({ db, clock }: Pick<Parts, 'db' | 'clock'>): Loop => ({
  name: 'housekeeping',
  pollMs: MINUTE_MS,
  async turn() {
    const before = later(clock.now(), -IDLE_MS)
    const removed = await Promise.all([
      db.row(removeIdlePairs, [before, EACH_MOST]),
      db.row(removeIdleRateLimits, [EACH_MOST]),
      ...overdueInSignIn(clock.now()).map(([remove, until]) => db.row(remove, [until, EACH_MOST])),
    ])
    return { more: removed.some((row) => row?.removed === EACH_MOST) }
  },
})

const IDLE_MS = MINUTE_MS
const EACH_MOST = 5_000

type Removed = { removed: number }

/** A pair whose next regular slot has long been free is as good as one that never wrote. */
const removeIdlePairs: Statement<Removed> = statement(
  'remove_idle_pair_paces',
  `with removed as (
     delete from pair_pace where ctid = any (array (select ctid from pair_pace where free_at < $1 limit $2)) returning 1)
   select count(*)::int as removed from removed`,
)

/** By the database's clock, which alone writes these rows. */
const removeIdleRateLimits: Statement<Removed> = statement(
  'remove_idle_rate_limits',
  `with removed as (
     delete from rate_limits where ctid = any (array (
       select ctid from rate_limits where hits[cardinality(hits)] < clock_timestamp() - interval '1 minute' limit $1)) returning 1)
   select count(*)::int as removed from removed`,
)
