import { countDays } from '../../charts/count.ts'
import { MAX_RANGE_DAYS } from '../../charts/daily.ts'
import { type Day, addDays, dayAt, daysBetween, startOfDay } from '../../charts/days.ts'
import { type Group, sumOf, totalOf } from '../../charts/figures.ts'
import { HOUR_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { Workspace } from '../../workspaces/workspaces.ts'
import { type Difference, compared, difference } from './differences.ts'

/** A range of a chart is shorter; older days are in no chart. */
const MAX_DAYS = 100

type StoredDay = { day: Day; time_zone: string; groups: Group[]; counted_at: Date | null }

const selectDays: Statement<StoredDay> = statement(
  'list_days_to_verify',
  `select day, time_zone, groups, counted_at from daily_figures
   where workspace_id = $1 and day >= coalesce($2::date, '-infinity'::date) order by day desc limit ${MAX_DAYS}`,
)

/** The latest first. `from`: the first day whose records are all kept. */
export const readDays = (tx: Sql, workspaceId: string, from: Day | null): Promise<StoredDay[]> =>
  tx.rows(selectDays, [workspaceId, from])

/** Days without a row between days that have one. A worker plans all of them, unless it did not run for that long. */
export const findMissingDays = ({ workspaceId, createdAt }: Workspace, days: readonly StoredDay[]): Difference[] =>
  days.flatMap((next, index) => {
    const before = days[index + 1]
    if (!before || !next.counted_at) return []
    const planned = addDays(dayAt(next.counted_at, next.time_zone), -1 - MAX_RANGE_DAYS)
    return daysBetween(addDays(before.day, 1), addDays(next.day, -1))
      .filter((day) => day >= planned && day > dayAt(createdAt, next.time_zone))
      .map((day) => difference(workspaceId, { code: 'verify.daily_figures_missing', day }))
  })

/** Whether it was counted when all its rows were stored. */
export const isCounted = ({ day, time_zone, counted_at }: StoredDay): boolean =>
  counted_at !== null && counted_at >= later(startOfDay(addDays(day, 1), time_zone), HOUR_MS)

/** Compares a day with a recount: how many of each kind there were. Their statuses may have changed after the last count. */
export async function checkDay(
  tx: Sql,
  workspaceId: string,
  { day, time_zone, groups }: StoredDay,
): Promise<Difference[]> {
  const clock = { sandbox: false, offsetMs: 0 }
  const again = totalsOf(await countDays(tx, { workspaceId, days: [day], timeZone: time_zone, clock }))
  return Object.entries(totalsOf(groups)).flatMap(([figure, stored]) =>
    compared(workspaceId, { code: 'verify.daily_figures', day, figure }, { stored, derived: again[figure] ?? 0 }),
  )
}

function totalsOf(groups: readonly Group[]): Record<string, number> {
  const counts = sumOf(groups)
  return {
    'message.otp': counts['message.otp'] ?? 0,
    'message.cod': counts['message.cod'] ?? 0,
    'otp.*': totalOf(counts, 'otp.'),
    'order.*': totalOf(counts, 'order.'),
    'refusal.*': totalOf(counts, 'refusal.'),
  }
}
