import type { CodedText } from '../../../locales/text.ts'
import { type QueryResultRow, types } from 'pg'
import { setTimeout as wait } from 'node:timers/promises'
import { MINUTE_MS } from '../clock.ts'
import { Connection, DatabaseUnavailable, type PooledConnection, openPool } from './connection.ts'
import type { PoolWatch, SessionSettings } from './connection.ts'
import { type DatabaseFault, findFault } from './faults.ts'

types.setTypeParser(types.builtins.INT8, Number) // counts: far below 2^53
types.setTypeParser(types.builtins.DATE, (text) => text) // a calendar day, not an instant

/** Static SQL, prepared once per connection under its name. */
export type Statement<Row> = { name: string; text: string; row?: Row }

/** All statements, for the test that prepares each against the migrated schema. */
export const statements: Map<string, Statement<unknown>> = new Map()

/** Declares a statement. `Row` is the type of its result rows. */
export function statement<Row>(name: string, text: string): Statement<Row> {
  if (statements.has(name)) throw new Error(`two statements are named ${name}`)
  const declared = { name, text }
  statements.set(name, declared)
  return declared
}

/** Goes into a jsonb column. Not the union CodedText, whose thousand members TypeScript cannot compare with each other. */
type StoredText = { readonly code: CodedText['code'] }
export type Value = string | number | boolean | Date | Buffer | StoredText | null | undefined | readonly Value[]

/** Runs statements on the pool or in a transaction. */
export type Sql = {
  rows<Row>(statement: Statement<Row>, values?: readonly Value[]): Promise<Row[]>
  /** The first row, or undefined. */
  row<Row>(statement: Statement<Row>, values?: readonly Value[]): Promise<Row | undefined>
}

export type TransactionLimits = {
  /** How long each statement may take. Default LONG_STATEMENT_TIMEOUT_MS. */
  statementMs?: number
  /** How long each statement may wait for a lock. Default MAX_LOCK_WAIT_MS. */
  lockMs?: number
}

export type Db = Sql & {
  /** Contains a password: never log it. */
  readonly url: string
  /** Set on every connection of the pool. */
  readonly sessionSettings: SessionSettings
  /** Commits when `work` resolves and rolls back when it throws. READ COMMITTED. */
  transaction<Result>(work: (tx: Sql) => Promise<Result>, limits?: TransactionLimits): Promise<Result>
  /** All statements see the database as the first one does, and none can write. REPEATABLE READ. */
  snapshot<Result>(work: (tx: Sql) => Promise<Result>): Promise<Result>
  /** A connection outside the pool, for LISTEN and advisory locks, without a lock timeout. The caller closes it. */
  connect(): Promise<Connection>
  /** Age of the oldest running statement outside transactions, including its wait for a connection, ms. */
  oldestStatementMs(): number
  close(): Promise<void>
}

/**
 * The server notices a node that lost power or network after a minute instead of the usual two hours. Until then the node
 * keeps its advisory locks.
 */
const SERVER_KEEPALIVE = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3 }

/**
 * A role or database may have others. The driver reads times only in this style, a statement that waited for a row must see its newest
 * version, and a backslash in a string must be taken literally. Named as pg_settings does.
 */
export const NEEDED_SETTINGS = {
  DateStyle: 'ISO, MDY',
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
}

/** Our statements take milliseconds: to compile one, as PostgreSQL does above an estimated cost, takes longer than to run it. */
const NO_JIT = { jit: 'off' }

/**
 * A prepared plan is kept while its table grows: one made for a nearly empty table would later read all of it. So plans
 * must use indexes (docs/decisions/0003-joinless-batches.md).
 */
export const BY_INDEX = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
}

export type DbOptions = {
  url: string
  poolSize: number
  /** For queries over many rows: a plan that is fast for one range or status reads the whole table for another. */
  planEachTime?: boolean
  onIdleError?: (error: Error) => void
  watch?: PoolWatch
  /** For single statements; those of a transaction may take longer. */
  statementTimeoutMs?: number
  /** Set by tests. */
  responseTimeoutMs?: number
  lockTimeoutMs?: number
  idleTransactionMs?: number
  idleMs?: number
}

/** Statements of requests, claims and webhooks take milliseconds. Slower ones are aborted so that load does not pile up. */
export const STATEMENT_TIMEOUT_MS = 2_500
/** For transactions and commands, which work on many rows. */
export const LONG_STATEMENT_TIMEOUT_MS = 30_000
/**
 * Our transactions lock a row for milliseconds; a longer lock is a session that a person left open. Shorter than the
 * statement timeout, to distinguish a lock from a slow server.
 */
export const MAX_LOCK_WAIT_MS = 1_000
/**
 * The server aborts a slow statement and reports it. No response for this much longer means that the connection broke
 * silently; without this limit the program would wait forever.
 */
const RESPONSE_MARGIN_MS = 1_000
/**
 * A process that is frozen or cut off inside a transaction holds rows that other nodes wait for. Our transactions never
 * pause between statements.
 */
export const IDLE_TRANSACTION_MS = 5_000
/**
 * The server cannot interrupt a session that sends rows which a frozen process does not read, so no timeout of statements or
 * transactions frees its locks: this one ends the connection. Not for single connections, whose reader may pause, such as a backup.
 */
const UNREAD_ROWS = { tcp_user_timeout: IDLE_TRANSACTION_MS }
/** Early enough that proxies and firewalls do not drop idle connections. */
const KEEP_ALIVE_AFTER_MS = 30_000

/**
 * A new connection prepares its statements again, which takes as long as thousands of executions. Background work uses many
 * connections for a moment each minute, so they stay open until the next minute.
 */
const MAX_IDLE_MS = 5 * MINUTE_MS

export function openDb(options: DbOptions): Db {
  const { url, poolSize, planEachTime = false, onIdleError, watch, idleMs = MAX_IDLE_MS } = options
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, idleTransactionMs = IDLE_TRANSACTION_MS } = options
  const { responseTimeoutMs, lockTimeoutMs = MAX_LOCK_WAIT_MS } = options
  const sessionSettings = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
    idle_session_timeout: 0, // a role may have one, and the pool closes its connections itself
    ...NEEDED_SETTINGS,
    ...NO_JIT,
    ...(planEachTime ? {} : BY_INDEX),
  }
  const config = {
    connectionString: url,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: 'doorcode',
    sessionSettings: { ...sessionSettings, ...SERVER_KEEPALIVE },
  }
  const responseTimeoutOf = (statementMs: number): number => responseTimeoutMs ?? statementMs + RESPONSE_MARGIN_MS
  const singleTimeoutMs = responseTimeoutOf(statementTimeoutMs)
  const pool = openPool({
    ...config,
    sessionSettings: { ...config.sessionSettings, ...UNREAD_ROWS },
    max: poolSize,
    idleTimeoutMillis: idleMs,
    responseTimeoutMs: singleTimeoutMs,
    ...(watch && { watch }),
  })
  // Without a listener the end of an idle connection would crash the process.
  pool.on('error', (error) => onIdleError?.(new DatabaseUnavailable(error)))
  const connect = async (): Promise<PooledConnection> => (await pool.connect()) as unknown as PooledConnection
  const running = new Set<{ at: number }>()
  const query = async <Row>(connection: Connection, statement: Statement<Row>, values: readonly Value[] = []) => {
    const name = planEachTime ? undefined : statement.name // an unnamed one is planned for its values every time
    const { text } = statement
    return (await connection.query<Row & QueryResultRow>({ name, text, values: [...values] })).rows
  }

  const rows: Sql['rows'] = async (statement, values) => {
    const entry = { at: performance.now() }
    running.add(entry)
    let connection: PooledConnection | undefined
    try {
      connection = await connect()
      return await query(connection, statement, values)
    } finally {
      running.delete(entry)
      connection?.release()
    }
  }
  const inTransaction = async <Result>(
    mode: string,
    work: (tx: Sql) => Promise<Result>,
    { statementMs = LONG_STATEMENT_TIMEOUT_MS, lockMs }: TransactionLimits = {},
  ): Promise<Result> => {
    const connection = await connect()
    // In one message, to save a round trip.
    const lockLimit = lockMs === undefined ? '' : `; set local lock_timeout = ${lockMs}`
    const begin = `begin${mode}; set local statement_timeout = ${statementMs}${lockLimit}`
    connection.responseTimeoutMs = responseTimeoutOf(statementMs)
    try {
      let hasBegun = false
      const begun = connection
        .query(begin)
        .then(() => (hasBegun = true))
        .catch(throwUncommitted)
      begun.catch(() => {})
      const result = await work(
        toSql(async (statement, values) => {
          // A read follows without waiting for the answer. A write would be committed on its own if the begin failed.
          if (!hasBegun && isWrite(statement.text)) await begun
          const rows = await query(connection, statement, values).catch(throwUncommitted)
          await begun
          return rows
        }),
      )
      await connection.query('commit')
      return result
    } catch (error) {
      // not by the type of the error: it may come from another connection
      if (!connection.isLost) await connection.query('rollback').catch(() => connection.drop())
      throw error
    } finally {
      connection.responseTimeoutMs = singleTimeoutMs
      connection.release()
    }
  }
  return {
    url,
    sessionSettings,
    ...toSql(rows),
    transaction: (work, limits) => inTransaction('', work, limits),
    snapshot: (work) => inTransaction(' isolation level repeatable read, read only', work),
    async connect() {
      // Set explicitly, because the role or database may have a lock_timeout, and another node's migration may take longer.
      const sessionSettings = { ...config.sessionSettings, lock_timeout: 0 }
      const connection = new Connection({ ...config, sessionSettings })
      await connection.connect()
      return connection
    },
    oldestStatementMs() {
      const [oldest] = running
      return oldest ? performance.now() - oldest.at : 0
    },
    close: () => pool.end(),
  }
}

/** Whether the text of a statement changes rows. "for update" and "for no key update" only lock. */
export const isWrite = (text: string): boolean => /\b(?:insert into|delete from|(?<!\bfor |\bkey )update)\b/.test(text)

/** A transaction that is lost before its commit is rolled back. */
function throwUncommitted(error: unknown): never {
  throw error instanceof DatabaseUnavailable && error.mayBeCommitted ? new DatabaseUnavailable(error.cause) : error
}

const toSql = (rows: Sql['rows']): Sql => ({
  rows,
  row: async (statement, values) => (await rows(statement, values))[0],
})

/** Together with the response timeout, a caller waits at most 9 seconds. */
const MAX_RETRY_MS = 5_000
const RETRY_INTERVAL_MS = 100

/**
 * Retries idempotent work until its outcome is known: a statement whose connection was lost may or may not be committed.
 * Throws the first error if no attempt succeeds in time.
 */
export async function retryUntilOutcomeKnown<Result>(run: (isRetry: boolean) => Promise<Result>): Promise<Result> {
  try {
    return await run(false)
  } catch (firstError) {
    if (!isOutcomeUnknown(firstError)) throw firstError
    const deadline = performance.now() + MAX_RETRY_MS
    for (;;) {
      try {
        return await run(true)
      } catch (error) {
        if (!isTemporary(error)) throw error
        if (performance.now() > deadline) throw firstError
      }
      await wait(RETRY_INTERVAL_MS)
    }
  }
}

/**
 * A batch for `jsonb_to_recordset($1)`. Arrays for `unnest` cost half as much again, and `values` lists are limited to
 * 65,535 parameters. Convert buffers with `bytea(…)`.
 */
export const batch = (rows: readonly object[]): string => JSON.stringify(rows)

/**
 * A batch of changes, for `update … set (a, b) = (select r.a, r.b from jsonb_to_record($1::jsonb -> t.id::text) as r (…))
 * where t.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`. An update that joins a recordset may read the
 * whole table if it was planned while the table was small.
 */
export const changes = (rows: readonly { id: string }[]): string =>
  JSON.stringify(Object.fromEntries(rows.map((row) => [row.id, row])))

/** Each id once and in one order: batches of several nodes wait for each other's rows and cannot deadlock. */
export const inLockOrder = <Row extends { id: string }>(rows: readonly Row[]): Row[] =>
  [...new Map(rows.map((row) => [row.id, row])).values()].sort((one, other) => (one.id < other.id ? -1 : 1))

/**
 * SQL: means `column = value`. With `order by column desc limit 1`, on the last column of a unique index, PostgreSQL reads the index
 * backwards and finds the newest version of the row first. With `=` it may read every version, and a long transaction such as a backup
 * keeps all versions made since it began.
 */
export const newestFirst = (column: string, value: string): string => `${column} between ${value} and ${value}`

/** PostgreSQL stores neither NUL nor halves of surrogate pairs. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/** PostgreSQL's text form of bytes, for a batch. */
export const bytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`

/** Returns undefined for errors that are not of the database. */
export const faultOf = (error: unknown): DatabaseFault | undefined =>
  error instanceof Error
    ? findFault({
        state: sqlState(error),
        routine: Reflect.get(error, 'routine'),
        severity: Reflect.get(error, 'severity'),
      })
    : undefined

/** Whether one row may have failed the batch, so that each row should be retried separately. */
export function isBatchFault(error: unknown): boolean {
  const kind = error instanceof DatabaseUnavailable ? 'unavailable' : faultOf(error)?.kind
  return kind === 'bug' || kind === 'damage' || (kind === 'conflict' && !isLockTimeout(error))
}

export const isDatabaseUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || faultOf(error)?.kind === 'unavailable'

/** The server is gone or cannot be used, and not only by one statement. */
export function failsReadiness(error: unknown): boolean {
  const fault = faultOf(error)
  return error instanceof DatabaseUnavailable || (fault?.failsReadiness ?? fault?.spoilsSession ?? false)
}

/** Another transaction was in the way, such as by a lock or in a deadlock. Work on other rows can go on. */
export const isConflict = (error: unknown): boolean => faultOf(error)?.kind === 'conflict'

/** A shutdown may end a connection whose commit is waiting for a standby. */
const ENDED_BY_SHUTDOWN = new Set(['57P01', '57P02'])

/** Whether the failed work may be committed. A server that cannot write its log panics, but may have written the commit. */
const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable
    ? error.mayBeCommitted
    : ENDED_BY_SHUTDOWN.has(sqlState(error)) || (error instanceof Error && Reflect.get(error, 'severity') === 'PANIC')

/**
 * lock_timeout ended the wait for a row that another transaction has locked. The database is available, so work on other
 * rows can go on.
 */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === '55P03'

/**
 * The version (`ctid`) of the row of `table` that another transaction has locked, if the wait for it ended by lock_timeout. PostgreSQL
 * names it in the context of the error, unless a third transaction waited for the same row before.
 */
export function lockedRowOf(error: unknown, table: string): string | undefined {
  const context: unknown = error instanceof Error && isLockTimeout(error) ? Reflect.get(error, 'where') : undefined
  return typeof context === 'string' && context.includes(table) ? /\(\d+,\d+\)/.exec(context)?.[0] : undefined
}

/** Not the client's fault and not ours: a retry may succeed (503). */
export function isTemporary(error: unknown): boolean {
  const kind = faultOf(error)?.kind
  return error instanceof DatabaseUnavailable || (kind !== undefined && kind !== 'bug')
}

/** Five characters, or empty if the error has no SQLSTATE. Codes of the system, such as EPIPE, begin with E; no SQLSTATE of PostgreSQL does. */
export const sqlState = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(?!E)[0-9A-Z]{5}$/.test(error.code)
    ? error.code
    : ''

/** The SQLSTATE of a table that does not exist. */
export const UNDEFINED_TABLE = '42P01'
export const UNDEFINED_COLUMN = '42703'

/** `workspaceId` for the column `workspace_id`. */
export const camelCase = (column: string): string =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
