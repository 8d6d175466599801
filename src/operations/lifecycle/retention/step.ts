import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { FIRST_ID, firstIdAt, timeOfId } from '../../../lib/ids.ts'
import type { KeptClass } from './kept-since.ts'

/** Rows that one step looks at in one transaction: it takes about a tenth of a second. */
export const MAX_ROWS = 500

/** Rows of one table that a preview reads, whether they match or not: a second, or a few from a disk. */
export const MAX_READ_TO_COUNT = 100_000

/** `more`: the limit was reached, so there may be others. */
export type Count = { rows: number; more: boolean }

/** The last row that a step has looked at. Rows before it were removed, or are postponed. */
export type Position = {
  id: string
  /** As PostgreSQL writes it, to the microsecond. */
  at: string
}

/** `last`: undefined at the end. `ids`: the rows that hold something to remove. */
export type Page = { seen: number; last: Position | undefined; ids: string[] }

/** One kind of row, walked from the oldest. */
export type Step = {
  name: string
  /** From which rows or their content are removed. */
  table: string
  class: KeptClass
  /**
   * A row that it postpones for very long is in use for too long. Not for orders, which are postponed while they have a younger
   * message: the step of messages shows that message. Nor for steps that postpone only locked rows or reports.
   */
  showsInUse: boolean
  /** Of a full page. */
  maxRows: number
  /** When the next row was recorded. */
  next(sql: Sql, after: Position | undefined): Promise<Date | undefined>
  /** The next rows that are older than `until`. */
  page(tx: Sql, after: Position | undefined, until: Date): Promise<Page>
  /** Rows that hold something to remove and are older than `until`, of the next `maxRead`, without the postponed ones. */
  count(sql: Sql, after: Position | undefined, until: Date, maxRead: number): Promise<Count>
  /** Of `ids`, those that still exist. */
  existing(tx: Sql, ids: readonly string[]): Promise<string[]>
  /** Removes what is not in use, and returns those ids. Rows that another transaction has locked are in use. */
  remove(tx: Sql, ids: readonly string[], until: Date): Promise<string[]>
}

type PageRow = { seen: number; last: string | null; ids: string[] }
type IdRow = { id: string }

type StepOfTable = {
  table: string
  /** The table that the step removes from, if it is not `table`, which then gives only the ids. */
  of?: string
  class: KeptClass
  /** See Step. Default: false. */
  showsInUse?: boolean
  /** Of the rows that hold something to remove. */
  condition?: string
  /** `$1`: ids of rows that this transaction has locked. */
  remove: (tx: Sql, ids: readonly string[], until: Date) => Promise<string[]>
}

/** For a table whose ids are UUIDv7, which rise with real time, also in sandboxes. */
export function stepOfTable({
  table,
  of: removedFrom = table,
  class: keptClass,
  showsInUse = false,
  condition = 'true',
  remove,
}: StepOfTable): Step {
  const of = `${keptClass}_of_${removedFrom}`
  const page = statement<PageRow>(
    `page_${of}`,
    `with page as materialized (
       select id, ${condition} as holds from ${table} where id > $1 and id < $2 order by id limit ${MAX_ROWS})
     select count(*)::int as seen, (select id from page order by id desc limit 1) as last,
       array (select id from page where holds) as ids
     from page`,
  )
  const next = statement<IdRow>(`next_${of}`, `select id from ${table} where id > $1 order by id limit 1`)
  const count = statement<CountRow>(
    `count_${of}`,
    `select count(*) filter (where holds)::int as rows, count(*)::int as seen
     from (select ${condition} as holds from ${table} where id > $1 and id < $2 order by id limit $3) next`,
  )
  const { existing, lock } = rowStatements(of, table)
  return {
    name: `${keptClass} of ${removedFrom}`,
    table: removedFrom,
    class: keptClass,
    showsInUse,
    maxRows: MAX_ROWS,
    async next(sql, after) {
      const row = await sql.row(next, [after?.id ?? FIRST_ID])
      return row && timeOfId(row.id)
    },
    async page(tx, after, until) {
      const { seen = 0, last = null, ids = [] } = (await tx.row(page, [after?.id ?? FIRST_ID, firstIdAt(until)])) ?? {}
      return { seen, ids, last: last === null ? undefined : { id: last, at: timeOfId(last).toISOString() } }
    },
    count: async (sql, after, until, maxRead) =>
      toCount(await sql.row(count, [after?.id ?? FIRST_ID, firstIdAt(until), maxRead]), maxRead),
    existing: async (tx, ids) => idsOf(await tx.rows(existing, [ids])),
    remove: (tx, ids, until) => lockThen(tx, lock, ids, (locked) => remove(tx, locked, until)),
  }
}

export type CountRow = { rows: number; seen: number }

export const toCount = ({ rows, seen }: CountRow = { rows: 0, seen: 0 }, maxRead: number): Count => ({
  rows,
  more: seen >= maxRead,
})

/** By ids that the step has just read. */
export const rowStatements = (of: string, table: string): { existing: Statement<IdRow>; lock: Statement<IdRow> } => ({
  existing: statement<IdRow>(`find_${of}`, `select id from ${table} where id = any ($1::uuid[])`),
  lock: statement<IdRow>(
    `lock_${of}`,
    `select id from ${table} where id = any ($1::uuid[]) order by id for update skip locked`,
  ),
})

/** A later statement chooses what to remove, after the locks are held, so that it sees everything committed before them. */
export async function lockThen(
  tx: Sql,
  lock: Statement<IdRow>,
  ids: readonly string[],
  remove: (locked: readonly string[]) => Promise<string[]>,
): Promise<string[]> {
  const locked = idsOf(await tx.rows(lock, [ids]))
  return locked.length === 0 ? [] : remove(locked)
}

export const idsOf = (rows: readonly IdRow[]): string[] => rows.map(({ id }) => id)

/** A step whose removal is one statement that returns the removed ids. */
export const removedBy =
  (removal: Statement<IdRow>) =>
  async (tx: Sql, ids: readonly string[]): Promise<string[]> =>
    idsOf(await tx.rows(removal, [ids]))
