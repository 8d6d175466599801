import { DAY_MS, HOUR_MS, MINUTE_MS, later } from '../lib/clock.ts'
import { type Db, type Sql, type Statement, batch, isDatabaseUnavailable, statement } from '../lib/db/pool.ts'
import type { Loop } from '../runtime/jobs/loop.ts'
import type { Parts } from '../runtime/parts.ts'
import { findKeptSince, sinceBeginning } from '../operations/lifecycle/retention/kept-since.ts'
import { findClockBehindMs, findWorkspaceTime } from '../workspaces/workspace-time.ts'
import { type Counting, countDay, countDays } from './count.ts'
import { type Day, startOfDay, addDays, dayAt, daysBetween } from './days.ts'
import { type Group, merged } from './figures.ts'

/** The longest range of a chart. Older days are not counted. */
export const MAX_RANGE_DAYS = 92

const POLL_MS = 5 * MINUTE_MS
const WORKSPACES_EACH_TURN = 100
/**
 * When a day is counted again after its end, for late statuses and for answers, which may take a week and 23 hours. Later
 * changes are not in the charts.
 */
const COUNTED_AGAIN_AFTER_MS = [HOUR_MS, DAY_MS, 3 * DAY_MS, 9 * DAY_MS] as const
/** A day that could not be counted waits, so that it does not block others. */
const AFTER_FAULT_MS = HOUR_MS
/** Longer than all statements of a day may take. After this, another node counts it. */
const MAX_COUNTING_MS = 15 * MINUTE_MS

/** Time zones are at most this far from UTC, and the clocks of nodes a little apart. */
const ZONE_MARGIN_MS = DAY_MS

type DailyParts = Pick<Parts, 'db' | 'clock' | 'log'>

/** Counts the past days of live workspaces. Sandboxes have little data and clocks that jump. */
export function dailyFiguresLoop(parts: DailyParts): Loop {
  let after: string | null = null
  return {
    name: 'daily figures',
    pollMs: POLL_MS,
    async turn(stop) {
      const seen = await planDays(parts, after)
      after = seen.length === WORKSPACES_EACH_TURN ? (seen.at(-1) ?? null) : null
      const counted = await countNext(parts, stop)
      return { more: after !== null || counted }
    },
  }
}

/** `newest`: null if it was planned in another time zone. */
const selectWorkspaces = statement<{ workspaceId: string; createdAt: Date; timeZone: string; newest: Day | null }>(
  'list_workspaces_to_count',
  `select w.id as "workspaceId", w.created_at as "createdAt", z.zone as "timeZone",
     (select case when f.time_zone = z.zone then f.day end from daily_figures f
      where f.workspace_id = w.id order by f.day desc limit 1) as newest
   from workspaces w
   cross join lateral (
     select coalesce((select s.document ->> 'timeZone' from cod_settings s where s.workspace_id = w.id), 'UTC') as zone) z
   where not w.sandbox and w.deleted_at is null and w.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
   order by w.id limit ${WORKSPACES_EACH_TURN}`,
)

/** Days of another time zone are different days with the same names. From $3 on they still have their content, so they can be counted again. */
const planAll = statement(
  'plan_daily_figures',
  `insert into daily_figures as f (workspace_id, day, time_zone, groups, due_at)
   select workspace_id, day, time_zone, '[]', $2 from jsonb_to_recordset($1) as d (workspace_id uuid, day date, time_zone text)
   on conflict (workspace_id, day) do update
   set time_zone = excluded.time_zone, groups = '[]', counted_at = null, counts = 0, due_at = excluded.due_at
   where f.time_zone <> excluded.time_zone and f.day >= coalesce($3::date, '-infinity'::date)`,
)

/** Returns the workspaces that were read. */
async function planDays({ db, clock }: DailyParts, after: string | null): Promise<string[]> {
  const now = clock.now()
  const workspaces = await db.rows(selectWorkspaces, [after])
  const { content, records } = await findKeptSince(db)
  const days = workspaces.flatMap((workspace) => {
    const { workspaceId, timeZone } = workspace
    return daysToPlan(workspace, records, now).map((day) => ({ workspace_id: workspaceId, day, time_zone: timeZone }))
  })
  const whole = content && firstWholeDay(later(content, ZONE_MARGIN_MS), 'UTC')
  if (days.length > 0) await db.rows(planAll, [batch(days), now, whole])
  return workspaces.map(({ workspaceId }) => workspaceId)
}

/** The past days after the `newest` one that is planned; all of them if it is null. `records`: since when they are kept. */
export function daysToPlan(
  { createdAt, timeZone, newest }: { createdAt: Date; timeZone: string; newest: Day | null },
  records: Date | null,
  now: Date,
): Day[] {
  const yesterday = addDays(dayAt(now, timeZone), -1)
  const created = dayAt(createdAt, timeZone)
  const from =
    [
      addDays(yesterday, -MAX_RANGE_DAYS),
      created,
      ...(newest === null ? [] : [addDays(newest, 1)]),
      ...(records === null ? [] : [firstWholeDay(records, timeZone)]),
    ]
      .toSorted()
      .at(-1) ?? created
  return daysBetween(from, yesterday)
}

/** The first day without removed records. */
const firstWholeDay = (keptSince: Date, timeZone: string): Day => addDays(dayAt(keptSince, timeZone), 1)

/** The instant from which records are not counted yet. Returns undefined if there are no days to count. */
export async function findUncountedSince(sql: Sql): Promise<Date | undefined> {
  const day = (await sql.row(selectUncounted))?.day
  return day ? later(startOfDay(day, 'UTC'), -ZONE_MARGIN_MS) : undefined
}

/** The first day that will be counted, or that is not planned yet. */
const selectUncounted = statement<{ day: Day | null }>(
  'find_first_uncounted_day',
  `select least(
     (select min(day) from daily_figures where due_at is not null),
     (select min(coalesce(
        (select f.day + 1 from daily_figures f where f.workspace_id = w.id order by f.day desc limit 1), w.created_at::date - 1))
      from workspaces w where not w.sandbox and w.deleted_at is null)) as day`,
)

type DueDay = { workspaceId: string; day: Day; timeZone: string; counts: number }

/** The next due day, which no other node takes until $2. */
const takeDue: Statement<DueDay> = statement(
  'take_due_daily_figures',
  `with due as materialized (
     select workspace_id, day from daily_figures where due_at <= $1 order by due_at, day desc limit 1 for update skip locked)
   update daily_figures set due_at = $2
   where workspace_id = (select workspace_id from due) and day = (select day from due)
   returning workspace_id as "workspaceId", day, time_zone as "timeZone", counts`,
)

/** Changes nothing if another node has counted the day or the time zone has changed. */
const keep = statement(
  'keep_daily_figures',
  `update daily_figures set groups = $3, counted_at = $4, counts = counts + 1, due_at = $5
   where workspace_id = $1 and day = $2 and time_zone = $6 and counts = $7`,
)

const postpone = statement(
  'postpone_daily_figures',
  'update daily_figures set due_at = $3 where workspace_id = $1 and day = $2',
)

/** Returns false if no day is due. */
async function countNext({ db, clock, log }: DailyParts, stop?: AbortSignal): Promise<boolean> {
  const now = clock.now()
  const taken = await db.row(takeDue, [now, later(now, MAX_COUNTING_MS)])
  if (!taken) return false
  try {
    await count(db, taken, { now, stop })
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    const { workspaceId, day } = taken
    log.error({ err: error, workspaceId, day }, 'a day could not be counted for the charts and will be retried')
    await db.rows(postpone, [workspaceId, day, later(clock.now(), AFTER_FAULT_MS)])
  }
  return true
}

/** Holds no lock and has no transaction number, which clients that read events would wait for. */
async function count(
  db: Db,
  { workspaceId, day, timeZone, counts }: DueDay,
  { now, stop }: { now: Date; stop: AbortSignal | undefined },
): Promise<void> {
  const clock = { sandbox: false, offsetMs: 0 }
  const groups = await db.snapshot(async (tx) => {
    const all: Group[] = []
    for await (const ofHour of countDay(tx, { workspaceId, day, timeZone, clock })) {
      if (stop?.aborted) return undefined
      all.push(...ofHour)
    }
    return merged(all)
  })
  if (!groups) return
  const ended = startOfDay(addDays(day, 1), timeZone)
  const again = COUNTED_AGAIN_AFTER_MS.map((ms) => later(ended, ms)).find((at) => at > now)
  await db.rows(keep, [workspaceId, day, JSON.stringify(groups), now, again, timeZone, counts])
}

/** After a change of the time zone a day has its former figures, until `planAll` discards those that will be counted again. */
const selectKept = statement<{ day: Day; groups: Group[] }>(
  'list_daily_figures',
  'select day, groups from daily_figures where workspace_id = $1 and day between $2 and $3 and counted_at is not null',
)

const selectEarliest = statement<{ day: Day }>(
  'find_earliest_daily_figures',
  'select day from daily_figures where workspace_id = $1 order by day limit 1',
)

type Query = Omit<Counting, 'days'> & {
  createdAt: Date
  /** In the workspace's time. */
  now: Date
}

/** The first day that a chart can begin with. */
export async function findEarliestDay(sql: Sql, { workspaceId, createdAt, timeZone, clock, now }: Query): Promise<Day> {
  const farthest = addDays(dayAt(now, timeZone), -MAX_RANGE_DAYS)
  const counted = (await sql.row(selectEarliest, [workspaceId]))?.day ?? farthest
  const first = counted < farthest ? counted : farthest
  const backMs = await findClockBehindMs(sql, workspaceId)
  const created = dayAt(later(createdAt, -backMs), timeZone)
  const kept = clock.sandbox ? await findFirstKeptDay(sql, workspaceId, timeZone) : undefined
  return (
    [created, first, kept]
      .filter((day) => day !== undefined)
      .sort()
      .at(-1) ?? first
  )
}

/** A sandbox has no daily figures: its charts count the records themselves. */
async function findFirstKeptDay(sql: Sql, workspaceId: string, timeZone: string): Promise<Day | undefined> {
  const { records } = sinceBeginning(workspaceId, await findKeptSince(sql))
  return records ? firstWholeDay((await findWorkspaceTime(sql, workspaceId)).at(records), timeZone) : undefined
}

/** Recent days not counted yet, because they have just ended or no worker was running, are counted on request. */
const MAX_COUNTED_NOW = 3

/** `days` must not begin before the earliest day. The figures of `uncounted` days are missing. */
export async function groupsOfDays(
  figures: Sql,
  { workspaceId, timeZone, clock, now, days }: Query & { days: readonly Day[] },
): Promise<{ groups: Group[]; uncounted: Day[] }> {
  if (clock.sandbox) return { groups: await countDays(figures, { workspaceId, days, timeZone, clock }), uncounted: [] }
  const today = dayAt(now, timeZone)
  const kept = await figures.rows(selectKept, [workspaceId, days[0], days.at(-1)])
  const known = new Set(kept.map(({ day }) => day))
  const open = days.filter((day) => day === today || !known.has(day))
  const atOnce = lastInARow(open)
  const counted = await countDays(figures, { workspaceId, days: atOnce, timeZone, clock })
  const groups = kept.filter(({ day }) => day !== today).flatMap((each) => each.groups)
  return { groups: [...groups, ...counted], uncounted: open.filter((day) => !atOnce.includes(day)) }
}

/** The latest consecutive days. */
function lastInARow(days: readonly Day[]): Day[] {
  const row: Day[] = []
  for (const day of days.toReversed().slice(0, MAX_COUNTED_NOW)) {
    if (row[0] !== undefined && addDays(day, 1) !== row[0]) break
    row.unshift(day)
  }
  return row
}
