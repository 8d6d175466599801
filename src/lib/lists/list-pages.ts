import { type Sql, type Statement, type Value, statement } from '../db/pool.ts'
import type { ListClock } from './id-range.ts'

/** `next`: the cursor of the next page; null at the end. `searchedBackTo`: set when the scan limit ended this page early. */
export type Page<Row> = { rows: Row[]; next: { before: string; searchedBackTo: Date | null } | null }

export const PAGE_SIZE = 50
/** Rows read per page, since most filters have no index. Takes about 50 ms. */
export const MAX_SCANNED_ROWS = 10_000

/** A list of one workspace's rows, newest first. In its SQL a row is `item`. */
export type ListSpec = {
  /** The table must have the columns workspace_id, id and created_at. */
  table: string
  columns: string
  joins?: string
  /** A filter whose value is null is off. The value follows the condition, or stands where the function puts it. */
  filters: readonly (readonly [type: string, condition: string | ((value: string) => string)])[]
}

type DatedRow = { id: string; createdAt: Date }
/** `counted`: the rows that were read; `reached`: whether one of them is below the cursor. */
type Counts = { total: number; newer: number; counted: number; reached: boolean }
export type ListSource<Row> = {
  page: Statement<Row>
  end: Statement<DatedRow>
  count: Statement<Counts>
  newer: Statement<{ id: string }>
}

/** $1 to $3: the workspace and its id range. The values of the source and then of the filters follow. */
export const BELOW_END = 'item.workspace_id = $1 and item.id < $2'
const IN_ID_RANGE = `${BELOW_END} and item.id >= $3`
export const NEWEST_FIRST = `order by item.id desc limit ${MAX_SCANNED_ROWS}`
const OLDEST_FIRST = `order by item.id limit ${MAX_SCANNED_ROWS}`
/** The row where the range starts, if it matches itself, and the next newer one. */
const MAX_NEWER = 2

/** Rows that meet an indexed condition. The inner limit bounds the scan; the outer one ends it when the page is full. */
export const createListSource = <Row>(
  { table, columns, joins = '', filters }: ListSpec,
  { name, condition = '', values = 0 }: { name: string; condition?: string; values?: number },
): ListSource<Row> => ({
  page: statement(
    `list_${name}`,
    `select ${columns} from (select * from ${table} item where ${IN_ID_RANGE} ${condition} ${NEWEST_FIRST}) item ${joins}
     where ${conditionsOf(filters, values)} order by item.id desc limit ${PAGE_SIZE + 1}`,
  ),
  end: statement(
    `end_of_${name}`,
    `select item.id, item.created_at as "createdAt" from ${table} item where ${IN_ID_RANGE} ${condition}
     order by item.id desc offset ${MAX_SCANNED_ROWS - 1} limit 1`,
  ),
  count: statement(
    `count_${name}`,
    countOf(
      `(select * from ${table} item where ${IN_ID_RANGE} ${condition} ${NEWEST_FIRST}) item ${joins}`,
      filters,
      values,
    ),
  ),
  newer: statement(
    `newer_of_${name}`,
    `select item.id from (select * from ${table} item where ${IN_ID_RANGE} ${condition} ${OLDEST_FIRST}) item ${joins}
     where ${conditionsOf(filters, values)} order by item.id limit ${MAX_NEWER}`,
  ),
})

/**
 * The rows of a search; `ids` selects their ids BELOW_END. Without statistics PostgreSQL expects few rows in a range with two
 * ends, and would read the whole workspace by that range instead of using the index of what is searched.
 */
export function createSearchSource<Row>(
  { table, columns, joins = '', filters }: ListSpec,
  { name, ids, values }: { name: string; ids: string; values: number },
): ListSource<Row> {
  const found = `(${ids}) hit where hit.id >= $3`
  const hit = `select hit.id from ${found} order by hit.id desc`
  const item = `cross join lateral (select * from ${table} item where item.workspace_id = $1 and item.id = hit.id limit 1) item`
  return {
    page: statement(
      `search_${name}`,
      `select ${columns} from (${hit} limit ${MAX_SCANNED_ROWS}) hit ${item} ${joins}
       where ${conditionsOf(filters, values)} order by hit.id desc limit ${PAGE_SIZE + 1}`,
    ),
    end: statement(
      `end_of_searched_${name}`,
      `select hit.id, item.created_at as "createdAt"
       from (${hit} offset ${MAX_SCANNED_ROWS - 1} limit 1) hit ${item}`,
    ),
    count: statement(
      `count_searched_${name}`,
      countOf(`(${hit} limit ${MAX_SCANNED_ROWS}) hit ${item} ${joins}`, filters, values),
    ),
    newer: statement(
      `newer_of_searched_${name}`,
      `select hit.id from (select hit.id from ${found}) hit ${item} ${joins}
       where ${conditionsOf(filters, values)} order by hit.id limit ${MAX_NEWER}`,
    ),
  }
}

/** The cursor follows the values of the filters. */
function countOf(items: string, filters: ListSpec['filters'], values: number): string {
  const cursor = `$${4 + values + filters.length}::uuid`
  return `select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= ${cursor})::int as newer,
     count(*)::int as counted, coalesce(bool_or(id < ${cursor}), false) as reached
   from (select item.id, ${conditionsOf(filters, values)} as fits from ${items}) item`
}

const conditionsOf = (filters: ListSpec['filters'], values: number): string =>
  filters
    .map(([type, condition], index) => ({ value: `$${4 + values + index}::${type}`, condition }))
    .map(({ value, condition }) => {
      const fits = typeof condition === 'string' ? `${condition} ${value}` : condition(value)
      return `(${value} is null or ${fits})`
    })
    .join(' and ')

export type PageRequest = {
  workspaceId: string
  /** What idRange returned. */
  ids: readonly [string, string]
  values?: readonly Value[]
  filters: readonly Value[]
  clock?: ListClock
}

/** Ids rise with time, so new rows neither hide nor repeat others while a person pages. */
export async function readPage<Row extends { id: string; createdAt: Date }>(
  sql: Sql,
  { page, end }: ListSource<Row>,
  { workspaceId, ids, values = [], filters, clock }: PageRequest,
): Promise<Page<Row>> {
  const range = [workspaceId, ...ids, ...values]
  const listed = await sql.rows(page, [...range, ...filters])
  const rows = listed.slice(0, PAGE_SIZE)
  const last = rows.at(-1)
  const sorted = clock?.sandbox ? rows.toSorted(byCreatedAt) : rows
  if (listed.length > PAGE_SIZE && last) return { rows: sorted, next: { before: last.id, searchedBackTo: null } }
  const edge = await sql.row(end, range)
  return { rows: sorted, next: edge ? { before: edge.id, searchedBackTo: edge.createdAt } : null }
}

/**
 * Where a page is in its list. `newer`: the rows on the pages before it; null if it is beyond the counted rows. `isMore`:
 * the total is of the newest MAX_SCANNED_ROWS rows only.
 */
export type Position = { newer: number | null; total: number; isMore: boolean }

/** `ids`: the range of the whole list; `before`: where the page begins. */
export async function readPosition<Row>(
  sql: Sql,
  { count }: ListSource<Row>,
  { workspaceId, ids, values = [], filters, before }: PageRequest & { before: string | null },
): Promise<Position> {
  const counts = await sql.row(count, [workspaceId, ...ids, ...values, ...filters, before])
  const { total, newer, counted, reached } = counts ?? { total: 0, newer: 0, counted: 0, reached: false }
  const isMore = counted >= MAX_SCANNED_ROWS
  return { newer: before === null || reached || !isMore ? newer : null, total, isMore }
}

export type Neighbours = { newerId: string | null; olderId: string | null }

/** The rows before and after one in the list, also if it no longer matches the filters itself. `ids`: the range of the whole list. */
export async function readNeighbours<Row extends { id: string; createdAt: Date }>(
  sql: Sql,
  source: ListSource<Row>,
  { of, ids: [end, start], ...request }: PageRequest & { of: string },
): Promise<Neighbours> {
  const { workspaceId, values = [], filters } = request
  const [newer, older] = await Promise.all([
    sql.rows(source.newer, [workspaceId, end, [start, of].toSorted().at(-1) ?? of, ...values, ...filters]),
    readPage(sql, source, { ...request, ids: [[end, of].toSorted()[0] ?? of, start] }),
  ])
  return {
    newerId: newer.find(({ id }) => id !== of)?.id ?? null,
    olderId:
      older.rows
        .map(({ id }) => id)
        .toSorted()
        .at(-1) ?? null,
  }
}

/** A page takes less than a quarter of a second, including the last step. */
const MAX_READ_ON_MS = 150

/** Reads several pages of a filter that few rows pass, until one page is full or the time is over. */
export async function readOn<Row>(
  before: string | null,
  read: (before: string | null) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const deadline = performance.now() + MAX_READ_ON_MS
  const rows: Row[] = []
  for (let page = await read(before); ; page = await read(page.next.before)) {
    rows.push(...page.rows)
    if (!page.next || rows.length >= PAGE_SIZE || performance.now() > deadline) return { rows, next: page.next }
  }
}

/** Ids rise with real time, but a sandbox's clock jumps: rows created together may show times far apart. */
const byCreatedAt = (one: DatedRow, other: DatedRow): number =>
  other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? 1 : -1)
