import { type Sql, statement } from '../db/pool.ts'
import { type FindUncountedSince, findCutoff } from './cutoff.ts'
import { type Keep, keptDays } from './hold.ts'
import { KEPT_CLASSES, type KeptClass } from './kept-since.ts'
import { retentionSteps } from './loop.ts'
import { listPositions } from './overdue.ts'

/** What removal would remove now. A number of rows is MAX_COUNTED at most. */
export type RemovalPreview = {
  classes: { class: KeptClass; days: number; until: Date; tables: { table: string; rows: number }[] }[]
  /** Whose deletion is due. */
  workspaces: number
}

/** Also while removal is held. Rows that are still in use are counted too. */
export async function previewRemoval(
  sql: Sql,
  options: { now: Date; keep: Keep; findUncountedSince: FindUncountedSince },
): Promise<RemovalPreview> {
  const { now, keep } = options
  const positions = await listPositions(sql)
  const classes: RemovalPreview['classes'] = []
  for (const keptClass of KEPT_CLASSES.filter((each) => keptDays(keep, each) > 0)) {
    const until = await findCutoff(sql, keptClass, options)
    const tables: { table: string; rows: number }[] = []
    for (const step of retentionSteps.filter((each) => each.class === keptClass))
      tables.push({ table: step.table, rows: await step.count(sql, positions.get(step.name), until) })
    classes.push({ class: keptClass, days: keptDays(keep, keptClass), until, tables })
  }
  const workspaces = (await sql.row(countDeletions, [now]))?.workspaces ?? 0
  return { classes, workspaces }
}

const countDeletions = statement<{ workspaces: number }>(
  'count_workspaces_due_for_deletion',
  `select count(*)::int as workspaces from workspaces
   where deletion_due_at <= $1 and purged_at is null and deleted_at is null`,
)
