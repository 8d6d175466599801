import { Skeleton } from '@mantine/core'
import { Suspense, lazy } from 'react'
import type { Answers } from '../api.ts'
import { numberFormat } from '../ui/number.ts'
import { useLanguage, useWords } from '../words.ts'
import { Bars } from './bars.tsx'
import type { Series } from './day-chart.tsx'
import { Figure } from './figure.tsx'
import { dayText, shareText, spanText } from './span.ts'
import { chartWords } from './words.ts'

type Charts = Answers['charts']['all']
type Of = { of: Charts }

/** The drawing library comes with the first chart, and never with another page. */
const DayChart = lazy(() => import('./day-chart.tsx'))

const drawing = <Skeleton h={260} />

export function MessagesByDay({ of: { messages } }: Of) {
  const text = useWords(chartWords)
  const { language } = useLanguage()
  const series = [
    { name: 'otp', label: text.otp, color: 'door.7' },
    { name: 'cod', label: text.cod, color: 'indigo.5' },
  ]
  const all = messages.reduce((sum, { otp, cod }) => sum + otp + cod, 0)
  const rows = messages.map(({ day, otp, cod }) => [dayText(day, language), otp, cod])
  return (
    <Figure
      title={text.messages}
      about={text.messagesAbout}
      empty={all === 0 ? text.nothing : undefined}
      table={{ columns: [text.day, text.otp, text.cod], rows }}
    >
      <Suspense fallback={drawing}>
        <DayChart data={messages} series={series} />
      </Suspense>
    </Figure>
  )
}

export function Funnel({ of: { funnel } }: Of) {
  const text = useWords(chartWords)
  const { language } = useLanguage()
  const { accepted, took } = funnel
  const span = (ms: number): string => spanText(ms, language) ?? text.underASecond
  const noteOf = (latency: typeof took.sent): string =>
    latency === null
      ? `${text.took}: ${text.unknown}`
      : `${text.took}: ${text.half} ${span(latency.p50Ms)}, ${text.most} ${span(latency.p95Ms)}`
  const steps = [
    { label: text.accepted, count: accepted },
    { label: text.sent, count: funnel.sent, note: noteOf(took.sent) },
    { label: text.delivered, count: funnel.delivered, note: noteOf(took.delivered) },
    { label: text.read, count: funnel.read, note: noteOf(took.read) },
    { label: text.failed, count: funnel.failed, colour: 'red' },
    { label: text.open, count: funnel.open, colour: 'gray' },
  ]
  const rows = steps.map(({ label, count, note }) => [label, count, shareText(count, accepted, language), note ?? ''])
  return (
    <Figure
      title={text.funnel}
      about={text.funnelAbout}
      empty={accepted === 0 ? text.nothing : undefined}
      table={{ columns: [text.step, text.count, text.share, text.took], rows }}
    >
      <Bars bars={steps} whole={accepted} />
    </Figure>
  )
}

export function Failures({ of: { failures } }: Of) {
  const text = useWords(chartWords)
  const { language } = useLanguage()
  const whole = failures.reduce((sum, { count }) => sum + count, 0)
  const bars = failures.map(({ code, count }) => ({ label: text.causes[code], count, note: code, colour: 'red' }))
  const rows = failures.map(({ code, count }) => [
    `${text.causes[code]} (${code})`,
    count,
    shareText(count, whole, language),
  ])
  return (
    <Figure
      title={text.failures}
      about={text.failuresAbout}
      empty={whole === 0 ? text.noFailures : undefined}
      table={{ columns: [text.cause, text.count, text.share], rows }}
    >
      <Bars bars={bars} whole={whole} />
    </Figure>
  )
}

export function AnswersByDay({ of: { orders, ordersByDay } }: Of) {
  const text = useWords(chartWords)
  const { language } = useLanguage()
  const series: Series[] = [
    { name: 'confirmed', label: text.confirmed, color: 'door.7' },
    { name: 'rescheduled', label: text.rescheduled, color: 'blue.5' },
    { name: 'cancelled', label: text.cancelled, color: 'red.7' },
    { name: 'noResponse', label: text.noResponse, color: 'yellow.6' },
    { name: 'failed', label: text.failed, color: 'grape.7' },
    { name: 'open', label: text.ordersOpen, color: 'gray.5' },
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
      title={text.answers}
      about={text.answersAbout}
      empty={orders.asked === 0 ? text.noOrders : undefined}
      table={{ columns: [text.day, ...series.map(({ label }) => label)], rows }}
    >
      <Suspense fallback={drawing}>
        <DayChart data={ordersByDay} series={series} />
      </Suspense>
    </Figure>
  )
}

export function AnswerTimes({ of: { answerTimes, orders } }: Of) {
  const text = useWords(chartWords)
  const { language } = useLanguage()
  const whole = answerTimes.reduce((sum, { count }) => sum + count, 0)
  const data = answerTimes.map(({ uptoMs, count }) => ({
    label: uptoMs === null ? text.longer : text.upTo(spanText(uptoMs, language) ?? ''),
    count,
  }))
  const rows = data.map(({ label, count }) => [label, count, shareText(count, whole, language)])
  return (
    <Figure
      title={text.answerTimes}
      about={text.answerTimesAbout}
      empty={whole === 0 ? (orders.asked === 0 ? text.noOrders : text.nothing) : undefined}
      table={{ columns: [text.within, text.count, text.share], rows }}
    >
      <Suspense fallback={drawing}>
        <DayChart data={data} series={[{ name: 'count', label: text.count, color: 'door.7' }]} at="label" />
      </Suspense>
    </Figure>
  )
}

export function Reminder({ of: { reminder, orders } }: Of) {
  const text = useWords(chartWords)
  const { language } = useLanguage()
  const n = numberFormat(language)
  const { answered, answeredBefore, answeredAfter, reminded } = reminder
  const bars = [
    { label: text.before, count: answeredBefore },
    { label: text.after, count: answeredAfter, note: text.remindedOf(n.format(answeredAfter), n.format(reminded)) },
  ]
  const rows = bars.map(({ label, count }) => [label, count, shareText(count, answered, language)])
  return (
    <Figure
      title={text.reminder}
      about={text.reminderAbout}
      empty={answered === 0 ? (orders.asked === 0 ? text.noOrders : text.nothing) : undefined}
      table={{ columns: [text.step, text.count, text.share], rows }}
    >
      <Bars bars={bars} whole={answered} />
    </Figure>
  )
}

export function Refusals({ of: { refusals } }: Of) {
  const text = useWords(chartWords)
  const { language } = useLanguage()
  const { asked } = refusals
  const bars = [
    { label: text.refused, count: refusals.refused, colour: 'red' },
    { label: text.denied, count: refusals.denied },
    { label: text.noResponse, count: refusals.noResponse, colour: 'yellow' },
    { label: text.failed, count: refusals.failed, colour: 'grape' },
    { label: text.ordersOpen, count: refusals.open, colour: 'gray' },
  ]
  const rows = bars.map(({ label, count }) => [label, count, shareText(count, asked, language)])
  return (
    <Figure
      title={text.refusals}
      about={text.refusalsAbout}
      empty={asked === 0 ? text.noRefusals : undefined}
      table={{ columns: [text.step, text.count, text.share], rows }}
    >
      <Bars bars={bars} whole={asked} />
    </Figure>
  )
}

export function Reasons({ of: { reasons } }: Of) {
  const text = useWords(chartWords)
  const { language } = useLanguage()
  const whole = reasons.reduce((sum, { count }) => sum + count, 0)
  const bars = reasons.map(({ reason, count }) => ({ label: reason ?? text.noReason, count }))
  const rows = bars.map(({ label, count }) => [label, count, shareText(count, whole, language)])
  return (
    <Figure
      title={text.reasons}
      about={text.reasonsAbout}
      empty={whole === 0 ? text.noReasons : undefined}
      table={{ columns: [text.reason, text.count, text.share], rows }}
    >
      <Bars bars={bars} whole={whole} />
    </Figure>
  )
}
