import { Box, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { useWords } from '../words.ts'
import classes from './figure.module.css'
import { chartWords } from './words.ts'

export type AsTable = { columns: readonly string[]; rows: readonly (readonly (string | number)[])[] }

/** A chart, what it shows in a sentence, and the same as a table for whoever reads rather than looks. */
export function Figure({
  title,
  about,
  empty,
  table,
  children,
}: {
  title: string
  about?: string
  /** Said in place of a chart with nothing in it. */
  empty?: string | undefined
  table: AsTable
  children: ReactNode
}) {
  const text = useWords(chartWords)
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
              <summary className={classes.summary}>{text.asTable}</summary>
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
              {row.map((cell, place) => (
                <Table.Td key={columns[place]}>{cell}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}
