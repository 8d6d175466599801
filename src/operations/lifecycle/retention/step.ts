import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { FIRST_ID, firstIdAt, timeOfId } from '../../../lib/ids.ts'
import { type Table, tables } from '../../columns.ts'
import type { KeptClass } from './kept-since.ts'

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

/** How to walk the rows of a table in the order of time, a page at a time. */
type Walk = {
  maxRows: number
  at: string
  order: string
  after: string
  until: string
  /** The parameters of `after`. */
  position(after: Position | undefined): string[]
  /** The parameter of `until`. */
  end(until: Date): string | Date
}

/** Rows that one step looks at in one transaction: it takes about a tenth of a second. */
export const MAX_ROWS = 500
/** A message has about three reports, and removing them must keep pace. Nothing refers to them, so a larger page is still fast. */
const MAX_REPORTS = 2_000

/** The ids are UUIDv7, which rise with real time, also in sandboxes. */
const BY_ID: Walk = {
  maxRows: MAX_ROWS,
  at: 'null',
  order: 'id',
  after: 'id > $1',
  until: 'id < $2',
  position: (after) => [after?.id ?? FIRST_ID],
  end: firstIdAt,
}

/** Reports are walked in the order of their arrival: their ids are made from their content. */
const BY_ARRIVAL: Walk = {
  maxRows: MAX_REPORTS,
  at: 'received_at::text',
  order: 'received_at, id',
  after: `received_at > '-infinity' and received_at >= $1::timestamptz and (received_at, id) > ($1::timestamptz, $2)`,
  until: 'received_at < $3',
  position: (after) => [after?.at ?? '-infinity', after?.id ?? FIRST_ID],
  end: (until) => until,
}

type IdRow = { id: string }
type TimedRow = IdRow & { at: string | null }

const timeOf = ({ id, at }: TimedRow): string => at ?? timeOfId(id).toISOString()

type StepOptions = {
  table: Table
  /** The table that the step removes from, if it is not `table`, which then gives only the ids. */
  of?: Table
  class: KeptClass
  /**
   * Whether a row that the step postpones for very long counts as stuck. False for confirmations, which are postponed while they have a
   * younger message: the step of messages shows that message. Also false for steps that postpone only locked rows or reports.
   */
  showsInUse?: boolean
  /** Selects the rows that hold something to remove. */
  condition?: string
  /** `$1`: ids of rows that this transaction has locked. Returns those that were removed. */
  remove: (tx: Sql, ids: readonly string[], until: Date) => Promise<string[]>
}

/** One kind of row, walked from the oldest. */
export type Step = ReturnType<typeof stepOf>

export function stepOf({
  table,
  of: removedFrom = table,
  class: keptClass,
  showsInUse = false,
  ...options
}: StepOptions) {
  const { condition = 'true', remove } = options
  const of = `${keptClass}_of_${removedFrom}`
  const walk = table === 'provider_reports' ? BY_ARRIVAL : BY_ID
  const older = `from ${table} where ${walk.after} and ${walk.until} order by ${walk.order}`
  const page = statement<TimedRow & { holds: boolean }>(
    `page_${of}`,
    `select id, ${walk.at} as at, ${condition} as holds ${older} limit ${walk.maxRows}`,
  )
  const next = statement<TimedRow>(
    `next_${of}`,
    `select id, ${walk.at} as at from ${table} where ${walk.after} order by ${walk.order} limit 1`,
  )
  const count = statement<{ rows: number; seen: number }>(
    `count_${of}`,
    `select count(*) filter (where holds)::int as rows, count(*)::int as seen
     from (select ${condition} as holds ${older} limit $${walk === BY_ID ? 3 : 4}) next`,
  )
  const existing = statement<IdRow>(`find_${of}`, `select id from ${table} where id = any ($1::uuid[])`)
  const lock = statement<IdRow>(
    `lock_${of}`,
    `select id from ${table} where id = any ($1::uuid[]) order by id for update skip locked`,
  )
  return {
    name: `${keptClass} of ${removedFrom}`,
    /** The table from which rows, or their content, are removed. */
    table: removedFrom,
    class: keptClass,
    showsInUse,
    /** The size of a full page. */
    maxRows: walk.maxRows,
    /** When the next row was recorded. */
    async next(sql: Sql, after: Position | undefined): Promise<Date | undefined> {
      const row = await sql.row(next, walk.position(after))
      return row && new Date(timeOf(row))
    },
    /** The next rows that are older than `until`. `last` is undefined at the end. `ids`: the rows that hold something to remove. */
    async page(tx: Sql, after: Position | undefined, until: Date) {
      const rows = await tx.rows(page, [...walk.position(after), walk.end(until)])
      const last = rows.at(-1)
      return {
        seen: rows.length,
        last: last && { id: last.id, at: timeOf(last) },
        ids: idsOf(rows.filter(({ holds }) => holds)),
      }
    },
    /** Counts, among the next `maxRead` rows, those that hold something to remove and are older than `until`. Postponed rows are left out. */
    async count(sql: Sql, after: Position | undefined, until: Date, maxRead: number): Promise<Count> {
      const { rows = 0, seen = 0 } = (await sql.row(count, [...walk.position(after), walk.end(until), maxRead])) ?? {}
      return { rows, more: seen >= maxRead }
    },
    /** Returns those of `ids` that still exist. */
    existing: async (tx: Sql, ids: readonly string[]): Promise<string[]> => idsOf(await tx.rows(existing, [ids])),
    /**
     * Removes what is not in use, and returns those ids. Rows that another transaction has locked are in use. A later statement
     * chooses what to remove, after the locks are held, so that it sees everything committed before them.
     */
    async remove(tx: Sql, ids: readonly string[], until: Date): Promise<string[]> {
      const locked = idsOf(await tx.rows(lock, [ids]))
      return locked.length === 0 ? [] : remove(tx, locked, until)
    },
  }
}

export const idsOf = (rows: readonly IdRow[]): string[] => rows.map(({ id }) => id)

/** Removes rows with one statement that returns their ids. */
export const removedBy =
  (removal: Statement<IdRow>) =>
  async (tx: Sql, ids: readonly string[]): Promise<string[]> =>
    idsOf(await tx.rows(removal, [ids]))

/** Whether the refusal check of a confirmation is in use. `of` has its workspace. */
export const hasRefusalCheckInUse = (of: string, confirmationId: string): string =>
  `exists (
       select from refusal_checks f
       where f.workspace_id = ${of}.workspace_id and f.confirmation_id = ${confirmationId} and ${tables.refusal_checks.inUse('f')})`
