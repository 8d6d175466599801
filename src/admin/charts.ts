import { z } from 'zod'
import { chartsOf, latestOf, totalsOf } from '../charts/charts.ts'
import { type Counting, countSpans } from '../charts/count.ts'
import { MAX_RANGE_DAYS, findEarliestDay, groupsOfDays } from '../charts/daily.ts'
import { type Day, addDays, dayAt, dayEarlier, daysBetween, startOfDay } from '../charts/days.ts'
import { filterGroups } from '../charts/figures.ts'
import { DAY_MS, later } from '../clock.ts'
import type { Sql } from '../db/pool.ts'
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
        message: asIssue({ code: 'admin.charts_too_long', max: MAX_RANGE_DAYS }),
        path: ['to'],
      }),
  ]),
  senderId: z.uuid().optional(),
  template: z.string().max(512).optional(),
  language: z.string().max(100).optional(),
})

const OVERVIEW_DAYS = 7

export const charts = router({
  all: readCall.input(filterInput).query(async ({ ctx, input: { workspaceId, range, ...choice } }) => {
    const { days, groups, bounds } = await countDays(ctx, workspaceId, range)
    return { ...bounds, ...chartsOf(days, filterGroups(groups, choice)) }
  }),

  /** The last days, the latest of them with figures, and yesterday until this time: in one call, because counting is slow. */
  overview: readCall.query(async ({ ctx, input: { workspaceId } }) => {
    const { days, groups, bounds, query } = await countDays(ctx, workspaceId, { last: OVERVIEW_DAYS })
    return {
      latest: latestOf(days, groups, bounds.today),
      yesterday: await totalsOfYesterday(ctx.figures, { ...query, ...bounds }),
      week: { ...bounds, ...chartsOf(days, groups) },
    }
  }),
})

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
  return { days: daysBetween(from, to), groups, bounds, query }
}

type Yesterday = Omit<Counting, 'days'> & { now: Date; today: Day; earliest: Day }

/** Until the same time of day. Null on the workspace's first day. */
async function totalsOfYesterday(figures: Sql, { now, today, earliest, ...counting }: Yesterday) {
  const yesterday = addDays(today, -1)
  if (yesterday < earliest) return null
  const begins = [startOfDay(yesterday, counting.timeZone), dayEarlier(now, counting.timeZone)]
  return totalsOf(await countSpans(figures, { ...counting, begins, days: [yesterday] }))
}
