import { HOUR_MS, later } from '../../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import type { NewFinding } from '../finding.ts'

/** An erasure searches hundreds of GB of reports in this time. */
const MAX_ERASING_MS = HOUR_MS
const MAX_WORKSPACES = 50

type UnfinishedErasures = { workspaceId: string; workspace: string; number: number }

/** Erasures of a recipient that were interrupted and not repeated. The number stays out of the finding. */
export const findUnfinishedErasures = async (sql: Sql, now: Date): Promise<NewFinding[]> =>
  (await sql.rows(listUnfinished, [later(now, -MAX_ERASING_MS)])).map(
    (unfinished): NewFinding => ({ code: 'erasure_unfinished', ...unfinished }),
  )

const listUnfinished: Statement<UnfinishedErasures> = statement(
  'list_workspaces_with_unfinished_erasures',
  `select w.id as "workspaceId", w.name as workspace, count(distinct u.pseudonym)::int as number
   from unfinished_erasures u join workspaces w on w.id = u.workspace_id
   where u.begun_at < $1 and w.deleted_at is null
   group by w.id order by min(u.begun_at) limit ${MAX_WORKSPACES}`,
)
