import { newestFirst } from '../lib/db/pool.ts'
import type { QuotaKind } from '../workspaces/quota.ts'

/**
 * SQL of an `insert` (engine.ts). `columns`: of a request. `inserted`: common table expressions that insert rows of `numbered` whose
 * `unit` is at most `monthly_units`; the one named `inserted` returns their ids and workspaces, and each takes a unit. `returned`: what
 * the statement returns of them.
 */
export const insertWithinQuota = (
  quota: QuotaKind,
  { columns, inserted, returned = 'id' }: { columns: string; inserted: string; returned?: string },
): string =>
  `with counters as materialized (
     select r.workspace_id, r.month, r.created_at, r.requests, q.used
     from (
       select r.* from (select set_config('lock_timeout', $4, true)) lock_wait
       cross join jsonb_to_recordset($1) as r (workspace_id uuid, month date, created_at timestamptz, requests jsonb)
       -- in one order, so that groups of several nodes cannot deadlock
       order by r.workspace_id) r
     cross join lateral (
       select used from quota_usage
       where workspace_id = r.workspace_id and kind = '${quota}' and ${newestFirst('month', 'r.month')}
       order by month desc limit 1 for update) q
   ), numbered as (
     select q.workspace_id, q.created_at, l.monthly_units, c.*,
            q.used + row_number() over (partition by q.workspace_id order by c.id) as unit
     from counters q
     cross join lateral (
       select monthly_units from quotas where workspace_id = q.workspace_id and kind = '${quota}' limit 1) l
     cross join lateral jsonb_to_recordset(q.requests) as c (
       ${columns})
   ), ${inserted}
   select ${returned} from inserted
   -- always true: it takes the units of each workspace
   where (
     select count(take_units(workspace_id, '${quota}', month, units))
     from (select workspace_id, count(*) as units from inserted group by workspace_id) taken
     join counters using (workspace_id)) >= 0`
