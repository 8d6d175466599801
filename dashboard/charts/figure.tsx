import {
  Anchor,
  Group,
  Paper,
  Progress,
  Stack,
  Text,
  type TextProps,
  Title,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core'
import { type ComponentPropsWithRef, type ReactNode, useId } from 'react'
import type { ExportedListName } from '../../src/admin/export/lists.ts'
import type { FailureCode } from '../../src/providers/failure-codes.ts'
import { CLOCK, dateFormat, numberFormat } from '../texts/formats.ts'
import { useTexts } from '../texts/use-texts.ts'
import type { LinkOf } from '../ui/link.tsx'
import { ExportButton } from '../ui/list/export-button.tsx'
import { type ChartColour, cssColour } from '../ui/state/status.ts'
import { CodeLink } from '../ui/state/status.tsx'
import classes from './figure.module.css'
import { type Change, type Value, changeOf, shareText, spanOfDays } from './numbers.ts'
import type { Charts } from './outcomes.ts'

/** Figures side by side, aligned at the top. */
export const FigureRow = ({ children }: { children: ReactNode }) => <div className={classes['row']}>{children}</div>

/** The filters of the charts. */
type Choice = { senderId?: string; template?: string; language?: string }

export type Of = { of: Charts; choice?: Choice | undefined }

type AsTable = { columns: readonly string[]; rows: readonly (readonly (string | number)[])[] }

/** A chart's total, and the total of the previous span. `asParts`: as `4 of 10` instead of a share. */
export type Headline = { value: Value; before: Value | undefined; label: string; asParts?: boolean }

/** The data of the charts for both spans. */
type SpanFigures = Pick<Charts, 'funnel' | 'confirmations' | 'answerTimes' | 'reminder' | 'refusals'> & {
  verifications: Pick<Charts['verifications'], 'started' | 'delivered' | 'approved'>
}

type Name =
  | 'verifications'
  | 'verifications_by_template'
  | 'verifications_by_country'
  | 'verifications_by_hour'
  | 'messages'
  | 'funnel'
  | 'failures'
  | 'answers'
  | 'answer_times'
  | 'reminder'
  | 'refusals'
  | 'reasons'

export const headlineOf = (of: Charts, valueOf: (span: SpanFigures) => Value, label: string): Headline => ({
  value: valueOf(of),
  before: of.before ? valueOf(of.before) : undefined,
  label,
})

type FigureProps = Of & {
  /** The key of its texts: the title, and `<name>_about`. */
  name: Name
  /** Left out if a figure beside it has the same. */
  headline?: Headline
  table: AsTable
  exportAs: ExportedListName
  wide?: boolean
  children: ReactNode
}

/** A chart with its number above it, and the same data as a table and a file. */
export function Figure({ name, headline, table, exportAs, of, choice, wide = false, children }: FigureProps) {
  const { t } = useTexts()
  const id = useId()
  const title = t(`page_charts.${name}`)
  return (
    <Paper
      withBorder
      p="lg"
      component="section"
      aria-labelledby={id}
      className={`${classes['figure']} ${wide ? classes['wide'] : ''}`}
    >
      <div>
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {t(`page_charts.${name}_about`)}
        </Text>
      </div>
      {headline ? <HeadlineOf headline={headline} of={of} /> : <div />}
      {children}
      <details>
        <summary className={classes['summary']}>{t('page_charts.as_table')}</summary>
        <TableOf label={title} of={table} />
        <Group justify="flex-end">
          <ExportButton list={exportAs} filters={{ ...choice, from: of.from, to: of.to }} />
        </Group>
      </details>
    </Paper>
  )
}

function HeadlineOf({ headline: { value, before, label, asParts = false }, of }: Of & { headline: Headline }) {
  const { t, n, language } = useTexts()
  const textOf = (each: Value): string => {
    if (typeof each === 'number') return n(each)
    const { part, whole } = each
    return asParts ? t('page_charts.part_of', { part: n(part), whole: n(whole) }) : shareText(part, whole, language)
  }
  const change = changeOf(value, before)
  return (
    <div className={classes['headline']}>
      <strong>{textOf(value)}</strong>
      <Text span size="sm">
        {label}
      </Text>
      {change && before !== undefined && of.before && (
        <Tooltip
          multiline
          label={
            <>
              {spanOfDays(of, language)}
              {t('page_shell.colon')}
              <bdi>{textOf(value)}</bdi>
              <br />
              <SpanBefore span={of.before} timeZone={of.timeZone} />
              {t('page_shell.colon')}
              <bdi>{textOf(before)}</bdi>
            </>
          }
        >
          <span className={classes['change']}>
            <ChangeMark change={change} />{' '}
            <Text span size="xs" c="dimmed">
              {t('page_charts.since', { span: spanOfDays(of.before, language) })}
            </Text>
          </span>
        </Tooltip>
      )}
    </div>
  )
}

function SpanBefore({ span, timeZone }: { span: NonNullable<Charts['before']>; timeZone: string }) {
  const { t, language } = useTexts()
  const days = spanOfDays(span, language)
  if (span.until === null) return days
  const format = dateFormat(language, { timeZone, timeStyle: 'short', ...CLOCK })
  return t('page_charts.until', { span: days, time: format.format(new Date(span.until)) })
}

function TableOf({ label, of: { columns, rows } }: { label: string; of: AsTable }) {
  return (
    <div className={classes['table']} tabIndex={0} role="region" aria-label={label}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row[0]}>
              {row.map((cell, index) => (
                <td key={columns[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** `code`: a failure code. `of`: what the count is a part of, if each bar has its own whole. */
export type Bar = {
  label: string
  count: number
  of?: number
  note?: string | undefined
  code?: FailureCode
  colour?: ChartColour
}

/** Such as an hour: fits beside its bar and “50 of 54” in a narrow card. */
const MAX_SHORT_LABEL = 8

/**
 * Bars with their numbers and shares of the whole. The bar itself only repeats what the text says. `longest`: the count of the
 * longest bar, where all are small parts of the whole.
 */
export function Bars({ bars, whole, longest }: { bars: readonly Bar[]; whole: number; longest?: number }) {
  const { t, n, language } = useTexts()
  return (
    <ul className={classes['bars']} data-compared={longest !== undefined || undefined}>
      {bars.map(({ label, count, of, note, code, colour = 'first' }) => (
        <li key={label} data-long={(of !== undefined && label.length > MAX_SHORT_LABEL) || undefined}>
          <bdi>{label}</bdi>
          <div className={classes['track']} aria-hidden="true">
            <div
              className={classes['fill']}
              style={{ inlineSize: widthOf(count, longest ?? of ?? whole), background: cssColour(colour) }}
            />
          </div>
          <strong>{of === undefined ? n(count) : t('page_charts.part_of', { part: n(count), whole: n(of) })}</strong>
          <span>{shareText(count, of ?? whole, language)}</span>
          {note !== undefined && (
            <Text size="xs" c="dimmed" className={classes['note'] ?? ''}>
              {note}
            </Text>
          )}
          {code !== undefined && (
            <Text size="xs">
              <CodeLink code={code} />
            </Text>
          )}
        </li>
      ))}
    </ul>
  )
}

const widthOf = (count: number, whole: number): string => `${whole === 0 ? 0 : Math.min(100, (count / whole) * 100)}%`

/** One bar of parts that add up to the whole, and what they mean. */
export function Split({ items, whole }: { items: readonly LegendItem[]; whole: number }) {
  return (
    <Stack gap="sm">
      <Progress.Root size="lg" aria-hidden="true">
        {items.map(({ label, count, colour }) => (
          <Progress.Section key={label} value={(count / whole) * 100} color={cssColour(colour)} />
        ))}
      </Progress.Root>
      <Legend items={items} />
    </Stack>
  )
}

/** `link` leads to what is counted. */
export type LegendItem = { label: string; colour: ChartColour; count: number; link?: LinkOf | undefined }

/** What the colours of a chart mean. */
export function Legend({ items }: { items: readonly LegendItem[] }) {
  const { n } = useTexts()
  return (
    <ul className={classes['legend']}>
      {items.map(({ label, colour, count, link }) => (
        <li key={label}>
          <i style={{ background: cssColour(colour) }} />
          {link ? (
            <Anchor inherit renderRoot={link}>
              {label}
            </Anchor>
          ) : (
            label
          )}{' '}
          <strong>{n(count)}</strong>
        </li>
      ))}
    </ul>
  )
}

/** `▲ 12 %` or `▼ 1.2 pts`, without a colour, because more can be good or bad. */
export function ChangeMark({
  change: { kind, by },
  ...props
}: { change: Change } & TextProps & ComponentPropsWithRef<'bdi'>) {
  const { t, language } = useTexts()
  const format = numberFormat(
    language,
    kind === 'percent' ? { style: 'percent', maximumFractionDigits: 0 } : { maximumFractionDigits: 1 },
  )
  const number = format.format(Math.abs(by))
  const amount = kind === 'percent' ? number : t('page_charts.points', { count: Math.round(Math.abs(by) * 10) / 10 })
  if (number === format.format(0))
    return (
      <Text component="bdi" size="sm" fw={600} {...props}>
        {amount}
      </Text>
    )
  return (
    <Text component="bdi" size="sm" fw={600} style={{ whiteSpace: 'nowrap' }} {...props}>
      <span aria-hidden="true">{by > 0 ? '▲' : '▼'}</span>
      <VisuallyHidden component="span">{t(by > 0 ? 'page_charts.up' : 'page_charts.down')}</VisuallyHidden> {amount}
    </Text>
  )
}
