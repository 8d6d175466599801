import { type CodedText, plainText } from '../../locales/text.ts'
import { workspaceStatement } from '../lib/db/workspace-batch.ts'
import { type Sql, batch, statement } from '../lib/db/pool.ts'

export const QUOTA_KINDS = ['otp', 'cod_confirmation', 'cod_refusal'] as const
export type QuotaKind = (typeof QUOTA_KINDS)[number]

/** What a new workspace may send of each kind a month until its quota is set (docs/api.md#limits). */
export const DEFAULT_MONTHLY_UNITS = 10_000

/** The first day of the instant's calendar month in UTC, `YYYY-MM-01`. */
export const quotaMonth = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`

/** `now`: in the workspace's time. A quota of 0 stays 0 next month. */
export function usedUpText({ kind, monthlyUnits }: Pick<Quota, 'kind' | 'monthlyUnits'>, now: Date): CodedText {
  if (monthlyUnits === 0) return plainText(`accept.no_units_${kind}`)
  const first = Temporal.PlainDate.from(quotaMonth(now))
  return {
    code: `accept.used_up_${kind}`,
    quota: monthlyUnits,
    month: first.toPlainYearMonth().toString(),
    reset: first.add({ months: 1 }).toString(),
  }
}

const selectUsedUp = workspaceStatement<Pick<Quota, 'kind' | 'monthlyUnits'>>(
  'list_used_up_quotas',
  `select a.kind, a.monthly_units as "monthlyUnits" from quotas a
   cross join lateral (
     select used from quota_usage q where q.workspace_id = $1 and q.kind = a.kind and q.month = $2 limit 1) q
   where a.workspace_id = $1 and a.monthly_units > 0 and q.used >= a.monthly_units order by a.kind`,
)

/** Without those of 0, which are intended. `now`: in the workspace's time. */
export const listUsedUp = (sql: Sql, workspaceId: string, now: Date): Promise<Pick<Quota, 'kind' | 'monthlyUnits'>[]> =>
  sql.rows(selectUsedUp, [workspaceId, quotaMonth(now)])

/** `lowestLeft`: a share from 0 to 1; null without quotas. */
export type QuotaCount = { kind: QuotaKind; none: number; low: number; enough: number; lowestLeft: number | null }

/** Quotas of live workspaces of which less than this share is left are low. */
const LOW_SHARE = 0.1

/** The month's quotas of live workspaces, without those of 0, which are intended. */
export const countQuotas = async (sql: Sql, now: Date): Promise<QuotaCount[]> =>
  sql.rows(countByLeft, [quotaMonth(now), LOW_SHARE, [...QUOTA_KINDS]])

const countByLeft = statement<QuotaCount>(
  'count_quotas_by_left',
  `select k.kind, (count(*) filter (where l.share = 0))::int as none,
     (count(*) filter (where l.share > 0 and l.share < $2))::int as low,
     (count(*) filter (where l.share >= $2))::int as enough, min(l.share)::float8 as "lowestLeft"
   from unnest($3::text[]) with ordinality as k (kind, position)
   left join lateral (
     select greatest(0, 1 - coalesce(
       (select used from quota_usage u where u.workspace_id = q.workspace_id and u.kind = q.kind and u.month = $1), 0)::float8
         / q.monthly_units) as share
     from workspaces w cross join lateral (
       select workspace_id, kind, monthly_units from quotas
       where workspace_id = w.id and kind = k.kind and monthly_units > 0 limit 1) q
     where w.deleted_at is null and not w.sandbox) l on true
   group by k.kind, k.position order by k.position`,
)

const openMonths = statement(
  'open_quota_months',
  `insert into quota_usage (workspace_id, kind, month, used)
   select m.workspace_id, m.kind, m.month, 0
   from jsonb_to_recordset($1) as m (workspace_id uuid, kind text, month date)
   order by m.workspace_id
   on conflict do nothing`,
)

/** Creates the month's counters, for the first request of a month. */
export async function openQuotaMonths(
  sql: Sql,
  months: readonly { workspace_id: string; kind: QuotaKind; month: string }[],
): Promise<void> {
  await sql.rows(openMonths, [batch(months)])
}

/** `version`: of the row, as `lockedRowOf` returns it. */
export const findWorkspaceOfCounter = async (sql: Sql, version: string): Promise<string | undefined> =>
  (await sql.row(selectWorkspaceOfCounter, [version]))?.workspaceId

const selectWorkspaceOfCounter = statement<{ workspaceId: string }>(
  'find_workspace_of_quota_counter',
  'select workspace_id as "workspaceId" from quota_usage where ctid = $1::tid',
)

/** The maximum of the integer column. */
export const MAX_MONTHLY_UNITS = 2_147_483_647

const upsertQuota = statement(
  'set_quota',
  `insert into quotas (workspace_id, kind, monthly_units) values ($1, $2, $3)
   on conflict (workspace_id, kind) do update set monthly_units = excluded.monthly_units`,
)

type Quota = { workspaceId: string; kind: QuotaKind; monthlyUnits: number }

/** Applies from the next request. */
export async function setQuota(sql: Sql, { workspaceId, kind, monthlyUnits }: Quota): Promise<void> {
  await sql.rows(upsertQuota, [workspaceId, kind, monthlyUnits])
}

const selectQuotas = statement<{ kind: QuotaKind; monthly_units: number }>(
  'list_quotas',
  'select kind, monthly_units from quotas where workspace_id = $1',
)

export async function listQuotas(sql: Sql, workspaceId: string): Promise<Record<QuotaKind, number>> {
  const rows = await sql.rows(selectQuotas, [workspaceId])
  const units = (kind: QuotaKind): number => rows.find((row) => row.kind === kind)?.monthly_units ?? 0
  return { otp: units('otp'), cod_confirmation: units('cod_confirmation'), cod_refusal: units('cod_refusal') }
}

const lockQuota = statement<{ monthlyUnits: number }>(
  'lock_quota',
  'select monthly_units as "monthlyUnits" from quotas where workspace_id = $1 and kind = $2 for update',
)

/** Locks the quota, sets it and returns the previous units. */
export async function changeQuota(tx: Sql, quota: Quota): Promise<number> {
  const before = await tx.row(lockQuota, [quota.workspaceId, quota.kind])
  await setQuota(tx, quota)
  return before?.monthlyUnits ?? 0
}

const deleteUsage = statement('delete_quota_usage', 'delete from quota_usage where workspace_id = $1')

/** For a sandbox whose requests were removed. */
export const resetUsage = async (tx: Sql, workspaceId: string): Promise<void> => {
  await tx.rows(deleteUsage, [workspaceId])
}
