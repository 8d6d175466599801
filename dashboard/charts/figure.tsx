import { Box, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import classes from './figure.module.css'

export type AsTable = { columns: readonly string[]; rows: readonly (readonly (string | number)[])[] }

/** A chart with a caption, and the same data as a table. */
export function Figure({
  title,
  about,
  empty,
  table,
  children,
}: {
  title: string
  about?: string
  /** Shown in place of an empty chart. */
  empty?: string | undefined
  table: AsTable
  children: ReactNode
}) {
  const { t } = useTexts()
  const id = useId()
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id} miw={0}>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          {about !== undefined && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        {empty !== undefined ? (
          <Text py="lg">{empty}</Text>
        ) : (
          <>
            {children}
            <details>
              <summary className={classes.summary}>{t('page_charts.as_table')}</summary>
              <TableOf label={title} of={table} />
            </details>
          </>
        )}
      </Stack>
    </Paper>
  )
}

function TableOf({ label, of: { columns, rows } }: { label: string; of: AsTable }) {
  return (
    <Box className={classes.table} tabIndex={0} role="region" aria-label={label}>
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
