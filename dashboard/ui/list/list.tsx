import { ActionIcon, Menu, UnstyledButton } from '@mantine/core'
import { CaretDownIcon, CaretSortIcon, CaretUpIcon, DotsHorizontalIcon } from '@radix-ui/react-icons'
import { type MouseEvent, type ReactNode, useRef, useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import type { LinkOf } from '../link.tsx'
import classes from './list.module.css'
import { type SortValue, sortRows } from './sort-rows.ts'

export type Column<Row> = {
  title: string
  /** `false` is an empty cell. A column of only such cells is left out. */
  cell: (row: Row) => ReactNode
  /** This column's cell is the row's link; the default is the first column. The cell must not contain links. */
  opens?: true
  /** The list is sorted by these on a press of the title; null comes last. Only for a list that is complete on the page. */
  sortBy?: (row: Row) => SortValue
  /** For numbers, which people compare digit by digit from the end. */
  align?: 'end'
  /** A narrower screen leaves the column out of the table. Another page shows it, such as the one that the row opens. */
  from?: 'laptop' | 'desktop'
  /**
   * Where a phone's row of two lines shows the cell, without its title. On the first line: the name, which is by default what
   * opens the row, and the time. At the end of the second line: the status. Beside both: a menu. Otherwise on the second line;
   * `labelled`: with its title; `line`: on a line of its own; `none`: not at all.
   */
  phone?: 'name' | 'time' | 'status' | 'menu' | 'labelled' | 'line' | 'none'
  /** A column with the same value in all rows says nothing and is left out. */
  hideIfAll?: (row: Row) => string | number | null
}

type Props<Row> = {
  label: string
  rows: readonly Row[]
  /** The first column names the row. */
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string
  /** The page that a row opens. The whole row is the link. */
  linkOf?: (row: Row) => LinkOf
}

/** With Mantine's focus ring. */
const LINK_CLASSES = `mantine-focus-auto ${classes['opens']}`

/** Shown in a cell without a value. A phone leaves the cell out. */
const NO_VALUE = '–'

/**
 * A table with the columns that fit; on a phone each row has two lines. Plain elements instead of Mantine's Table: a page has
 * hundreds of cells, and a component for each would delay it.
 */
export function List<Row>({ label, rows, columns, keyOf, linkOf }: Props<Row>) {
  const { t } = useTexts()
  const { sorted, order, sort } = useSorted(rows, columns)
  const shown = columns
    .filter(({ hideIfAll }) => !hideIfAll || hasSeveral(rows, hideIfAll))
    .map((column) => ({ ...column, contents: sorted.map(column.cell) }))
    .filter(({ contents }) => contents.some((content) => content !== false))
  const opening = shown.find(({ opens }) => opens) ?? shown[0]
  return (
    <div className={classes['list']}>
      <table aria-label={label}>
        <thead>
          <tr>
            {shown.map(({ title, align, from, sortBy }) => {
              const direction = order?.title === title ? order.direction : undefined
              return (
                <th
                  key={title}
                  scope="col"
                  data-align={align}
                  data-from={from}
                  aria-sort={direction && `${direction}ending`}
                >
                  {sortBy && rows.length > 1 ? (
                    <UnstyledButton className={classes['sorts'] ?? ''} onClick={() => sort(title)}>
                      {title}
                      <SortIcon direction={direction} />
                    </UnstyledButton>
                  ) : (
                    title
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row, index) => (
            <tr key={keyOf(row)} data-opens={linkOf ? true : undefined} onClick={openFromTime}>
              {shown.map(({ title, contents, align, from, phone }) => {
                const content = contents[index]
                return (
                  <td
                    key={title}
                    data-align={align}
                    data-from={from}
                    data-place={phone ?? (title === opening?.title ? 'name' : 'about')}
                    data-empty={content === NO_VALUE ? true : undefined}
                  >
                    <div data-label={`${title}${t('page_shell.colon')}`}>
                      {title === opening?.title && linkOf
                        ? linkOf(row)({ className: LINK_CLASSES, 'data-row-link': true, children: content })
                        : content}
                    </div>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A time is above the link that covers its row, so that it can be pointed at. A click on it opens the row too. */
function openFromTime({ target, currentTarget }: MouseEvent<HTMLTableRowElement>): void {
  if (target instanceof Element && target.closest('time'))
    currentTarget.querySelector<HTMLElement>('[data-row-link]')?.click()
}

function SortIcon({ direction }: { direction: Direction | undefined }) {
  const Icon = direction === undefined ? CaretSortIcon : direction === 'asc' ? CaretUpIcon : CaretDownIcon
  return <Icon aria-hidden="true" />
}

type Direction = 'asc' | 'desc'

/** The rows in the order that the person chose, at first as they came. */
function useSorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  const { language } = useTexts()
  const [order, setOrder] = useState<{ title: string; direction: Direction }>()
  const sortByOf = (title: string | undefined) => columns.find((column) => column.title === title)?.sortBy
  const sortBy = sortByOf(order?.title)
  return {
    order: sortBy && order,
    sorted: sortBy && order ? sortRows(rows, sortBy, order.direction, language) : rows,
    /** The highest number or latest time comes first; the same column again: the other way. */
    sort: (title: string): void => {
      if (order?.title === title) return setOrder({ title, direction: order.direction === 'asc' ? 'desc' : 'asc' })
      const isNumber = rows.some((row) => typeof sortByOf(title)?.(row) === 'number')
      setOrder({ title, direction: isNumber ? 'desc' : 'asc' })
    },
  }
}

const hasSeveral = <Row,>(rows: readonly Row[], valueOf: (row: Row) => unknown): boolean =>
  rows.length < 2 || new Set(rows.map(valueOf)).size > 1

export type RowAction = { label: string; isDangerous?: boolean; run: () => void }

/** The actions on a row, behind one button, or in its large form on a page's subject. `label` names it. */
export function RowMenu({ label, actions, isLarge }: { label: string; actions: readonly RowAction[]; isLarge?: true }) {
  const button = useRef<HTMLButtonElement>(null)
  if (actions.length === 0) return null
  /** A dialog returns the focus to where it was: not to a menu item, which is gone by then. */
  const choose = (run: () => void): void => {
    button.current?.focus()
    run()
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          ref={button}
          aria-label={label}
          {...(isLarge
            ? { variant: 'default', size: 36 }
            : { variant: 'subtle', color: 'neutral', c: 'var(--mantine-color-dimmed)' })}
        >
          <DotsHorizontalIcon aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, isDangerous, run }) => (
          <Menu.Item key={label} {...(isDangerous && { c: 'var(--mantine-color-error)' })} onClick={() => choose(run)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
