import { DAY_MS, later } from '../clock.ts'
import { type Sql, statement } from '../db.ts'
import { firstIdSince } from '../sandbox/ids-between.ts'
import { type Forecast, PACE_DAYS, forecast, paceOf } from './forecast.ts'
import { QUOTA_KINDS, type QuotaKind, quotaMonth } from './quota.ts'

/** How much of the month's allowance of one kind is used, and what becomes of it. */
export type Usage = { kind: QuotaKind; monthlyUnits: number; used: number; forecast: Forecast }

type Asked = {
  workspaceId: string
  /** In the workspace's time, whose month it is. */
  now: Date
  /** How far its clock is ahead, ms. */
  clockOffsetMs: number
}

export async function listUsage(sql: Sql, { workspaceId, now, clockOffsetMs }: Asked): Promise<Usage[]> {
  const month = quotaMonth(now)
  const lastMonth = quotaMonth(later(new Date(month), -DAY_MS))
  const rows = await sql.rows(selectUsed, [workspaceId, month, lastMonth])
  const since = later(now, -PACE_DAYS * DAY_MS)
  return Promise.all(
    QUOTA_KINDS.map(async (kind) => {
      const row = rows.find((each) => each.kind === kind)
      const monthlyUnits = row?.monthlyUnits ?? 0
      const used = {
        used: row?.used ?? 0,
        usedLastMonth: row?.usedLastMonth ?? 0,
        usedEarlier: row?.usedEarlier ?? false,
      }
      const wasUsed = used.used + used.usedLastMonth > 0
      const from = [workspaceId, since, ...(kind === 'cod_refusal' ? [] : [firstIdSince(since, clockOffsetMs)])]
      const first = wasUsed ? await sql.row(firstOf[kind], from) : undefined
      const pace = paceOf({ ...used, first }, now)
      return { kind, monthlyUnits, used: used.used, forecast: forecast({ monthlyUnits, used: used.used, now }, pace) }
    }),
  )
}

type UsedRow = { kind: QuotaKind; monthlyUnits: number; used: number; usedLastMonth: number; usedEarlier: boolean }

const selectUsed = statement<UsedRow>(
  'list_quota_usage',
  `select a.kind, a.monthly_units as "monthlyUnits",
     coalesce((select used from quota_usage q where q.workspace_id = $1 and q.kind = a.kind and q.month = $2), 0) as used,
     coalesce((select used from quota_usage q where q.workspace_id = $1 and q.kind = a.kind and q.month = $3), 0)
       as "usedLastMonth",
     exists (select from quota_usage q
       where q.workspace_id = $1 and q.kind = a.kind and q.month < $2 and q.used > 0) as "usedEarlier"
   from allowances a where a.workspace_id = $1`,
)

type First = { unit: number; at: Date }

/** Of another kind than is looked for: so many messages may lie before the first one. */
const LOOKED_THROUGH_MOST = 100_000

/** $1: the workspace, $2: since when, $3: an id that is older than that. */
const firstOf = {
  otp: statement<First>(
    'find_first_otp_unit_since',
    `select quota_unit as unit, created_at as at from (
       select id, kind, quota_unit, created_at from messages
       where workspace_id = $1 and id >= $3 order by id limit ${LOOKED_THROUGH_MOST}) m
     where kind = 'otp' and created_at >= $2 order by id limit 1`,
  ),
  cod_confirmation: statement<First>(
    'find_first_confirmation_unit_since',
    `select quota_unit as unit, created_at as at from (
       select id, quota_unit, created_at from confirmations
       where workspace_id = $1 and id >= $3 order by id limit ${LOOKED_THROUGH_MOST}) c
     where created_at >= $2 order by id limit 1`,
  ),
  cod_refusal: statement<First>(
    'find_first_refusal_unit_since',
    `select quota_unit as unit, created_at as at from refusal_checks
     where workspace_id = $1 and created_at > '-infinity' and created_at >= $2 order by created_at limit 1`,
  ),
} as const satisfies Record<QuotaKind, unknown>
