import { countDays } from '../../charts/count.ts'
import { MAX_RANGE_DAYS } from '../../charts/daily.ts'
import { type Day, addDays, dayAt, daysBetween, startOfDay } from '../../charts/days.ts'
import { type Group, sumOf, totalOf } from '../../charts/figures.ts'
import { HOUR_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { Workspace } from '../../workspaces/workspaces.ts'
import { type Difference, shown } from './differences.ts'

export type CountedDay = { day: Day; time_zone: string; groups: Group[]; counted_at: Date }

/** A range of a chart is shorter; older days are in no chart. */
const MAX_DAYS = 100

const selectDays: Statement<CountedDay> = statement(
  'list_daily_figures_to_verify',
  `select day, time_zone, groups, counted_at from daily_figures
   where workspace_id = $1 and counted_at is not null and day >= coalesce($2::date, '-infinity'::date)
   order by day desc limit ${MAX_DAYS}`,
)

/** Days that were counted when all their rows were stored. `from`: the first day whose records are all kept. */
export async function listCountedDays(tx: Sql, workspaceId: string, from: Day | null): Promise<CountedDay[]> {
  const days = await tx.rows(selectDays, [workspaceId, from])
  return days.filter(
    ({ day, time_zone, counted_at }) => counted_at >= later(startOfDay(addDays(day, 1), time_zone), HOUR_MS),
  )
}

type DayRow = { day: Day; time_zone: string; counted_at: Date | null }

const selectRows: Statement<DayRow> = statement(
  'list_days_to_verify',
  `select day, time_zone, counted_at from daily_figures
   where workspace_id = $1 and day >= coalesce($2::date, '-infinity'::date) order by day desc limit ${MAX_DAYS}`,
)

/** Days without a row between days that have one. A worker plans all of them, unless it did not run for that long. */
export async function findMissingDays(
  tx: Sql,
  { workspaceId, createdAt }: Workspace,
  from: Day | null,
): Promise<Difference[]> {
  const rows = await tx.rows(selectRows, [workspaceId, from])
  return rows.flatMap((next, index): Difference[] => {
    const before = rows[index + 1]
    if (!before || !next.counted_at) return []
    const planned = addDays(dayAt(next.counted_at, next.time_zone), -1 - MAX_RANGE_DAYS)
    return daysBetween(addDays(before.day, 1), addDays(next.day, -1))
      .filter((day) => day >= planned && day > dayAt(createdAt, next.time_zone))
      .map((day) => ({ id: workspaceId, text: { code: 'verify.daily_figures_missing', day } }))
  })
}

/** Compares a day with a recount: how many of each kind there were. Their statuses may have changed after the last count. */
export async function checkDay(tx: Sql, workspaceId: string, counted: CountedDay): Promise<Difference[]> {
  const { day, time_zone: timeZone } = counted
  const clock = { sandbox: false, offsetMs: 0 }
  const again = totalsOf(await countDays(tx, { workspaceId, days: [day], timeZone, clock }))
  return Object.entries(totalsOf(counted.groups)).flatMap(([figure, stored]): Difference[] => {
    const derived = again[figure] ?? 0
    if (stored === derived) return []
    const text = { code: 'verify.daily_figures', day, figure, stored: shown(stored), derived: shown(derived) } as const
    return [{ id: workspaceId, text }]
  })
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
