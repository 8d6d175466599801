import { Box, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './list.module.css'
import { ZoneNamedInHead } from '../time.tsx'
import { useWorkspace } from '../workspace.ts'

/** `times`: all of its cells are times, and its head names their zone. */
export type Column<Row> = { title: string; cell: (row: Row) => ReactNode; times?: true }

/** A table; on a narrow screen each row is a card that names its cells. */
export function List<Row>({
  label,
  rows,
  columns,
  keyOf,
}: {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string
}) {
  const { timeZone } = useWorkspace()
  return (
    <Box className={classes.list}>
      <Table aria-label={label} highlightOnHover verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, times }) => (
              <Table.Th key={title} scope="col">
                {title}
                {times && <span className={`${classes['zone']} as-typed`}>{timeZone}</span>}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ title, cell, times }) => (
                <Table.Td key={title} data-title={title}>
                  <div>{times ? <ZoneNamedInHead>{cell(row)}</ZoneNamedInHead> : cell(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}
