import { DAY_MS, later, notBefore } from '../../../lib/clock.ts'
import type { Sql } from '../../../lib/db/pool.ts'
import { type Keep, keptDays } from './hold.ts'
import type { KeptClass } from './kept-since.ts'

/** Records from this instant on have not been counted for the charts. Undefined if all have. */
export type FindUncountedSince = (sql: Sql) => Promise<Date | undefined>

/** A day that cannot be counted does not keep records for longer. */
const MAX_WAIT_FOR_COUNT_MS = 30 * DAY_MS

type CutoffOptions = { now: Date; keep: Keep; findUncountedSince: FindUncountedSince }

/** The class must not have anything that was recorded before this instant. */
export async function findCutoff(
  sql: Sql,
  keptClass: KeptClass,
  { now, keep, findUncountedSince }: CutoffOptions,
): Promise<Date> {
  const age = later(now, -keptDays(keep, keptClass) * DAY_MS)
  const uncounted = keptClass === 'records' ? await findUncountedSince(sql) : undefined
  return uncounted && uncounted < age ? notBefore(later(age, -MAX_WAIT_FOR_COUNT_MS), uncounted) : age
}
