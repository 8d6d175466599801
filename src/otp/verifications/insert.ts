/**
 * Inserts codes as long as the quota of their workspaces has units. `columns`: of a request. `inserted`: common table expressions that
 * insert the rows of `allowed`; the one named `inserted` returns their ids. A node that was frozen through a rotation of the
 * instance key stores nothing under the former key: `key_check` has changed.
 */
export const insertWithinQuota = (columns: string, inserted: string): string =>
  `with quotas as materialized (
     select r.workspace_id, r.month, r.created_at, r.requests, q.used, l.monthly_units
     from jsonb_to_recordset($1) as r (
       workspace_id uuid, month date, created_at timestamptz, requests jsonb)
     join quota_usage q on q.workspace_id = r.workspace_id and q.kind = 'otp' and q.month = r.month
     join quotas l on l.workspace_id = r.workspace_id and l.kind = 'otp'
     -- in one order, so that groups of several nodes cannot deadlock
     order by q.workspace_id
     for update of q
   ), numbered as materialized (
     select q.workspace_id, q.created_at, q.monthly_units, c.*,
            q.used + row_number() over (partition by q.workspace_id order by c.id) as unit
     from quotas q cross join lateral jsonb_to_recordset(q.requests) as c (
       id uuid, sender_id uuid, recipient text, name text, language text, reference text, key text, code bytea,
       deliver_within_seconds smallint, correlation_id uuid, api_key_id text, ${columns})
   ), allowed as materialized (
     select * from numbered
     where unit <= monthly_units and $4 = (select key_check from instance where only_row)
   ), ${inserted}, counted as (
     update quota_usage q set used = q.used + i.units
     from (select workspace_id, count(*) as units from inserted group by workspace_id) i join quotas using (workspace_id)
     where q.workspace_id = i.workspace_id and q.kind = 'otp' and q.month = quotas.month
   )
   select id from inserted`
