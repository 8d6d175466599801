import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { timeOfId } from '../../lib/ids.ts'
import { DASHBOARD_KEY_ID } from '../../workspaces/keys/keys.ts'
import { type KeptClass, findKeptSince, sinceBeginning } from '../lifecycle/retention/kept-since.ts'

/** Units to read, by id: the next ones, or some of them again. */
export type Selected = { after: string; limit: number } | { ids: readonly string[] }

/** Facts of one kind per unit. A unit that has more is not verified. */
const MAX_FACTS = 200
/** For queries. One more fact shows that there are too many. */
export const FACT_LIMIT = MAX_FACTS + 1

export const isWhole = (...facts: readonly (readonly unknown[])[]): boolean =>
  facts.every((list) => list.length <= MAX_FACTS)

/** Reads selected rows of a table. `select` gives the text of a query of them. */
export function readerOf<Row>(table: string, select: (rows: string) => string, columns = '*') {
  const rows = `select ${columns} from ${table} where workspace_id = $1`
  const next: Statement<Row> = statement(`read_${table}_to_verify`, select(`${rows} and id > $2 order by id limit $3`))
  const chosen = `select r.* from unnest($2::uuid[]) as chosen (chosen_id) cross join lateral (${rows} and id = chosen_id limit 1) r`
  const again: Statement<Row> = statement(`read_${table}_to_verify_again`, select(chosen))
  return (tx: Sql, workspaceId: string, selected: Selected): Promise<Row[]> =>
    'ids' in selected
      ? tx.rows(again, [workspaceId, selected.ids])
      : tx.rows(next, [workspaceId, selected.after, selected.limit])
}

/** The key of a row, unless it is one of the row's workspace. */
export const unknownKeyOf = (row: string): string =>
  `(select ${row}.api_key_id where ${row}.api_key_id <> '${DASHBOARD_KEY_ID}' and not exists (
       select from api_keys k where k.public_id = ${row}.api_key_id and k.workspace_id = ${row}.workspace_id))`

/**
 * The time from which all records of a workspace are kept; null: all are kept. Retention removes older ones, and what
 * they would prove is not verified.
 */
export const recordsKeptSince = async (sql: Sql, workspaceId: string): Promise<Date | null> =>
  sinceBeginning(workspaceId, await findKeptSince(sql)).records

/**
 * For a class of data, of which rows, by their ids, it may have been removed. Read it in the snapshot of the rows: what is
 * removed commits together with how far the removal has come.
 */
export async function findRemoved(sql: Sql, keptClass: KeptClass): Promise<(id: string) => boolean> {
  const { [keptClass]: keptSince } = await findKeptSince(sql)
  return (id) => keptSince !== null && timeOfId(id) <= keptSince
}
