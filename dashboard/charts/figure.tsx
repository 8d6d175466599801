import { Box, Group, Paper, Table, Text, Title, Tooltip } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import type { ExportedListName } from '../../src/admin/export/lists.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ExportButton } from '../ui/list/export-button.tsx'
import { dateFormat, numberFormat } from '../ui/formats.ts'
import { CLOCK } from '../ui/time/parts.ts'
import { ChangeMark } from './change-mark.tsx'
import { type Value, changeOf } from './change.ts'
import classes from './figure.module.css'
import type { Charts } from './outcomes.ts'
import { shareText, spanOfDays } from './span.ts'

/** Figures side by side, aligned at the top. */
export const FigureRow = ({ children }: { children: ReactNode }) => <div className={classes['row']}>{children}</div>

/** The filters of the charts. */
export type Choice = { senderId?: string; template?: string; language?: string }

export type Of = { of: Charts; choice?: Choice | undefined }

type AsTable = { columns: readonly string[]; rows: readonly (readonly (string | number)[])[] }

/** A chart's total, and the total of the previous span. */
type Headline = { value: Value; before: Value | undefined; label: string }

/** A chart with its number above it, and the same data as a table and a file. */
export function Figure({
  title,
  about,
  headline,
  table,
  exportAs,
  of,
  choice,
  wide = false,
  children,
}: Of & {
  title: string
  about: string
  headline: Headline
  table: AsTable
  exportAs: ExportedListName
  wide?: boolean
  children: ReactNode
}) {
  const { t } = useTexts()
  const id = useId()
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
          {about}
        </Text>
      </div>
      <HeadlineOf headline={headline} of={of} />
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

function HeadlineOf({ headline: { value, before, label }, of }: Of & { headline: Headline }) {
  const { t, language } = useTexts()
  const textOf = (each: Value): string =>
    typeof each === 'number' ? numberFormat(language).format(each) : shareText(each.part, each.whole, language)
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
          <ChangeMark change={change} />
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
    <Box className={classes['table']} tabIndex={0} role="region" aria-label={label}>
      <Table aria-label={label} withRowBorders={false} striped verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column} scope="col">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row[0]}>
              {row.map((cell, index) => (
                <Table.Td key={columns[index]}>{cell}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}
