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

type DueClass = { class: KeptClass; cutoff: Date; steps: { step: Step; position: Position | undefined }[] }

/** Without the classes that are kept forever. */
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

/** Null: the database could not count them now, because it is busy or the table is locked. */
type TableCount = { table: string } & (Count | { rows: null; more: null })

/** What removal would remove now. */
export type RemovalPreview = {
  classes: { class: KeptClass; days: number; until: Date; tables: TableCount[] }[]
  /** Whose deletion is due. */
  workspaces: number
}

/** Also while removal is held. Rows that are still in use are counted too. */
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

/** Only one table is unknown then: an operator can still see the others, and confirm. */
function ifUncountable(error: unknown): { rows: null; more: null } {
  if (!isTemporary(error)) throw error
  return { rows: null, more: null }
}

const countDeletions = statement<{ workspaces: number }>(
  'count_workspaces_due_for_deletion',
  `select count(*)::int as workspaces from workspaces
   where deletion_due_at <= $1 and purged_at is null and deleted_at is null`,
)

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
