import type { ListSearch } from './list-search.ts'

/** The rows of a page, counted from 1. `isMore`: the total was counted only up to a limit. */
export type PagePosition = { from: number; to: number; total: number; isMore: boolean }

type Listed = { rows: readonly unknown[]; nextCursor: string | null }

/** `newer`: the rows on the pages before this one; null if they were not counted. */
export type Counted = { newer: number | null; total: number; isMore: boolean }

/** Without other pages, a page has all rows: nothing needs to be counted. */
export const hasOtherPages = (list: Listed | undefined, { before }: ListSearch): boolean =>
  before !== undefined || (list !== undefined && list.nextCursor !== null)

export function positionOf(list: Listed, search: ListSearch, counted: Counted | undefined): PagePosition | undefined {
  const count = list.rows.length
  if (count === 0) return undefined
  if (!hasOtherPages(list, search)) return { from: 1, to: count, total: count, isMore: false }
  if (counted === undefined || counted.newer === null) return undefined
  const { newer, total, isMore } = counted
  // Rows that were added between the two answers are in only one of them.
  return { from: newer + 1, to: newer + count, total: Math.max(total, newer + count), isMore }
}
