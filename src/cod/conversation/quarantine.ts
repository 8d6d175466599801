import { type Sql, statement } from '../../lib/db/pool.ts'
import type { QuarantinedRow } from '../../runtime/jobs/retry.ts'

const listTimers = statement<QuarantinedRow>(
  'list_quarantined_timers',
  `select 'timer' as kind, id, workspace_id as "workspaceId", timer_quarantined_at as since, timer_error as fault
   from (
     select id, workspace_id, timer_quarantined_at, timer_error from confirmations
     union all
     select confirmation_id, workspace_id, timer_quarantined_at, timer_error from refusal_checks) timer
   where timer_quarantined_at is not null and ($1::uuid is null or workspace_id = $1)
   order by timer_quarantined_at limit $2`,
)

export const listQuarantinedTimers = (
  sql: Sql,
  { workspaceId, limit }: { workspaceId: string | null; limit: number },
): Promise<QuarantinedRow[]> => sql.rows(listTimers, [workspaceId, limit])

const NO_FAULT = 'timer_tries = 0, timer_error = null, timer_retry_at = null, timer_quarantined_at = null'

const releaseBoth = statement<{ workspaceId: string }>(
  'release_quarantined_timers',
  `with of_confirmation as (
     update confirmations set ${NO_FAULT} where id = $1 and timer_quarantined_at is not null returning workspace_id
   ), of_check as (
     update refusal_checks set ${NO_FAULT} where confirmation_id = $1 and timer_quarantined_at is not null returning workspace_id
   )
   select workspace_id as "workspaceId" from of_confirmation union all select workspace_id from of_check limit 1`,
)

/** Releases the timers of both checks. Returns undefined if none is quarantined. */
export const releaseTimers = (tx: Sql, confirmationId: string): Promise<{ workspaceId: string } | undefined> =>
  tx.row(releaseBoth, [confirmationId])
