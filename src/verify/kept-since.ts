import type { Sql } from '../db/pool.ts'

/**
 * From when on all records of a workspace are kept; null: from the beginning. Retention removes older ones, and what they
 * would prove is then not verified.
 */
export const recordsKeptSince = (_sql: Sql, _workspaceId: string): Promise<Date | null> => Promise.resolve(null)
