import { countDay } from '../../charts/count.ts'
import { daysToPlan } from '../../charts/daily.ts'
import { type Day, addDays, dayAt, startOfDay } from '../../charts/days.ts'
import { type Group, sumOf, totalOf } from '../../charts/figures.ts'
import { HOUR_MS, MINUTE_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { firstIdAt } from '../../lib/ids.ts'
import { type QuotaKind, quotaMonth } from '../../workspaces/quota.ts'
import type { Workspace } from '../../workspaces/workspaces.ts'
import { type UnitResult, compare } from './differences.ts'

/** No request is stored this long after its id was created. */
const MAX_ACCEPTING_MS = 5 * MINUTE_MS

/** Accepted requests by kind and month, as they are walked. Requests from the id `until` on are counted together with the counters. */
export type WalkedUnits = { until: string; counts: Record<string, number> }

/** Ids are created with the system's clock. */
export const noUnits = (): WalkedUnits => ({ until: firstIdAt(later(new Date(), -MAX_ACCEPTING_MS)), counts: {} })

/** The month counts in the workspace's time, which a sandbox may have moved. */
export function countUnits({ until, counts }: WalkedUnits, units: readonly UnitResult[]): void {
  for (const { id, used } of units) {
    const key = used && `${used.kind} ${quotaMonth(used.at)}`
    if (key && id < until) counts[key] = (counts[key] ?? 0) + 1
  }
}

const MONTH = `date_trunc('month', created_at at time zone 'UTC')::date`

/**
 * For months that begin at $3 or later: the counters and, in the same snapshot, the requests from the id $2 on, added to the
 * earlier ones that were walked ($4). The ids of refusal checks are not in the order of time.
 */
const readUnits: Statement<{ kind: QuotaKind; month: string; stored: number; derived: number }> = statement(
  'read_units_to_verify',
  `select kind, month, sum(stored)::integer as stored, sum(derived)::integer as derived from (
     select kind, month, used, 0 from quota_usage where workspace_id = $1
     union all
     select 'otp', ${MONTH}, 0, 1 from messages where workspace_id = $1 and id >= $2 and kind = 'otp'
     union all
     select 'cod_confirmation', ${MONTH}, 0, 1 from confirmations where workspace_id = $1 and id >= $2
     union all
     select 'cod_refusal', ${MONTH}, 0, 1 from refusal_checks
     where workspace_id = $1 and created_at > '-infinity' and created_at >= coalesce($3, '-infinity'::timestamptz)
     union all
     select split_part(key, ' ', 1), split_part(key, ' ', 2)::date, 0, value::integer from jsonb_each_text($4)
   ) unit (kind, month, stored, derived)
   where month::timestamp at time zone 'UTC' >= coalesce($3, '-infinity'::timestamptz) group by kind, month`,
)

/** `since`: all records from then on are kept. Null: all that there ever were. */
type Kept = { workspaceId: string; since: Date | null }

/** Compares the counters with the accepted requests of each kind and month. */
export async function checkMonths(tx: Sql, { workspaceId: id, since }: Kept, walked: WalkedUnits) {
  const months = await tx.rows(readUnits, [id, walked.until, since, JSON.stringify(walked.counts)])
  return months.map((month): UnitResult => {
    const differences = compare({ id, code: 'verify.units', ...month })
    return { kind: 'months', id, differences, verifiable: true }
  })
}

/** Longer than any range of a chart: older days are in no chart. */
const MAX_DAYS = 100

type StoredDay = { day: Day; time_zone: string; groups: Group[]; counted_at: Date | null }

const selectDays: Statement<StoredDay> = statement(
  'list_days_to_verify',
  `select day, time_zone, groups, counted_at from daily_figures
   where workspace_id = $1 and day >= coalesce($2::date, '-infinity'::date) order by day desc limit ${MAX_DAYS}`,
)

/** In every time zone, the day that contains the time is incomplete. */
const DAY_MARGIN_MS = 48 * HOUR_MS

/** Returns the latest days first. */
export const readDays = (tx: Sql, { workspaceId, since }: Kept): Promise<StoredDay[]> =>
  tx.rows(selectDays, [workspaceId, since && dayAt(later(since, DAY_MARGIN_MS), 'UTC')])

/** Numbers that, unlike statuses, do not change after the last count of a day. */
const FIGURES = ['message.otp', 'message.cod', 'otp.', 'verification.started', 'confirmation.', 'refusal.']

/** Compares a day with a recount: how many of each kind there were. Also reports the days that are missing between it and `before`. */
export async function checkDay(
  tx: Sql,
  { workspaceId: id, createdAt }: Workspace,
  stored: StoredDay,
  before: StoredDay | undefined,
): Promise<UnitResult[]> {
  const { day, time_zone: timeZone, groups, counted_at } = stored
  if (!counted_at) return []
  const planned = before ? daysToPlan({ createdAt, timeZone, newest: before.day }, null, counted_at) : []
  const missing = planned.filter((each) => each < day)
  // An earlier count may have missed rows that were stored later.
  const isFinal = counted_at >= later(startOfDay(addDays(day, 1), timeZone), HOUR_MS)
  const counting = { workspaceId: id, day, timeZone, clock: { sandbox: false, offsetMs: 0 } }
  const [counts, recount] = isFinal
    ? [sumOf(groups), sumOf((await Array.fromAsync(countDay(tx, counting))).flat())]
    : [{}, {}]
  const differences = [
    ...missing.map((each) => ({ id, code: 'verify.daily_figures_missing', day: each }) as const),
    ...FIGURES.flatMap((prefix) => {
      const values = { stored: totalOf(counts, prefix), derived: totalOf(recount, prefix) }
      return compare({ id, code: 'verify.daily_figures', day, figure: `${prefix}*`, ...values })
    }),
  ]
  return isFinal || differences.length > 0 ? [{ kind: 'days', id, differences, verifiable: true }] : []
}
