import { DAY_MS, later } from '../clock.ts'
import type { Config } from '../config.ts'
import { type Sql, statement } from '../db/pool.ts'
import { firstIdAt } from '../ids.ts'
import { KEPT_CLASSES, type KeptClass } from './kept-since.ts'
import { type FindUncountedSince, findCutoff, keptDays } from './cutoff.ts'
import { retentionSteps } from './loop.ts'

/** Nothing is in use for longer (docs/retention.md#why-at-least-30-days). */
const MAX_IN_USE_MS = 30 * DAY_MS
/** A larger number is shown as this one. */
const MAX_COUNTED = 1_000

/** What should have been removed and still exists. */
export type Overdue = {
  class: KeptClass
  /** How long ago the oldest row that no step has read should have been removed. Negative: the row is not old enough. */
  behindMs: number
  /** Rows that were postponed for too long, because they seem to be in use, and the oldest of them. */
  inUse: { number: number; id: string | null }
}

/** By class, without the classes that are kept forever. */
export async function listOverdue(
  sql: Sql,
  options: { now: Date; keep: Config['keep']; findUncountedSince: FindUncountedSince },
): Promise<Overdue[]> {
  const positions = await sql.rows(selectPositions)
  const overdue: Overdue[] = []
  for (const keptClass of KEPT_CLASSES.filter((each) => keptDays(options.keep, each) > 0)) {
    const cutoff = await findCutoff(sql, keptClass, options)
    const of: Overdue = { class: keptClass, behindMs: Number.NEGATIVE_INFINITY, inUse: { number: 0, id: null } }
    for (const step of retentionSteps.filter((each) => each.class === keptClass)) {
      const { name } = step
      const position = positions.find((each) => each.step === name)
      const oldest = await step.next(sql, position)
      if (oldest) of.behindMs = Math.max(of.behindMs, cutoff.getTime() - oldest.getTime())
      if (!step.showsInUse) continue
      const rows = await sql.rows(selectPostponed, [name, firstIdAt(later(cutoff, -MAX_IN_USE_MS))])
      of.inUse = { number: of.inUse.number + rows.length, id: of.inUse.id ?? rows[0]?.id ?? null }
    }
    overdue.push(of)
  }
  return overdue
}

const selectPositions = statement<{ step: string; id: string; at: string }>(
  'list_retention_positions',
  'select step, position as id, kept_since::text as at from retention where position is not null',
)

const selectPostponed = statement<{ id: string }>(
  'list_long_postponed_retention',
  `select id from retention_postponed where step = $1 and id < $2 order by id limit ${MAX_COUNTED}`,
)
