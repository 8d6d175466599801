import { Stack } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { numberFormat } from '../ui/formats.ts'
import { spanText } from '../ui/time/span.ts'
import { type Bar, Bars } from './bars.tsx'
import { Figure, type Of } from './figure.tsx'
import { Legend } from './legend.tsx'
import { type Charts, orderOutcomes } from './outcomes.ts'
import { Plot } from './plot.tsx'
import { dayText, shareText } from './span.ts'

const confirmedOf = ({ confirmed, requested }: Charts['orders']) => ({ part: confirmed, whole: requested })

export function AnswersByDay(props: Of & { wide?: boolean }) {
  const { t, language } = useTexts()
  const n = numberFormat(language)
  const { orders, ordersByDay, before } = props.of
  if (orders.requested === 0) return null
  const outcomes = orderOutcomes(t, orders)
  const items = outcomes.map(({ label, colour, count }) => ({
    label,
    colour,
    content: (
      <>
        {label} <strong>{n.format(count)}</strong>
      </>
    ),
  }))
  return (
    <Figure
      {...props}
      title={t('page_charts.answers')}
      about={t('page_charts.answers_about')}
      headline={{
        value: confirmedOf(orders),
        before: before ? confirmedOf(before.orders) : undefined,
        label: t('page_charts.orders_confirmed'),
      }}
      table={{
        columns: [t('page_charts.day'), ...outcomes.map(({ label }) => label)],
        rows: ordersByDay.map((day) => [dayText(day.day, language), ...outcomes.map(({ name }) => day[name])]),
      }}
      exportAs="answers-by-day"
    >
      <Stack gap="xs">
        <Plot data={ordersByDay} series={outcomes.map(({ name, label, colour }) => ({ name, label, colour }))} />
        <Legend items={items} />
      </Stack>
    </Figure>
  )
}

/** The longest time in which an answer counts as quick. */
const SOON_MS = 3_600_000

function soonOf(times: Charts['answerTimes']) {
  const sumOf = (some: Charts['answerTimes']): number => some.reduce((sum, { count }) => sum + count, 0)
  return { part: sumOf(times.filter(({ uptoMs }) => uptoMs !== null && uptoMs <= SOON_MS)), whole: sumOf(times) }
}

/** The table of parts of a whole. */
function usePartsTable(title: string, bars: readonly Bar[], whole: number) {
  const { t, language } = useTexts()
  return {
    columns: [title, t('page_charts.count'), t('page_charts.share')],
    rows: bars.map(({ label, count }) => [label, count, shareText(count, whole, language)]),
  }
}

export function AnswerTimes(props: Of) {
  const { t, language } = useTexts()
  const { answerTimes, before } = props.of
  const soon = soonOf(answerTimes)
  const bars = answerTimes.map(({ uptoMs, count }) => ({
    label: uptoMs === null ? t('page_charts.longer') : t('page_charts.up_to', { span: spanText(uptoMs, language) }),
    count,
  }))
  const table = usePartsTable(t('page_charts.within'), bars, soon.whole)
  if (soon.whole === 0) return null
  return (
    <Figure
      {...props}
      title={t('page_charts.answer_times')}
      about={t('page_charts.answer_times_about')}
      headline={{
        value: soon,
        before: before ? soonOf(before.answerTimes) : undefined,
        label: t('page_charts.answered_within', { span: spanText(SOON_MS, language) }),
      }}
      table={table}
      exportAs="answer-times"
    >
      <Bars bars={bars} whole={soon.whole} />
    </Figure>
  )
}

const afterReminderOf = ({ answeredAfter, reminded }: Charts['reminder']) => ({ part: answeredAfter, whole: reminded })

export function Reminder(props: Of) {
  const { t, language } = useTexts()
  const n = numberFormat(language)
  const { reminder, before } = props.of
  const { answered, answeredBefore, answeredAfter, reminded } = reminder
  const bars = [
    { label: t('page_charts.before'), count: answeredBefore },
    {
      label: t('page_charts.after'),
      count: answeredAfter,
      note: t('page_charts.reminded_of', { after: n.format(answeredAfter), reminded: n.format(reminded) }),
    },
  ]
  const table = usePartsTable(t('page_charts.step'), bars, answered)
  if (answered === 0 || reminded === 0) return null
  return (
    <Figure
      {...props}
      title={t('page_charts.reminder')}
      about={t('page_charts.reminder_about')}
      headline={{
        value: afterReminderOf(reminder),
        before: before ? afterReminderOf(before.reminder) : undefined,
        label: t('page_charts.answered_after'),
      }}
      table={table}
      exportAs="reminders"
    >
      <Bars bars={bars} whole={answered} />
    </Figure>
  )
}

const refusedOf = ({ refused, requested }: Charts['refusals']) => ({ part: refused, whole: requested })

export function Refusals(props: Of) {
  const { t } = useTexts()
  const { refusals, before } = props.of
  const { requested } = refusals
  const bars: Bar[] = [
    { label: t('page_charts.refused'), count: refusals.refused, colour: 'warning' },
    { label: t('page_charts.denied'), count: refusals.denied, colour: 'success' },
    { label: t('page_charts.no_response'), count: refusals.noResponse, colour: 'neutral_strong' },
    { label: t('page_charts.failed'), count: refusals.failed, colour: 'failure' },
    { label: t('page_charts.orders_open'), count: refusals.open, colour: 'neutral' },
  ]
  const table = usePartsTable(t('page_charts.step'), bars, requested)
  if (requested === 0) return null
  return (
    <Figure
      {...props}
      title={t('page_charts.refusals')}
      about={t('page_charts.refusals_about')}
      headline={{
        value: refusedOf(refusals),
        before: before ? refusedOf(before.refusals) : undefined,
        label: t('page_charts.customers_refused'),
      }}
      table={table}
      exportAs="refusal-checks"
    >
      <Bars bars={bars} whole={requested} />
    </Figure>
  )
}

export function Reasons(props: Of) {
  const { t } = useTexts()
  const { reasons, before } = props.of
  const whole = reasons.reduce((sum, { count }) => sum + count, 0)
  const bars = reasons.map(({ reason, count }) => ({ label: reason ?? t('page_charts.no_reason'), count }))
  const table = usePartsTable(t('page_charts.reason'), bars, whole)
  if (whole === 0) return null
  return (
    <Figure
      {...props}
      title={t('page_charts.reasons')}
      about={t('page_charts.reasons_about')}
      headline={{ value: whole, before: before?.refusals.refused, label: t('page_charts.in_total') }}
      table={table}
      exportAs="refusal-reasons"
    >
      <Bars bars={bars} whole={whole} />
    </Figure>
  )
}
