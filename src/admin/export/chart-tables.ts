import { type Calls, type Cell, type ColumnName, type ExportedList, list } from './list.ts'

type Charts = Awaited<ReturnType<Calls['charts']['all']>>

/** The page's usual span. */
const USUAL_DAYS = 30

const FILTERS = ['from', 'to', 'senderId', 'template', 'language']

type Address = { from?: string; to?: string }

/** What a chart shows, as its table on the page. The call validates the days. */
const table = <Row>(
  rowsOf: (charts: Charts) => readonly Row[],
  columns: Partial<Record<ColumnName, (row: Row) => Cell>>,
): ExportedList =>
  list(
    FILTERS,
    async ({ charts }, { from, to, ...choice }: Address & { workspaceId: string }) => {
      const range = from === undefined && to === undefined ? { last: USUAL_DAYS } : { from, to }
      const all = await charts.all({ ...choice, range } as Parameters<typeof charts.all>[0])
      return { rows: rowsOf(all), next: null }
    },
    columns,
  )

/** A part of a whole, as a spreadsheet reads a share. */
type Part = { part: string; count: number; whole: number }

const SHARE_DIGITS = 4
const shareOf = ({ count, whole }: Part): number => (whole === 0 ? 0 : Number((count / whole).toFixed(SHARE_DIGITS)))

const COUNTED = { number: ({ count }: Part) => count, share: shareOf }

const parts = (counts: Readonly<Record<string, number>>, whole: number): Part[] =>
  Object.entries(counts).map(([part, count]) => ({ part, count, whole }))

const sumOf = (counted: readonly { count: number }[]): number => counted.reduce((sum, { count }) => sum + count, 0)

export const chartTables = {
  'messages-by-day': table(({ messages }) => messages, {
    day: ({ day }) => day,
    one_time_codes: ({ otp }) => otp,
    cod: ({ cod }) => cod,
  }),
  'code-funnel': table(
    ({ funnel: { accepted, sent, delivered, read, failed, open, undelivered, took } }) =>
      parts({ accepted, sent, delivered, read, failed, open, undelivered }, accepted).map((part) => ({
        ...part,
        took: Object.entries(took).find(([step]) => step === part.part)?.[1],
      })),
    {
      status: ({ part }) => part,
      ...COUNTED,
      half_within_ms: ({ took }) => took?.p50Ms,
      most_within_ms: ({ took }) => took?.p95Ms,
    },
  ),
  verifications: table(
    ({ verifications: { byTemplate, byCountry, byHour, ...all } }) => [
      { kind: 'all', part: '', ...all },
      ...byTemplate.map((row) => ({ kind: 'template', part: `${row.template} (${row.language})`, ...row })),
      ...byCountry.map((row) => ({ kind: 'country', part: row.country ?? '', ...row })),
      ...byHour.map((row) => ({ kind: 'hour', part: String(row.hour), ...row })),
    ],
    {
      kind: ({ kind }) => kind,
      name: ({ part }) => part,
      started: ({ started }) => started,
      delivered: ({ delivered }) => delivered,
      approved: ({ approved }) => approved,
      share: ({ part, approved: count, started: whole }) => shareOf({ part, count, whole }),
    },
  ),
  'failures-by-cause': table(
    ({ failures, messages }) => {
      const whole = messages.reduce((sum, { otp, cod }) => sum + otp + cod, 0)
      return failures.map(({ code, count }) => ({ part: code, count, whole }))
    },
    { failure_code: ({ part }) => part, ...COUNTED },
  ),
  'answers-by-day': table(({ confirmationsByDay }) => confirmationsByDay, {
    day: ({ day }) => day,
    confirmed: ({ confirmed }) => confirmed,
    rescheduled: ({ rescheduled }) => rescheduled,
    cancelled: ({ cancelled }) => cancelled,
    no_response: ({ noResponse }) => noResponse,
    failed: ({ failed }) => failed,
    awaiting_answer: ({ open }) => open,
  }),
  'answer-times': table(
    ({ answerTimes }) => answerTimes.map((row) => ({ ...row, part: '', whole: sumOf(answerTimes) })),
    { from_ms: ({ fromMs }) => fromMs, until_ms: ({ uptoMs }) => uptoMs, ...COUNTED },
  ),
  reminders: table(
    ({ reminder: { reminded, answered } }) => parts({ answered, not_answered: reminded - answered }, reminded),
    { status: ({ part }) => part, ...COUNTED },
  ),
  'refusal-checks': table(
    ({ refusals: { requested, refused, denied, noResponse, failed, open } }) =>
      parts({ refusal_confirmed: refused, denied, no_response: noResponse, failed, awaiting_answer: open }, requested),
    { status: ({ part }) => part, ...COUNTED },
  ),
  'refusal-reasons': table(
    ({ reasons }) => reasons.map(({ reason, count }) => ({ part: reason ?? '', count, whole: sumOf(reasons) })),
    { refusal_reason: ({ part }) => part, ...COUNTED },
  ),
} as const satisfies Readonly<Record<string, ExportedList>>
