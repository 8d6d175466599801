import { z } from 'zod'
import { chartsOf, latestOf, savedByReminders, spanFigures } from '../charts/charts.ts'
import { countSpans } from '../charts/count.ts'
import { MAX_RANGE_DAYS, findEarliestDay, groupsOfDays } from '../charts/daily.ts'
import { type Day, addDays, dayAt, daysBetween, daysEarlier, startOfDay } from '../charts/days.ts'
import { filterGroups } from '../charts/figures.ts'
import { DAY_MS, later } from '../lib/clock.ts'
import type { Sql } from '../lib/db/pool.ts'
import { asIssue } from '../../locales/text.ts'
import { getWorkspace } from '../workspaces/workspaces.ts'
import type { Membership } from './auth/members.ts'
import { dayInput } from './inputs.ts'
import { type Context, readCall, router } from './rpc/trpc.ts'

const filterInput = z.object({
  /** Days in the delivery time zone, inclusive; or the last days up to today. */
  range: z.union([
    z.object({ last: z.int().min(1).max(MAX_RANGE_DAYS) }),
    z
      .object({ from: dayInput, to: dayInput })
      .refine(({ from, to }) => from <= to, { message: asIssue({ code: 'admin.charts_backwards' }), path: ['to'] })
      .refine(({ from, to }) => Date.parse(to) - Date.parse(from) < MAX_RANGE_DAYS * DAY_MS, {
        message: asIssue({ code: 'admin.too_many_days', max: MAX_RANGE_DAYS }),
        path: ['to'],
      }),
  ]),
  senderId: z.uuid().optional(),
  template: z.string().max(512).optional(),
  language: z.string().max(100).optional(),
})

const OVERVIEW_DAYS = 7
const INSIGHT_DAYS = 30

export const charts = router({
  all: readCall
    .input(filterInput)
    .query(async ({ ctx, input: { workspaceId, range, ...choice } }) =>
      chartsIn(await countDays(ctx, workspaceId, range), choice),
    ),

  /** The last days, the latest of them with figures, and yesterday until this time: in one call, because counting is slow. */
  overview: readCall.query(async ({ ctx, input: { workspaceId } }) => {
    const counted = await countDays(ctx, workspaceId, { last: OVERVIEW_DAYS })
    const { days, groups, bounds, query } = counted
    const yesterday = await countBefore(ctx.figures, { ...query, ...bounds, days: [bounds.today] })
    const { groups: earlier } = await groupsOfDays(ctx.figures, { ...query, days: daysBeforeWeek(bounds) })
    return {
      /** Orders that reminders saved in the last days; null if they are too few to mention. */
      saved: { orders: savedByReminders([...earlier, ...groups]), days: INSIGHT_DAYS },
      latest: latestOf(days, groups, bounds.today),
      yesterday: yesterday && spanFigures(yesterday.groups),
      week: chartsIn(counted, {}),
    }
  }),
})

/** Those of the insight that the week does not have. */
function daysBeforeWeek({ from, today, earliest }: { from: Day; today: Day; earliest: Day }): Day[] {
  const first = addDays(today, 1 - INSIGHT_DAYS)
  return daysBetween(first > earliest ? first : earliest, addDays(from, -1))
}

type DayCounts = Awaited<ReturnType<typeof countDays>>
type Choice = Parameters<typeof filterGroups>[1]

function chartsIn({ days, groups, bounds, before }: DayCounts, choice: Choice) {
  return {
    ...bounds,
    ...chartsOf(days, filterGroups(groups, choice)),
    before: before && { ...before.span, ...spanFigures(filterGroups(before.groups, choice)) },
  }
}

type ChartContext = Pick<Context, 'parts' | 'figures'> & { membership: Membership }

async function countDays(
  { parts, figures, membership: { timeZone, clockOffsetMs } }: ChartContext,
  workspaceId: string,
  range: z.output<typeof filterInput>['range'],
) {
  const { createdAt, sandbox } = await getWorkspace(parts.db, workspaceId)
  const now = later(parts.clock.now(), clockOffsetMs)
  const query = { workspaceId, createdAt, timeZone, now, clock: { sandbox, offsetMs: clockOffsetMs } }
  const today: Day = dayAt(now, timeZone)
  const earliest = await findEarliestDay(figures, query)
  const [from, to] = 'last' in range ? [addDays(today, 1 - range.last), today] : [range.from, range.to]
  const counted = daysBetween(from > earliest ? from : earliest, to < today ? to : today)
  const { groups, uncounted } = await groupsOfDays(figures, { ...query, days: counted })
  const bounds = { timeZone, earliest, today, from, to, uncounted: uncounted.length }
  const days = daysBetween(from, to)
  return { days, groups, bounds, query, before: await countBefore(figures, { ...query, ...bounds, days }) }
}

type Span = Parameters<typeof groupsOfDays>[1] & { today: Day; earliest: Day }

/**
 * Counts the same number of days before `days`; up to the same time of day, if `days` end today. Null if the two are not
 * comparable: the days are before the workspace, partly uncounted, or still to come.
 */
async function countBefore(figures: Sql, { days, today, earliest, ...query }: Span) {
  const length = days.length
  const all = days.map((day) => addDays(day, -length))
  const [from, to, last] = [all[0], all.at(-1), days.at(-1)]
  if (from === undefined || to === undefined || last === undefined || from < earliest || last > today) return null
  const whole = last === today ? all.slice(0, -1) : all
  const { groups, uncounted } = await groupsOfDays(figures, { ...query, days: whole })
  if (uncounted.length > 0) return null
  if (last < today) return { span: { from, to, until: null }, groups }
  const until = daysEarlier(query.now, length, query.timeZone)
  const begins = [startOfDay(to, query.timeZone), until]
  const cut = await countSpans(figures, { ...query, begins, days: [to] })
  return { span: { from, to, until }, groups: [...groups, ...cut] }
}
