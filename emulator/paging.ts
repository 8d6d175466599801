import { refuse } from './errors.ts'
import { TWIN_LIMITS } from './limits.ts'

type Query = Record<string, unknown>

export type Page = {
  data: Record<string, unknown>[]
  paging?: { cursors: { before: string; after: string }; next?: string; previous?: string }
}

const CURSOR = /^row:(\d{1,20})$/

/**
 * One page. `after` is there on the last page too; only `next` tells that there is more. A cursor names the row it
 * stands on, so rows that come or go meanwhile neither repeat nor hide others; one that names no row is refused.
 */
export function readPage<Row extends { readonly id: string }>(
  rows: readonly Row[],
  pick: (row: Row) => Record<string, unknown>,
  query: Query,
  address: string,
): Page {
  const limit = readLimit(query['limit'])
  const { from, to } = boundsOf(rows, query, limit)
  const shown = rows.slice(from, to)
  const [first, last] = [shown[0], shown.at(-1)]
  if (first === undefined || last === undefined) return { data: [] }
  const cursors = { before: cursorOf(first), after: cursorOf(last) }
  return {
    data: shown.map(pick),
    paging: {
      cursors,
      ...(to < rows.length ? { next: link(address, { after: cursors.after, limit }) } : {}),
      ...(from > 0 ? { previous: link(address, { before: cursors.before, limit }) } : {}),
    },
  }
}

function readLimit(given: unknown): number {
  if (given === undefined) return TWIN_LIMITS.pageDefault
  const limit = Number(given)
  if (!Number.isInteger(limit) || limit < 1) refuse(100, 'limit must be a whole number from 1')
  return Math.min(limit, TWIN_LIMITS.pageMax)
}

function boundsOf(rows: readonly { readonly id: string }[], query: Query, limit: number): { from: number; to: number } {
  if (query['after'] !== undefined) {
    const from = positionOf(rows, query['after']) + 1
    return { from, to: Math.min(from + limit, rows.length) }
  }
  if (query['before'] !== undefined) {
    const to = positionOf(rows, query['before'])
    return { from: Math.max(0, to - limit), to }
  }
  return { from: 0, to: Math.min(limit, rows.length) }
}

function cursorOf(row: { readonly id: string }): string {
  return Buffer.from(`row:${row.id}`).toString('base64')
}

function positionOf(rows: readonly { readonly id: string }[], cursor: unknown): number {
  const id = typeof cursor === 'string' ? CURSOR.exec(Buffer.from(cursor, 'base64').toString())?.[1] : undefined
  const position = rows.findIndex((row) => row.id === id)
  if (position < 0) refuse(131059)
  return position
}

function link(address: string, change: { after?: string; before?: string; limit: number }): string {
  const url = new URL(address)
  for (const name of ['after', 'before', 'access_token']) url.searchParams.delete(name)
  for (const [name, value] of Object.entries(change)) url.searchParams.set(name, String(value))
  return url.href
}
