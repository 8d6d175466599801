import { DAY_MS, later, notBefore } from '../../../lib/clock.ts'
import { type Sql, isTemporary, statement } from '../../../lib/db/pool.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import { contentSteps } from './content.ts'
import { type Keep, keptDays } from './hold.ts'
import { KEPT_CLASSES, type KeptClass } from './kept-since.ts'
import { recordSteps } from './records.ts'
import { type Count, MAX_READ_TO_COUNT, type Position, type Step } from './step.ts'

/** Records first: content that goes with its record needs no step of its own. */
export const retentionSteps: readonly Step[] = [...recordSteps, ...contentSteps]

/** Returns the instant from which records have not been counted for the charts; undefined if all have. */
export type FindUncountedSince = (sql: Sql) => Promise<Date | undefined>

/** A day that cannot be counted keeps its records no longer than this. */
const MAX_WAIT_FOR_COUNT_MS = 30 * DAY_MS

type CutoffOptions = { now: Date; keep: Keep; findUncountedSince: FindUncountedSince }

/** Returns the instant before which nothing of the class may be kept. */
export async function findCutoff(
  sql: Sql,
  keptClass: KeptClass,
  { now, keep, findUncountedSince }: CutoffOptions,
): Promise<Date> {
  const age = later(now, -keptDays(keep, keptClass) * DAY_MS)
  const uncounted = keptClass === 'records' ? await findUncountedSince(sql) : undefined
  return uncounted && uncounted < age ? notBefore(later(age, -MAX_WAIT_FOR_COUNT_MS), uncounted) : age
}

type DueClass = { class: KeptClass; cutoff: Date; steps: { step: Step; position: Position | undefined }[] }

/** Leaves out the classes that are kept forever. */
async function listClasses(sql: Sql, options: CutoffOptions): Promise<DueClass[]> {
  const rows = await sql.rows(selectPositions)
  const positions = new Map(rows.map(({ step, id, at }) => [step, { id, at }]))
  const classes: DueClass[] = []
  for (const keptClass of KEPT_CLASSES.filter((each) => keptDays(options.keep, each) > 0)) {
    const steps = retentionSteps.filter((each) => each.class === keptClass)
    classes.push({
      class: keptClass,
      cutoff: await findCutoff(sql, keptClass, options),
      steps: steps.map((step) => ({ step, position: positions.get(step.name) })),
    })
  }
  return classes
}

const selectPositions = statement<{ step: string; id: string; at: string }>(
  'list_retention_positions',
  'select step, position as id, kept_since::text as at from retention where position is not null',
)

/** Null if the database cannot count the rows now, because it is busy or the table is locked. */
type TableCount = { table: string } & (Count | { rows: null; more: null })

/** What removal would remove now. */
export type RemovalPreview = {
  classes: { class: KeptClass; days: number; until: Date; tables: TableCount[] }[]
  /** How many workspaces are due for deletion. */
  workspaces: number
}

/** Works even while removal is held. It also counts rows that are still in use. */
export async function previewRemoval(sql: Sql, options: CutoffOptions & { maxRead?: number }): Promise<RemovalPreview> {
  const { now, keep, maxRead = MAX_READ_TO_COUNT } = options
  const classes: RemovalPreview['classes'] = []
  for (const { class: keptClass, cutoff: until, steps } of await listClasses(sql, options)) {
    const tables: TableCount[] = []
    for (const { step, position } of steps)
      tables.push({
        table: step.table,
        ...(await step.count(sql, position, until, maxRead).catch(ifUncountable)),
      })
    classes.push({ class: keptClass, days: keptDays(keep, keptClass), until, tables })
  }
  const workspaces = (await sql.row(countDeletions, [now]))?.workspaces ?? 0
  return { classes, workspaces }
}

/** Leaves only this table unknown: an operator can still see the others and confirm. */
function ifUncountable(error: unknown): { rows: null; more: null } {
  if (!isTemporary(error)) throw error
  return { rows: null, more: null }
}

const countDeletions = statement<{ workspaces: number }>(
  'count_workspaces_due_for_deletion',
  `select count(*)::int as workspaces from workspaces
   where deletion_due_at <= $1 and purged_at is null and deleted_at is null`,
)

/** No row should be in use for longer (docs/retention.md#why-at-least-30-days). */
const MAX_IN_USE_MS = 30 * DAY_MS
/** The count stops here. */
const MAX_COUNTED = 1_000

/** Rows that should have been removed but still exist. */
export type Overdue = {
  class: KeptClass
  /** How long ago the oldest row that no step has read should have been removed. Negative: the row is not old enough. */
  behindMs: number
  /** Rows that were postponed for too long, because they seem to be in use, and the oldest of them. */
  inUse: { number: number; id: string | null }
}

export async function listOverdue(sql: Sql, options: CutoffOptions): Promise<Overdue[]> {
  const overdue: Overdue[] = []
  for (const { class: keptClass, cutoff, steps } of await listClasses(sql, options)) {
    const of: Overdue = { class: keptClass, behindMs: Number.NEGATIVE_INFINITY, inUse: { number: 0, id: null } }
    for (const { step, position } of steps) {
      const oldest = await step.next(sql, position)
      if (oldest) of.behindMs = Math.max(of.behindMs, cutoff.getTime() - oldest.getTime())
      if (!step.showsInUse) continue
      const rows = await sql.rows(selectPostponed, [step.name, firstIdAt(later(cutoff, -MAX_IN_USE_MS))])
      of.inUse = { number: of.inUse.number + rows.length, id: of.inUse.id ?? rows[0]?.id ?? null }
    }
    overdue.push(of)
  }
  return overdue
}

const selectPostponed = statement<{ id: string }>(
  'list_long_postponed_retention',
  `select id from retention_postponed where step = $1 and id < $2 order by id limit ${MAX_COUNTED}`,
)
