import { setTimeout as wait } from 'node:timers/promises'
import { StartupError } from '../errors.ts'
import type { Connection } from './connection.ts'
import { isConflict, statement } from './pool.ts'

/**
 * Statements of the running nodes queue behind a migration that waits for a table. They fail after a second (pool.ts), so the
 * migration gives up well before that, and tries again.
 */
const LOCK_TIMEOUT_MS = 300
/** Long enough for the queued statements to finish. */
const PAUSE_MS = 1_000
const MAX_LOCKING_MS = 60_000
/** Longer than `deadlock_timeout`, 1 s by default: then PostgreSQL cancels an autovacuum that blocks another session. */
const VACUUM_TIMEOUT_MS = 3_000

export type LockingOptions = {
  /** How long the migration tries to get its locks before it fails. */
  lockForMs?: number | undefined
  /** Ends the wait for the locks. */
  signal?: AbortSignal | undefined
  /** Called before each further try. */
  onLocked?: ((migration: string, sessions: string) => void) | undefined
}

/**
 * Runs `work` in a transaction, and repeats it until no other session prevents it from locking the tables of `migration`.
 * Throws StartupError, without changing anything, if this takes too long.
 */
export async function withTableLocks(
  connection: Connection,
  migration: { name: string; text: string },
  work: () => Promise<void>,
  { lockForMs = MAX_LOCKING_MS, signal, onLocked }: LockingOptions,
): Promise<void> {
  const commands = migration.text.replaceAll(/--.*$/gm, '')
  const tables = (await connection.query<Table>(selectTables.text, [commands])).rows
  const deadline = performance.now() + lockForMs
  for (;;) {
    await connection.query('begin')
    try {
      await lockAgainstVacuum(connection, tables)
      await connection.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await work()
      await connection.query('commit')
      return
    } catch (error) {
      if (!isConflict(error)) throw error
      await connection.query('rollback')
    }
    const sessions = await describeSessions(connection, tables)
    if (performance.now() > deadline) throw new StartupError(describeLocked(migration.name, sessions, lockForMs))
    onLocked?.(migration.name, sessions)
    await wait(PAUSE_MS, undefined, { signal }).catch(() => {
      throw new StartupError('A signal ended the wait for the tables that a migration changes.')
    })
  }
}

type Table = { id: number; name: string }

/** The tables that the commands of a migration name, and the tables of the indexes that they name. */
const selectTables = statement<Table>(
  'list_tables_of_migration',
  `select distinct t.oid as id, t.oid::regclass::text as name
   from pg_class c left join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = coalesce(i.indrelid, c.oid)
   where t.relkind = 'r' and t.relnamespace in (to_regnamespace(current_schema()), to_regnamespace('auth'))
     and $1 ~ ('\\m' || c.relname || '\\M') order by 1`,
)

/** Statements of the nodes do not conflict with this lock, so waiting for it until a vacuum has ended delays none of them. */
async function lockAgainstVacuum(connection: Connection, tables: readonly Table[]): Promise<void> {
  if (tables.length === 0) return
  await connection.query(`set local lock_timeout = ${VACUUM_TIMEOUT_MS}`)
  await connection.query(`lock table ${tables.map(({ name }) => name).join(', ')} in share update exclusive mode`)
}

/** One is usually enough to find the cause; ending these may reveal others. */
const MAX_SESSIONS = 5

type Session = {
  pid: number
  program: string | null
  user: string | null
  state: string | null
  seconds: number | null
}

/**
 * Sessions that locked one of the tables before the last try. Seeing when other users locked it takes
 * pg_read_all_stats; without it, every session that has locked one is listed.
 */
const selectSessions = statement<Session>(
  'list_sessions_that_lock_tables',
  `select pid, coalesce(nullif(application_name, ''), backend_type) as program, usename as user, state,
     extract(epoch from clock_timestamp() - xact_start)::integer as seconds
   from pg_stat_activity a
   where datname = current_database() and pid <> pg_backend_pid()
     and (xact_start < clock_timestamp() - $2 * interval '1 ms' or query = '<insufficient privilege>')
     and exists (select from pg_locks l where l.pid = a.pid and l.granted and l.relation = any ($1::oid[]))
   order by xact_start limit ${MAX_SESSIONS}`,
)

/** Empty if they have ended in the meantime. */
async function describeSessions(connection: Connection, tables: readonly Table[]): Promise<string> {
  const ids = tables.map(({ id }) => id)
  const { rows } = await connection.query<Session>(selectSessions.text, [ids, LOCK_TIMEOUT_MS])
  return rows
    .map(({ pid, program, user, state, seconds }) => {
      const known = [program, user && `user ${user}`, state, seconds !== null && `for ${seconds} s`]
      return `${pid} (${known.filter(Boolean).join(', ')})`
    })
    .join('; ')
}

const describeLocked = (migration: string, sessions: string, forMs: number): string =>
  `The migration ${migration} could not lock the tables that it changes within ${Math.round(forMs / 1000)} s, so nothing was changed. ${
    sessions === ''
      ? 'No session that holds a lock was found: look for prepared transactions (pg_prepared_xacts) and for long transactions, such as backups.'
      : `These sessions of PostgreSQL have locked them: ${sessions}.`
  } Wait until they end, or end them with "select pg_terminate_backend(<pid>)", then start again.`
