import { Stack } from '@mantine/core'
import { SECOND_MS } from '../../src/lib/clock.ts'
import { type T, useTexts } from '../texts/use-texts.ts'
import { spanText } from '../ui/clock.ts'
import { Bars, Figure, Legend, type Of, headlineOf } from './figure.tsx'
import { dayText, shareText } from './numbers.ts'
import type { Charts } from './outcomes.ts'
import { Separated } from '../ui/separated.tsx'
import { Plot } from './plot.tsx'

type FailureCode = Charts['failures'][number]['code']

const sumOf = (counted: readonly { count: number }[]): number => counted.reduce((sum, { count }) => sum + count, 0)

const messagesOf = ({ messages }: Charts): number => messages.reduce((sum, { otp, cod }) => sum + otp + cod, 0)

export function MessagesByDay(props: Of) {
  const { t, language } = useTexts()
  const { messages, before } = props.of
  const all = messagesOf(props.of)
  if (all === 0) return null
  const series = [
    { name: 'otp', label: t('page_charts.otp'), colour: 'first' },
    { name: 'cod', label: t('page_charts.cod'), colour: 'second' },
  ] as const
  const items = series.map((each) => ({ ...each, count: messages.reduce((sum, day) => sum + day[each.name], 0) }))
  return (
    <Figure
      {...props}
      name="messages"
      headline={{ value: all, before: before?.messages, label: t('page_charts.in_total') }}
      table={{
        columns: [t('page_charts.day'), ...series.map(({ label }) => label)],
        rows: messages.map(({ day, otp, cod }) => [dayText(day, language), otp, cod]),
      }}
      exportAs="messages-by-day"
    >
      <Stack gap="xs">
        <Plot data={messages.map((each) => ({ ...each, label: dayText(each.day, language) }))} series={series} />
        <Legend items={items} />
      </Stack>
    </Figure>
  )
}

export function Funnel(props: Of) {
  const { t, n, language } = useTexts()
  const { funnel } = props.of
  const { accepted, took } = funnel
  if (accepted === 0) return null
  const span = (ms: number): string => (ms < SECOND_MS ? t('page_charts.under_a_second') : spanText(ms, language))
  const noteOf = (latency: typeof took.sent): string =>
    latency === null
      ? `${t('page_charts.took')}${t('page_shell.colon')}${t('page_charts.unknown')}`
      : `${t('page_charts.took')}${t('page_shell.colon')}${t('page_charts.half')} ${span(latency.p50Ms)}${t('page_shell.comma')}${t('page_charts.most')} ${span(latency.p95Ms)}`
  const steps = [
    { label: t('page_charts.accepted'), count: accepted },
    { label: t('page_charts.sent'), count: funnel.sent, note: noteOf(took.sent) },
    { label: t('page_charts.delivered'), count: funnel.delivered, note: noteOf(took.delivered) },
    { label: t('page_charts.read'), count: funnel.read, note: noteOf(took.read) },
  ]
  const onlySent = funnel.sent - funnel.delivered
  const others = [
    ...(onlySent > 0 ? [{ label: t('page_charts.only_sent'), count: onlySent, note: '' }] : []),
    { label: t('page_charts.failed'), count: funnel.failed, note: '' },
    { label: t('page_charts.open'), count: funnel.open, note: '' },
    ...(funnel.undelivered > 0 ? [{ label: t('page_charts.undelivered'), count: funnel.undelivered, note: '' }] : []),
  ]
  return (
    <Figure
      {...props}
      name="funnel"
      headline={headlineOf(
        props.of,
        ({ funnel: { delivered, accepted } }) => ({ part: delivered, whole: accepted }),
        t('page_charts.codes_delivered'),
      )}
      table={{
        columns: [t('page_charts.step'), t('page_charts.count'), t('page_charts.share'), t('page_charts.took')],
        rows: [...steps, ...others].map(({ label, count, note = '' }) => [
          label,
          count,
          shareText(count, accepted, language),
          note,
        ]),
      }}
      exportAs="code-funnel"
    >
      <Stack gap="sm">
        <Bars bars={steps} whole={accepted} />
        <Separated c="dimmed" of={others.map(({ label, count }) => `${label}${t('page_shell.colon')}${n(count)}`)} />
      </Stack>
    </Figure>
  )
}

const causeIn = (t: T, code: FailureCode): string => t(`failures.${code.toLowerCase() as Lowercase<FailureCode>}_short`)

export function Failures(props: Of) {
  const { t, language } = useTexts()
  const { failures, before } = props.of
  const failed = sumOf(failures)
  if (failed === 0) return null
  const whole = messagesOf(props.of)
  return (
    <Figure
      {...props}
      name="failures"
      headline={{
        value: { part: failed, whole },
        before: before ? { part: before.failures, whole: before.messages } : undefined,
        label: t('page_charts.messages_failed'),
      }}
      table={{
        columns: [t('page_charts.cause'), t('page_charts.count'), t('page_charts.share')],
        rows: failures.map(({ code, count }) => [
          `${causeIn(t, code)} (${code})`,
          count,
          shareText(count, whole, language),
        ]),
      }}
      exportAs="failures-by-cause"
    >
      <Bars
        bars={failures.map(({ code, count }) => ({ label: causeIn(t, code), count, code, colour: 'failure' }))}
        whole={whole}
        longest={Math.max(...failures.map(({ count }) => count))}
      />
    </Figure>
  )
}
