import type { Sql } from '../../lib/db/pool.ts'
import { timeOfId } from '../../lib/ids.ts'
import { type KeptClass, findKeptSince, sinceBeginning } from '../lifecycle/retention/kept-since.ts'

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
