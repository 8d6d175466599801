import { DAY_MS, later } from '../lib/clock.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import { firstIdSince } from '../lib/lists/id-range.ts'
import { QUOTA_KINDS, type QuotaKind, quotaMonth } from '../workspaces/quota.ts'

export type Usage = { kind: QuotaKind; monthlyUnits: number; used: number; forecast: Forecast }

type UsageQuery = {
  workspaceId: string
  /** In the workspace's time. */
  now: Date
  /** How far the workspace's clock is ahead. */
  clockOffsetMs: number
}

export async function listUsage(sql: Sql, { workspaceId, now, clockOffsetMs }: UsageQuery): Promise<Usage[]> {
  const month = quotaMonth(now)
  const lastMonth = quotaMonth(later(new Date(month), -DAY_MS))
  const rows = await sql.rows(selectUsed, [workspaceId, month, lastMonth])
  const since = later(now, -PACE_DAYS * DAY_MS)
  return Promise.all(
    QUOTA_KINDS.map(async (kind) => {
      const row = rows.find((each) => each.kind === kind) ?? UNUSED
      const { monthlyUnits, used } = row
      const values = [workspaceId, since, ...(kind === 'cod_refusal' ? [] : [firstIdSince(since, clockOffsetMs)])]
      const wasUsed = used + row.usedLastMonth > 0
      const first = wasUsed ? await sql.row(findFirstUnit[kind], values) : undefined
      const pace = paceOf({ ...row, first }, now)
      return { kind, monthlyUnits, used, forecast: forecast({ monthlyUnits, used, now }, pace) }
    }),
  )
}

/** `usedEarlier`: whether any unit was used before the current month. */
const UNUSED = { monthlyUnits: 0, used: 0, usedLastMonth: 0, usedEarlier: false }

type UsedRow = typeof UNUSED & { kind: QuotaKind }

const selectUsed = statement<UsedRow>(
  'list_quota_usage',
  `select a.kind, a.monthly_units as "monthlyUnits",
     coalesce((select used from quota_usage q where q.workspace_id = $1 and q.kind = a.kind and q.month = $2), 0) as used,
     coalesce((select used from quota_usage q where q.workspace_id = $1 and q.kind = a.kind and q.month = $3), 0)
       as "usedLastMonth",
     exists (select from quota_usage q
       where q.workspace_id = $1 and q.kind = a.kind and q.month < $2 and q.used > 0) as "usedEarlier"
   from quotas a where a.workspace_id = $1`,
)

/** `unit`: its number within its month. */
type First = { unit: number; at: Date }

/** Many messages of another kind may precede the first one. */
const MAX_SCANNED_ROWS = 100_000

/** $1: workspace; $2: start of the period; $3: an id from before $2. */
const findFirstUnit = {
  otp: statement<First>(
    'find_first_otp_unit_since',
    `select quota_unit as unit, created_at as at from (
       select id, kind, quota_unit, created_at from messages
       where workspace_id = $1 and id >= $3 order by id limit ${MAX_SCANNED_ROWS}) m
     where kind = 'otp' and created_at >= $2 order by id limit 1`,
  ),
  cod_confirmation: statement<First>(
    'find_first_confirmation_unit_since',
    `select quota_unit as unit, created_at as at from (
       select id, quota_unit, created_at from confirmations
       where workspace_id = $1 and id >= $3 order by id limit ${MAX_SCANNED_ROWS}) c
     where created_at >= $2 order by id limit 1`,
  ),
  cod_refusal: statement<First>(
    'find_first_refusal_unit_since',
    `select quota_unit as unit, created_at as at from refusal_checks
     where workspace_id = $1 and created_at > '-infinity' and created_at >= $2 order by created_at limit 1`,
  ),
} as const satisfies Record<QuotaKind, unknown>

type Pace = { units: number; overMs: number }

/** What happens to this month's quota at the recent pace. */
type Forecast =
  | { will: 'is_out' }
  | { will: 'is_unused' }
  /** Less than a day of use is known. */
  | { will: 'is_too_early' }
  | { will: 'runs_out'; at: Date }
  | { will: 'lasts' }

/** A whole week, because some weekdays are busier than others. */
const PACE_DAYS = 7

type QuotaUse = { monthlyUnits: number; used: number; now: Date }

export function forecast({ monthlyUnits, used, now }: QuotaUse, { units, overMs }: Pace): Forecast {
  const remaining = monthlyUnits - used
  if (remaining <= 0) return { will: 'is_out' }
  if (units <= 0) return { will: 'is_unused' }
  if (overMs < DAY_MS) return { will: 'is_too_early' }
  const at = later(now, Math.min((remaining / units) * overMs, MAX_FORECAST_MS))
  return at < endOfMonth(now) ? { will: 'runs_out', at } : { will: 'lasts' }
}

/** Longer than any month, and within the range of a Date. */
const MAX_FORECAST_MS = 100 * DAY_MS

/** Quotas count calendar months in UTC (docs/api.md#limits). */
export const endOfMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))

/** `first`: the first use of the last PACE_DAYS. */
type QuotaHistory = Pick<UsedRow, 'used' | 'usedLastMonth' | 'usedEarlier'> & { first: First | undefined }

/** Units are numbered within their month, so the first one's number gives the count since then. */
export function paceOf({ used, usedLastMonth, usedEarlier, first }: QuotaHistory, now: Date): Pace {
  const since = later(now, -PACE_DAYS * DAY_MS)
  if (!first) return { units: 0, overMs: PACE_DAYS * DAY_MS }
  const isThisMonth = first.at >= new Date(quotaMonth(now))
  const units = (isThisMonth ? used : usedLastMonth + used) - first.unit + 1
  const isFirstEver = first.unit === 1 && !(isThisMonth && usedEarlier)
  const from = isFirstEver && first.at > since ? first.at : since
  return { units, overMs: now.getTime() - from.getTime() }
}
