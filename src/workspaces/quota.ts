import { type Sql, batch, statement } from '../db.ts'

export const QUOTA_KINDS = ['otp', 'cod_confirmation', 'cod_refusal'] as const
export type QuotaKind = (typeof QUOTA_KINDS)[number]

/** What a new workspace may send of each kind a month until its allowance is set (contract §8). */
export const DEFAULT_MONTHLY_UNITS = 10_000

/** The first day of the instant's calendar month in UTC, `YYYY-MM-01` (contract §8). */
export const quotaMonth = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`

const openMonths = statement(
  'open_quota_months',
  `insert into quota_usage (workspace_id, kind, month, used)
   select m.workspace_id, m.kind, m.month, 0
   from jsonb_to_recordset($1) as m (workspace_id uuid, kind text, month date)
   order by m.workspace_id
   on conflict do nothing`,
)

/** The month's counters, for the first request of a month. */
export async function openQuotaMonths(
  sql: Sql,
  months: readonly { workspace_id: string; kind: QuotaKind; month: string }[],
): Promise<void> {
  await sql.rows(openMonths, [batch(months)])
}
