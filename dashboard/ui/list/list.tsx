import { Box, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './list.module.css'

export type Column<Row> = { title: string; cell: (row: Row) => ReactNode }

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
  return (
    <Box className={classes.list}>
      <Table aria-label={label} highlightOnHover verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title }) => (
              <Table.Th key={title} scope="col">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ title, cell }) => (
                <Table.Td key={title} data-title={title}>
                  <div>{cell(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}
