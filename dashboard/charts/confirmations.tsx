import { Stack } from '@mantine/core'
import type { ExportedListName } from '../../src/admin/export/lists.ts'
import { useTexts } from '../texts/use-texts.ts'
import { rangeText, spanText } from '../ui/clock.ts'
import {
  type Bar,
  Bars,
  Figure,
  type Headline,
  Legend,
  type LegendItem,
  type Of,
  Split,
  headlineOf,
} from './figure.tsx'
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
        <Plot
          data={confirmationsByDay.map((each) => ({ ...each, label: dayText(each.day, language) }))}
          series={outcomes.map(({ name, label, colour }) => ({ name, label, colour }))}
        />
        <Legend items={outcomes} />
      </Stack>
    </Figure>
  )
}

type CountProps = Of & { headline: Headline; whole: number; exportAs: ExportedListName }

type Parts = CountProps & {
  name: 'answer_times' | 'reasons'
  /** The column heading of the parts. */
  column: string
  bars: readonly Bar[]
}

function usePartsTable(column: string, parts: readonly { label: string; count: number }[], whole: number) {
  const { t, language } = useTexts()
  return {
    columns: [column, t('page_charts.count'), t('page_charts.share')],
    rows: parts.map(({ label, count }) => [label, count, shareText(count, whole, language)]),
  }
}

/** The parts of a whole, as bars and as a table. */
function Parts({ column, bars, whole, ...props }: Parts) {
  return (
    <Figure {...props} table={usePartsTable(column, bars, whole)}>
      <Bars bars={bars} whole={whole} />
    </Figure>
  )
}

type Outcomes = CountProps & { name: 'reminder' | 'refusals'; items: readonly LegendItem[] }

/** Outcomes that add up to the whole, as one bar and as a table. */
function Outcomes({ items, whole, ...props }: Outcomes) {
  const { t } = useTexts()
  return (
    <Figure {...props} table={usePartsTable(t('page_charts.step'), items, whole)}>
      <Split items={items.filter(({ count }) => count > 0)} whole={whole} />
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
  const bars = answerTimes.map(({ fromMs, uptoMs, count }) => ({
    label:
      uptoMs === null
        ? t('page_charts.longer', { span: spanText(fromMs, language) })
        : rangeText(fromMs, uptoMs, language),
    count,
  }))
  const label = t('page_charts.answered_within', { span: spanText(SOON_MS, language) })
  return (
    <Parts
      {...props}
      name="answer_times"
      headline={headlineOf(props.of, soonOf, label)}
      column={t('page_charts.answer_times')}
      bars={bars}
      whole={whole}
      exportAs="answer-times"
    />
  )
}

/** The effect of reminders: only customers who got one. */
export function Reminder(props: Of) {
  const { t } = useTexts()
  const { reminded, answered } = props.of.reminder
  if (reminded === 0) return null
  const valueOf = ({ reminder }: Pick<Charts, 'reminder'>) => ({ part: reminder.answered, whole: reminder.reminded })
  return (
    <Outcomes
      {...props}
      name="reminder"
      headline={{ ...headlineOf(props.of, valueOf, t('page_charts.answered_after')), asParts: true }}
      items={[
        { label: t('page_charts.reminded_answered'), count: answered, colour: 'first' },
        { label: t('page_charts.reminded_not_answered'), count: reminded - answered, colour: 'neutral' },
      ]}
      whole={reminded}
      exportAs="reminders"
    />
  )
}

export function Refusals(props: Of) {
  const { t } = useTexts()
  const { requested, refused, denied, noResponse, failed, open } = props.of.refusals
  if (requested === 0) return null
  return (
    <Outcomes
      {...props}
      name="refusals"
      headline={headlineOf(
        props.of,
        ({ refusals }) => ({ part: refusals.refused, whole: refusals.requested }),
        t('page_charts.customers_refused'),
      )}
      items={[
        { label: t('page_charts.refused'), count: refused, colour: STATUS_COLOURS.refusal.refusal_confirmed },
        { label: t('page_charts.denied'), count: denied, colour: STATUS_COLOURS.refusal.denied },
        { label: t('page_charts.no_response'), count: noResponse, colour: STATUS_COLOURS.refusal.no_response },
        { label: t('page_charts.failed'), count: failed, colour: STATUS_COLOURS.refusal.failed },
        { label: t('page_charts.confirmations_open'), count: open, colour: STATUS_COLOURS.refusal.awaiting_answer },
      ]}
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
