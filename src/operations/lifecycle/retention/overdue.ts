import { DAY_MS, later } from '../../../lib/clock.ts'
import { type Sql, statement } from '../../../lib/db/pool.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import { KEPT_CLASSES, type KeptClass } from './kept-since.ts'
import { type FindUncountedSince, findCutoff } from './cutoff.ts'
import { type Keep, keptDays } from './hold.ts'
import { retentionSteps } from './loop.ts'
import type { Position } from './step.ts'

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
  options: { now: Date; keep: Keep; findUncountedSince: FindUncountedSince },
): Promise<Overdue[]> {
  const positions = await listPositions(sql)
  const overdue: Overdue[] = []
  for (const keptClass of KEPT_CLASSES.filter((each) => keptDays(options.keep, each) > 0)) {
    const cutoff = await findCutoff(sql, keptClass, options)
    const of: Overdue = { class: keptClass, behindMs: Number.NEGATIVE_INFINITY, inUse: { number: 0, id: null } }
    for (const step of retentionSteps.filter((each) => each.class === keptClass)) {
      const { name } = step
      const oldest = await step.next(sql, positions.get(name))
      if (oldest) of.behindMs = Math.max(of.behindMs, cutoff.getTime() - oldest.getTime())
      if (!step.showsInUse) continue
      const rows = await sql.rows(selectPostponed, [name, firstIdAt(later(cutoff, -MAX_IN_USE_MS))])
      of.inUse = { number: of.inUse.number + rows.length, id: of.inUse.id ?? rows[0]?.id ?? null }
    }
    overdue.push(of)
  }
  return overdue
}

/** By the name of the step. */
export async function listPositions(sql: Sql): Promise<ReadonlyMap<string, Position>> {
  const rows = await sql.rows(selectPositions)
  return new Map(rows.map(({ step, id, at }) => [step, { id, at }]))
}

const selectPositions = statement<{ step: string; id: string; at: string }>(
  'list_retention_positions',
  'select step, position as id, kept_since::text as at from retention where position is not null',
)

const selectPostponed = statement<{ id: string }>(
  'list_long_postponed_retention',
  `select id from retention_postponed where step = $1 and id < $2 order by id limit ${MAX_COUNTED}`,
)
