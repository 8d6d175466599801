import { Stack } from '@mantine/core'
import type { ExportedListName } from '../../src/admin/export/lists.ts'
import { useTexts } from '../texts/use-texts.ts'
import { spanText } from '../ui/clock.ts'
import { type Bar, Bars, Figure, type Headline, Legend, type Of, headlineOf } from './figure.tsx'
import { dayText, shareText } from './numbers.ts'
import { type Charts, confirmationOutcomes } from './outcomes.ts'
import { Plot } from './plot.tsx'
import { STATUS_COLOURS } from '../ui/state/status.ts'

export function AnswersByDay(props: Of & { wide?: boolean }) {
  const { t, language } = useTexts()
  const { confirmations, confirmationsByDay } = props.of
  if (confirmations.requested === 0) return null
  const outcomes = confirmationOutcomes(t, confirmations)
  return (
    <Figure
      {...props}
      name="answers"
      headline={headlineOf(
        props.of,
        ({ confirmations: { confirmed, requested } }) => ({ part: confirmed, whole: requested }),
        t('page_charts.confirmations_confirmed'),
      )}
      table={{
        columns: [t('page_charts.day'), ...outcomes.map(({ label }) => label)],
        rows: confirmationsByDay.map((day) => [dayText(day.day, language), ...outcomes.map(({ name }) => day[name])]),
      }}
      exportAs="answers-by-day"
    >
      <Stack gap="xs">
        <Plot data={confirmationsByDay} series={outcomes.map(({ name, label, colour }) => ({ name, label, colour }))} />
        <Legend items={outcomes} />
      </Stack>
    </Figure>
  )
}

type Parts = Of & {
  name: 'answer_times' | 'reminder' | 'refusals' | 'reasons'
  headline: Headline
  /** The column heading of the parts. */
  column: string
  bars: readonly Bar[]
  whole: number
  exportAs: ExportedListName
}

/** The parts of a whole, as bars and as a table. */
function Parts({ column, bars, whole, ...props }: Parts) {
  const { t, language } = useTexts()
  const table = {
    columns: [column, t('page_charts.count'), t('page_charts.share')],
    rows: bars.map(({ label, count }) => [label, count, shareText(count, whole, language)]),
  }
  return (
    <Figure {...props} table={table}>
      <Bars bars={bars} whole={whole} />
    </Figure>
  )
}

/** The longest time in which an answer counts as quick. */
const SOON_MS = 3_600_000

const sumOf = (some: readonly { count: number }[]): number => some.reduce((sum, { count }) => sum + count, 0)

const soonOf = ({ answerTimes }: Pick<Charts, 'answerTimes'>) => ({
  part: sumOf(answerTimes.filter(({ uptoMs }) => uptoMs !== null && uptoMs <= SOON_MS)),
  whole: sumOf(answerTimes),
})

export function AnswerTimes(props: Of) {
  const { t, language } = useTexts()
  const { answerTimes } = props.of
  const whole = sumOf(answerTimes)
  if (whole === 0) return null
  const bars = answerTimes.map(({ uptoMs, count }) => ({
    label: uptoMs === null ? t('page_charts.longer') : t('page_charts.up_to', { span: spanText(uptoMs, language) }),
    count,
  }))
  const label = t('page_charts.answered_within', { span: spanText(SOON_MS, language) })
  return (
    <Parts
      {...props}
      name="answer_times"
      headline={headlineOf(props.of, soonOf, label)}
      column={t('page_charts.within')}
      bars={bars}
      whole={whole}
      exportAs="answer-times"
    />
  )
}

export function Reminder(props: Of) {
  const { t, n } = useTexts()
  const { answered, answeredBefore, answeredAfter, reminded } = props.of.reminder
  if (answered === 0 || reminded === 0) return null
  const bars = [
    { label: t('page_charts.before'), count: answeredBefore },
    {
      label: t('page_charts.after'),
      count: answeredAfter,
      note: t('page_charts.reminded_of', { after: n(answeredAfter), reminded: n(reminded) }),
    },
  ]
  return (
    <Parts
      {...props}
      name="reminder"
      headline={headlineOf(
        props.of,
        ({ reminder }) => ({ part: reminder.answeredAfter, whole: reminder.reminded }),
        t('page_charts.answered_after'),
      )}
      column={t('page_charts.step')}
      bars={bars}
      whole={answered}
      exportAs="reminders"
    />
  )
}

export function Refusals(props: Of) {
  const { t } = useTexts()
  const { requested, refused, denied, noResponse, failed, open } = props.of.refusals
  if (requested === 0) return null
  const bars: Bar[] = [
    { label: t('page_charts.refused'), count: refused, colour: STATUS_COLOURS.refusal.refusal_confirmed },
    { label: t('page_charts.denied'), count: denied, colour: STATUS_COLOURS.refusal.denied },
    { label: t('page_charts.no_response'), count: noResponse, colour: STATUS_COLOURS.refusal.no_response },
    { label: t('page_charts.failed'), count: failed, colour: STATUS_COLOURS.refusal.failed },
    { label: t('page_charts.confirmations_open'), count: open, colour: STATUS_COLOURS.refusal.awaiting_answer },
  ]
  return (
    <Parts
      {...props}
      name="refusals"
      headline={headlineOf(
        props.of,
        ({ refusals }) => ({ part: refusals.refused, whole: refusals.requested }),
        t('page_charts.customers_refused'),
      )}
      column={t('page_charts.step')}
      bars={bars}
      whole={requested}
      exportAs="refusal-checks"
    />
  )
}

export function Reasons(props: Of) {
  const { t } = useTexts()
  const { reasons, before } = props.of
  const whole = sumOf(reasons)
  if (whole === 0) return null
  return (
    <Parts
      {...props}
      name="reasons"
      headline={{ value: whole, before: before?.refusals.refused, label: t('page_charts.in_total') }}
      column={t('page_charts.reason')}
      bars={reasons.map(({ reason, count }) => ({ label: reason ?? t('page_charts.no_reason'), count }))}
      whole={whole}
      exportAs="refusal-reasons"
    />
  )
}
