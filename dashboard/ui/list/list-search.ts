type Readers = Readonly<Record<string, (value: unknown) => unknown>>

export type SearchOf<Of extends Readers> = { [Name in keyof Of]?: Exclude<ReturnType<Of[Name]>, undefined> }

/** Reads what a page's address says, and leaves out what is invalid or empty: links can hold anything. */
export const searchReader =
  <Of extends Readers>(readers: Of) =>
  (raw: Record<string, unknown>): SearchOf<Of> => {
    const members = Object.entries(readers).map(([name, read]) => [name, read(raw[name])] as const)
    return Object.fromEntries(members.filter(([, value]) => value !== undefined && value !== '')) as SearchOf<Of>
  }

const DAY = /^\d{4}-\d{2}-\d{2}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const oneOf =
  <const Value extends string>(values: readonly Value[]) =>
  (value: unknown): Value | undefined =>
    values.find((each) => each === value)

/** The router reads a text of digits as a number. */
export const textUpTo =
  (max: number) =>
  (value: unknown): string | undefined =>
    typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, max) : undefined

export const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined

/** Some parsers read `2026-02-31` as a day in March; here it is invalid. */
export const dayIn = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && isDay(value) ? value : undefined

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** Drops the last day if it is before the first. */
export function withDaysInOrder<Search extends { from?: string; to?: string }>(search: Search): Search {
  const { from, to, ...others } = search
  return from !== undefined && to !== undefined && to < from ? ({ ...others, from } as Search) : search
}

/** The filters that the lists of messages and confirmations share. Days are in the delivery zone. */
export const LIST_FILTERS = {
  text: textUpTo(200),
  template: textUpTo(512),
  senderId: idIn,
  from: dayIn,
  to: dayIn,
  /** Shows rows before this one, where an earlier page ended. */
  before: idIn,
} satisfies Readers

export type ListSearch = SearchOf<typeof LIST_FILTERS>

export const isFiltered = (search: ListSearch): boolean => Object.keys(search).some((name) => name !== 'before')

/** The rows of a page, counted from 1. `isMore`: the total was counted only up to a limit. */
export type PagePosition = { from: number; to: number; total: number; isMore: boolean }

type ListRows = { rows: readonly unknown[]; nextCursor: string | null }

/** `newer`: the rows on the pages before this one; null if they were not counted. */
export type Count = { newer: number | null; total: number; isMore: boolean }

/** Without other pages, a page has all rows: nothing needs to be counted. */
export const hasOtherPages = (list: ListRows | undefined, { before }: ListSearch): boolean =>
  before !== undefined || (list !== undefined && list.nextCursor !== null)

export function positionOf(list: ListRows, search: ListSearch, counted: Count | undefined): PagePosition | undefined {
  const count = list.rows.length
  if (count === 0) return undefined
  if (!hasOtherPages(list, search)) return { from: 1, to: count, total: count, isMore: false }
  if (counted === undefined || counted.newer === null) return undefined
  const { newer, total, isMore } = counted
  // Rows that were added between the two answers are in only one of them.
  return { from: newer + 1, to: newer + count, total: Math.max(total, newer + count), isMore }
}
