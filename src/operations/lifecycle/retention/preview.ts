import { type Sql, isTemporary, statement } from '../../../lib/db/pool.ts'
import { type FindUncountedSince, findCutoff } from './cutoff.ts'
import { type Keep, keptDays } from './hold.ts'
import { KEPT_CLASSES, type KeptClass } from './kept-since.ts'
import { retentionSteps } from './loop.ts'
import { listPositions } from './overdue.ts'
import { type Count, MAX_READ_TO_COUNT } from './step.ts'

/** Null: the database could not count them now, because it is busy or the table is locked. */
type TableCount = { table: string } & (Count | { rows: null; more: null })

/** What removal would remove now. */
export type RemovalPreview = {
  classes: { class: KeptClass; days: number; until: Date; tables: TableCount[] }[]
  /** Whose deletion is due. */
  workspaces: number
}

/** Also while removal is held. Rows that are still in use are counted too. */
export async function previewRemoval(
  sql: Sql,
  options: { now: Date; keep: Keep; findUncountedSince: FindUncountedSince; maxRead?: number },
): Promise<RemovalPreview> {
  const { now, keep, maxRead = MAX_READ_TO_COUNT } = options
  const positions = await listPositions(sql)
  const classes: RemovalPreview['classes'] = []
  for (const keptClass of KEPT_CLASSES.filter((each) => keptDays(keep, each) > 0)) {
    const until = await findCutoff(sql, keptClass, options)
    const tables: TableCount[] = []
    for (const step of retentionSteps.filter((each) => each.class === keptClass)) {
      const count = await step.count(sql, positions.get(step.name), until, maxRead).catch(ifUncountable)
      tables.push({ table: step.table, ...count })
    }
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
