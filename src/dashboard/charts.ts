import { z } from 'zod'
import { chartsOf } from '../charts/charts.ts'
import { RANGE_DAYS_MOST, earliestDay, groupsOfDays } from '../charts/daily.ts'
import { type Day, dayAfter, dayAt, daysBetween } from '../charts/days.ts'
import { chosen } from '../charts/figures.ts'
import { DAY_MS, later } from '../clock.ts'
import { listSenders } from '../senders/list.ts'
import { keptSentences } from '../sentences.ts'
import { listTemplateNames } from '../templates/names.ts'
import { getWorkspace } from '../workspaces/workspaces.ts'
import { dayInput } from './days.ts'
import type { Membership } from './membership.ts'
import { type Context, reading, router } from './trpc.ts'

const says = keptSentences({
  backwards: { en: 'must not be before the first day', ar: 'يجب ألا يسبق اليوم الأول' },
  tooLong: { en: 'may be at most {most} days', ar: 'الحد الأقصى لعدد الأيام {most}' },
})

const wanted = z.object({
  /** Days of the delivery zone, both included; or so many days up to today. */
  range: z.union([
    z.object({ last: z.int().min(1).max(RANGE_DAYS_MOST) }),
    z
      .object({ from: dayInput, to: dayInput })
      .refine(({ from, to }) => from <= to, { message: says.backwards.en, path: ['to'] })
      .refine(({ from, to }) => Date.parse(to) - Date.parse(from) < RANGE_DAYS_MOST * DAY_MS, {
        message: says.tooLong({ most: RANGE_DAYS_MOST }).en,
        path: ['to'],
      }),
  ]),
  senderId: z.uuid().optional(),
  template: z.string().max(512).optional(),
  language: z.string().max(100).optional(),
})

const OVERVIEW_DAYS = 7

export const charts = router({
  all: reading.input(wanted).query(async ({ ctx, input: { workspaceId, range, ...choice } }) => {
    const { days, groups, bounds } = await countsOf(ctx, workspaceId, range)
    return { ...bounds, ...chartsOf(days, chosen(groups, choice)) }
  }),

  /** The last days, and today apart, which is one of them: what is slow is counted once for both. */
  overview: reading.query(async ({ ctx, input: { workspaceId } }) => {
    const { days, groups, bounds } = await countsOf(ctx, workspaceId, { last: OVERVIEW_DAYS })
    const { today } = bounds
    const { funnel, orders } = chartsOf(
      [today],
      groups.filter(({ day }) => day === today),
    )
    return { today: { funnel, orders }, week: { ...bounds, ...chartsOf(days, groups) } }
  }),

  /** What the charts can be narrowed to. */
  choices: reading.query(async ({ ctx: { parts }, input: { workspaceId } }) => {
    const names = await listTemplateNames(parts.db, workspaceId)
    return {
      daysMost: RANGE_DAYS_MOST,
      senders: (await listSenders(parts.db, workspaceId)).map(({ senderId, phoneNumber }) => ({
        senderId,
        phoneNumber,
      })),
      templates: [...new Set(names.map(({ name }) => name))],
      languages: [...new Set(names.map(({ language }) => language))].toSorted(),
    }
  }),
})

type Range = z.output<typeof wanted>['range']

async function countsOf(ctx: Context & { membership: Membership }, workspaceId: string, range: Range) {
  const { earliest, today, looking } = await lookingAt(ctx, workspaceId)
  const [from, to] = 'last' in range ? [dayAfter(today, 1 - range.last), today] : [range.from, range.to]
  const days = daysBetween(from > earliest ? from : earliest, to < today ? to : today)
  const { groups, uncounted } = await groupsOfDays(ctx.figures, { ...looking, days })
  const bounds = {
    timeZone: looking.timeZone,
    earliest,
    today,
    from: days[0] ?? from,
    to: days.at(-1) ?? to,
    uncounted: uncounted.length,
  }
  return { days, groups, bounds }
}

async function lookingAt({ parts, figures, membership }: Context & { membership: Membership }, workspaceId: string) {
  const { timeZone, clockOffsetMs } = membership
  const { createdAt, sandbox } = await getWorkspace(parts.db, workspaceId)
  const now = later(parts.clock.now(), clockOffsetMs)
  const looking = { workspaceId, createdAt, timeZone, now, clock: { sandbox, offsetMs: clockOffsetMs } }
  const today: Day = dayAt(now, timeZone)
  return { looking, today, earliest: await earliestDay(figures, looking) }
}
