import { withConnection } from '../database/postgres.ts'

const FUNCTIONS = ['clock_timestamp', 'now', 'statement_timestamp', 'transaction_timestamp']

/**
 * Moves the clock of one database: functions of the schema `public` hide those of PostgreSQL. Call it first with 0, before other
 * connections are opened; later calls have an effect on all.
 */
export async function moveDatabaseClock(url: string, byMs: number): Promise<void> {
  await withConnection(url, async (connection) => {
    for (const name of FUNCTIONS)
      await connection.query(
        `create or replace function public.${name}() returns timestamptz language sql volatile as
         $$ select pg_catalog.${name}() + interval '${byMs} milliseconds' $$`,
      )
    await connection.query(
      `do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`,
    )
  })
}
