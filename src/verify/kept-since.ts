import type { Sql } from '../db/pool.ts'
import { findKeptSince, sinceBeginning } from '../retention/kept-since.ts'

/**
 * From when on all records of a workspace are kept; null: from the beginning. Retention removes older ones, and what they
 * would prove is then not verified.
 */
export const recordsKeptSince = async (sql: Sql, workspaceId: string): Promise<Date | null> =>
  sinceBeginning(workspaceId, await findKeptSince(sql)).records
