import { reject } from '../errors.ts'
import { EMULATOR_LIMITS } from '../limits.ts'

type Query = Record<string, unknown>
/** Every object of Graph has an id. */
type Row = Record<string, unknown>

/** The address of the list. Graph's page links carry the token, since some clients follow them without a header. */
export type Link = { address: string; token: string }

export type Page = {
  data: Row[]
  paging?: { cursors: { before: string; after: string }; next?: string; previous?: string }
}

const CURSOR = /^row:(\d{1,20})$/

/**
 * One page. The last page has `after`, too, but no `next`. A cursor names a row, so that added or removed rows neither
 * repeat nor hide others; a cursor without its row is an error.
 */
export function readPage(rows: readonly Row[], query: Query, link: Link): Page {
  const limit = readLimit(query['limit'])
  const { from, to } = boundsOf(rows, query, limit)
  const data = rows.slice(from, to)
  const [first, last] = [data[0], data.at(-1)]
  if (first === undefined || last === undefined) return { data: [] }
  const cursors = { before: cursorOf(first), after: cursorOf(last) }
  return {
    data,
    paging: {
      cursors,
      ...(to < rows.length ? { next: linkTo(link, { after: cursors.after, limit }) } : {}),
      ...(from > 0 ? { previous: linkTo(link, { before: cursors.before, limit }) } : {}),
    },
  }
}

function readLimit(value: unknown): number {
  if (value === undefined) return EMULATOR_LIMITS.pageDefault
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1) reject(100, 'limit must be a whole number from 1')
  return Math.min(limit, EMULATOR_LIMITS.pageMax)
}

function boundsOf(rows: readonly Row[], query: Query, limit: number): { from: number; to: number } {
  const { after, before } = query
  if (after === undefined && before !== undefined) {
    const to = positionOf(rows, before)
    return { from: Math.max(0, to - limit), to }
  }
  const from = after === undefined ? 0 : positionOf(rows, after) + 1
  return { from, to: Math.min(from + limit, rows.length) }
}

function cursorOf(row: Row): string {
  return Buffer.from(`row:${String(row['id'])}`).toString('base64')
}

function positionOf(rows: readonly Row[], cursor: unknown): number {
  const id = typeof cursor === 'string' ? CURSOR.exec(Buffer.from(cursor, 'base64').toString())?.[1] : undefined
  const position = rows.findIndex((row) => row['id'] === id)
  if (position < 0) reject(131059)
  return position
}

function linkTo({ address, token }: Link, change: { after?: string; before?: string; limit: number }): string {
  const url = new URL(address)
  for (const name of ['after', 'before']) url.searchParams.delete(name)
  url.searchParams.set('access_token', token)
  for (const [name, value] of Object.entries(change)) url.searchParams.set(name, String(value))
  return url.href
}
