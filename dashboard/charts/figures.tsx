import { Skeleton, Text } from '@mantine/core'
import { Suspense, lazy } from 'react'
import type { RouterOutputs } from '../api.ts'
import { type T, useTexts } from '../texts/use-texts.ts'
import { numberFormat } from '../ui/number.ts'
import { type Bar, Bars } from './bars.tsx'
import type { Series } from './day-chart.tsx'
import { Figure } from './figure.tsx'
import { ORDER_COLOURS } from './outcomes.ts'
import { dayText, shareText, spanText } from './span.ts'

type Charts = RouterOutputs['charts']['all']
type Of = { of: Charts }
type FailureCode = Charts['failures'][number]['code']

/** Loads the chart library with the first chart only. */
const DayChart = lazy(() => import('./day-chart.tsx'))

const drawing = <Skeleton h={260} />

export function MessagesByDay({ of: { messages } }: Of) {
  const { t, language } = useTexts()
  const series = [
    { name: 'otp', label: t('page_charts.otp'), color: 'door.7' },
    { name: 'cod', label: t('page_charts.cod'), color: 'indigo.5' },
  ]
  const all = messages.reduce((sum, { otp, cod }) => sum + otp + cod, 0)
  const rows = messages.map(({ day, otp, cod }) => [dayText(day, language), otp, cod])
  return (
    <Figure
      title={t('page_charts.messages')}
      about={t('page_charts.messages_about')}
      empty={all === 0 ? t('page_charts.nothing') : undefined}
      table={{ columns: [t('page_charts.day'), t('page_charts.otp'), t('page_charts.cod')], rows }}
    >
      <Suspense fallback={drawing}>
        <DayChart data={messages} series={series} />
      </Suspense>
    </Figure>
  )
}

export function Funnel({ of: { funnel } }: Of) {
  const { t, language } = useTexts()
  const { accepted, took } = funnel
  const span = (ms: number): string => spanText(ms, language) ?? t('page_charts.under_a_second')
  const noteOf = (latency: typeof took.sent): string =>
    latency === null
      ? `${t('page_charts.took')}${t('page_shell.colon')}${t('page_charts.unknown')}`
      : `${t('page_charts.took')}${t('page_shell.colon')}${t('page_charts.half')} ${span(latency.p50Ms)}, ${t('page_charts.most')} ${span(latency.p95Ms)}`
  const steps = [
    { label: t('page_charts.accepted'), count: accepted },
    { label: t('page_charts.sent'), count: funnel.sent, note: noteOf(took.sent) },
    { label: t('page_charts.delivered'), count: funnel.delivered, note: noteOf(took.delivered) },
    { label: t('page_charts.read'), count: funnel.read, note: noteOf(took.read) },
  ]
  const others = [
    { label: t('page_charts.failed'), count: funnel.failed },
    { label: t('page_charts.open'), count: funnel.open },
  ]
  const rows = [...steps, ...others].map(({ label, count, note }: Bar) => [
    label,
    count,
    shareText(count, accepted, language),
    note ?? '',
  ])
  return (
    <Figure
      title={t('page_charts.funnel')}
      about={t('page_charts.funnel_about')}
      empty={accepted === 0 ? t('page_charts.nothing') : undefined}
      table={{
        columns: [t('page_charts.step'), t('page_charts.count'), t('page_charts.share'), t('page_charts.took')],
        rows,
      }}
    >
      <Bars bars={steps} whole={accepted} />
      <Text size="sm" c="dimmed">
        {others
          .map(({ label, count }) => `${label}${t('page_shell.colon')}${numberFormat(language).format(count)}`)
          .join(' · ')}
      </Text>
    </Figure>
  )
}

const causeIn = (t: T, code: FailureCode): string => t(`failures.${code.toLowerCase() as Lowercase<FailureCode>}_short`)

export function Failures({ of: { failures } }: Of) {
  const { t, language } = useTexts()
  const whole = failures.reduce((sum, { count }) => sum + count, 0)
  const bars = failures.map(({ code, count }) => ({ label: causeIn(t, code), count, code, colour: 'red' }))
  const rows = failures.map(({ code, count }) => [
    `${causeIn(t, code)} (${code})`,
    count,
    shareText(count, whole, language),
  ])
  return (
    <Figure
      title={t('page_charts.failures')}
      about={t('page_charts.failures_about')}
      empty={whole === 0 ? t('page_charts.no_failures') : undefined}
      table={{ columns: [t('page_charts.cause'), t('page_charts.count'), t('page_charts.share')], rows }}
    >
      <Bars bars={bars} whole={whole} />
    </Figure>
  )
}

export function AnswersByDay({ of: { orders, ordersByDay } }: Of) {
  const { t, language } = useTexts()
  const series: Series[] = [
    { name: 'confirmed', label: t('page_charts.confirmed'), color: ORDER_COLOURS.confirmed },
    { name: 'rescheduled', label: t('page_charts.rescheduled'), color: ORDER_COLOURS.rescheduled },
    { name: 'cancelled', label: t('page_charts.cancelled'), color: ORDER_COLOURS.cancelled },
    { name: 'noResponse', label: t('page_charts.no_response'), color: ORDER_COLOURS.noResponse },
    { name: 'failed', label: t('page_charts.failed'), color: ORDER_COLOURS.failed },
    { name: 'open', label: t('page_charts.orders_open'), color: ORDER_COLOURS.open },
  ]
  const rows = ordersByDay.map((day) => [
    dayText(day.day, language),
    day.confirmed,
    day.rescheduled,
    day.cancelled,
    day.noResponse,
    day.failed,
    day.open,
  ])
  return (
    <Figure
      title={t('page_charts.answers')}
      about={t('page_charts.answers_about')}
      empty={orders.asked === 0 ? t('page_charts.no_orders') : undefined}
      table={{ columns: [t('page_charts.day'), ...series.map(({ label }) => label)], rows }}
    >
      <Suspense fallback={drawing}>
        <DayChart data={ordersByDay} series={series} />
      </Suspense>
    </Figure>
  )
}

export function AnswerTimes({ of: { answerTimes, orders } }: Of) {
  const { t, language } = useTexts()
  const whole = answerTimes.reduce((sum, { count }) => sum + count, 0)
  const data = answerTimes.map(({ uptoMs, count }) => ({
    label:
      uptoMs === null ? t('page_charts.longer') : t('page_charts.up_to', { span: spanText(uptoMs, language) ?? '' }),
    count,
  }))
  const rows = data.map(({ label, count }) => [label, count, shareText(count, whole, language)])
  return (
    <Figure
      title={t('page_charts.answer_times')}
      about={t('page_charts.answer_times_about')}
      empty={whole === 0 ? (orders.asked === 0 ? t('page_charts.no_orders') : t('page_charts.nothing')) : undefined}
      table={{ columns: [t('page_charts.within'), t('page_charts.count'), t('page_charts.share')], rows }}
    >
      <Suspense fallback={drawing}>
        <DayChart data={data} series={[{ name: 'count', label: t('page_charts.count'), color: 'door.7' }]} at="label" />
      </Suspense>
    </Figure>
  )
}

export function Reminder({ of: { reminder, orders } }: Of) {
  const { t, language } = useTexts()
  const n = numberFormat(language)
  const { answered, answeredBefore, answeredAfter, reminded } = reminder
  const bars = [
    { label: t('page_charts.before'), count: answeredBefore },
    {
      label: t('page_charts.after'),
      count: answeredAfter,
      note: t('page_charts.reminded_of', { after: n.format(answeredAfter), reminded: n.format(reminded) }),
    },
  ]
  const rows = bars.map(({ label, count }) => [label, count, shareText(count, answered, language)])
  return (
    <Figure
      title={t('page_charts.reminder')}
      about={t('page_charts.reminder_about')}
      empty={answered === 0 ? (orders.asked === 0 ? t('page_charts.no_orders') : t('page_charts.nothing')) : undefined}
      table={{ columns: [t('page_charts.step'), t('page_charts.count'), t('page_charts.share')], rows }}
    >
      <Bars bars={bars} whole={answered} />
    </Figure>
  )
}

export function Refusals({ of: { refusals } }: Of) {
  const { t, language } = useTexts()
  const { asked } = refusals
  const bars = [
    { label: t('page_charts.refused'), count: refusals.refused, colour: 'orange' },
    { label: t('page_charts.denied'), count: refusals.denied },
    { label: t('page_charts.no_response'), count: refusals.noResponse, colour: 'yellow' },
    { label: t('page_charts.failed'), count: refusals.failed, colour: 'red' },
    { label: t('page_charts.orders_open'), count: refusals.open, colour: 'gray' },
  ]
  const rows = bars.map(({ label, count }) => [label, count, shareText(count, asked, language)])
  return (
    <Figure
      title={t('page_charts.refusals')}
      about={t('page_charts.refusals_about')}
      empty={asked === 0 ? t('page_charts.no_refusals') : undefined}
      table={{ columns: [t('page_charts.step'), t('page_charts.count'), t('page_charts.share')], rows }}
    >
      <Bars bars={bars} whole={asked} />
    </Figure>
  )
}

export function Reasons({ of: { reasons } }: Of) {
  const { t, language } = useTexts()
  const whole = reasons.reduce((sum, { count }) => sum + count, 0)
  const bars = reasons.map(({ reason, count }) => ({
    label: reason ?? t('page_charts.no_reason'),
    count,
    colour: 'indigo',
  }))
  const rows = bars.map(({ label, count }) => [label, count, shareText(count, whole, language)])
  return (
    <Figure
      title={t('page_charts.reasons')}
      about={t('page_charts.reasons_about')}
      empty={whole === 0 ? t('page_charts.no_reasons') : undefined}
      table={{ columns: [t('page_charts.reason'), t('page_charts.count'), t('page_charts.share')], rows }}
    >
      <Bars bars={bars} whole={whole} />
    </Figure>
  )
}
