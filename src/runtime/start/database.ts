import { setTimeout as wait } from 'node:timers/promises'
import { StartupError, systemCodeOf } from '../../lib/errors.ts'
import type { Config } from '../../lib/config.ts'
import { TooFewConnections, assertConnections } from '../../lib/db/connection-count.ts'
import type { PoolWatch } from '../../lib/db/connection.ts'
import { type Db, isDatabaseUnavailable, openDb, sqlState, statement } from '../../lib/db/pool.ts'
import { type PoolerProblems, findPoolerProblems } from '../../lib/db/pooler.ts'
import { StandbyMissing, assertCommits } from './commits.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { startEmbeddedPostgres } from './embedded-postgres/server.ts'
import type { Log } from '../../lib/log.ts'
import { findSchemaState, migrate } from '../../lib/db/migrate.ts'

export type RetryBudget = {
  log: Log
  /** How long to wait for the database, ms. */
  timeoutMs: number
  /** Ends that wait, and the creation of an embedded database. */
  signal?: AbortSignal | undefined
}

type OpenDatabaseOptions = RetryBudget & {
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'databasePool'>
  /** The minimum number of connections that must be available, even while other processes run. */
  connections?: number
  /** Runs before anything in the database is changed, also on one that is not migrated. */
  check?: ((db: Db) => Promise<void>) | undefined
  /** The process is a node, which must be able to commit. Commands that only read also work without a standby. */
  isNode?: boolean
  /** See DbOptions. */
  statementTimeoutMs?: number | undefined
  planEachTime?: boolean
  watch?: PoolWatch
}

/** Connects to the database of DATABASE_URL or the embedded one, checks and migrates it. Throws StartupError. */
export async function openDatabase(options: OpenDatabaseOptions) {
  await using opened = new AsyncDisposableStack()
  const { db, lost, close } = await connectDatabase(options)
  opened.defer(close)
  await assertWritable(db, options)
  const { state } = await withRetries(db, options, () => findSchemaState(db)) // first: a check reads Doorcode's tables
  await withRetries(db, options, async () => options.check?.(db))
  if (options.isNode || state !== 'current') await withRetries(db, options, () => assertCommits(db))
  const { log, timeoutMs, signal, isNode = false } = options
  const onWait = (): void => log.info('waiting for another process that migrates the database')
  const onLocked = (migration: string, sessions: string): void =>
    log.info({ migration, sessions }, 'waiting for the tables that a migration changes')
  const migrating = { onWait, waitForMs: isNode ? undefined : timeoutMs, lockForMs: timeoutMs, signal, onLocked }
  await withRetries(db, options, () => explainMigrationFaults(() => migrate(db, migrating)))
  const whenClosed = opened.move()
  return { db, lost, close: () => whenClosed.disposeAsync() }
}

/** The same, without migrating it. */
export async function connectDatabase(options: OpenDatabaseOptions) {
  const { config, statementTimeoutMs, planEachTime, watch, connections = 0, ...budget } = options
  await using opened = new AsyncDisposableStack()
  let url = config.databaseUrl
  let lost: AbortSignal | undefined
  if (url === undefined) {
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, signal: budget.signal })
    opened.defer(() => postgres.stop())
    if (budget.signal?.aborted) throw new StartupError('A signal ended the start.')
    url = postgres.url
    lost = postgres.lost
  }
  const db = openDb({
    url,
    poolSize: config.databasePool,
    ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    ...(planEachTime !== undefined && { planEachTime }),
    ...(watch && { watch }),
    onIdleError: (error) => budget.log.warn({ err: error }, 'a database connection ended'),
  })
  opened.defer(async () => void (await withTimeout(MAX_CLOSE_MS, db.close())))
  await withRetries(db, budget, () => assertConnections(db, connections)) // first: the pool is still empty
  if (config.databaseUrl !== undefined) assertSessions(await withRetries(db, budget, () => findPoolerProblems(db)))
  assertSupported(await withRetries(db, budget, () => db.row(checkServer)))
  const whenClosed = opened.move()
  /** Aborts if the embedded database was deleted. */
  return { db, lost, close: () => whenClosed.disposeAsync() }
}

export async function explainMigrationFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const sentence = MIGRATION_FAULTS[sqlState(error)]
    throw sentence === undefined ? error : new StartupError(sentence)
  }
}

/** After this, work that still holds connections is abandoned, so that the embedded server can stop. */
export const MAX_CLOSE_MS = 5_000

/** What the operator can fix, by SQLSTATE. */
const MIGRATION_FAULTS: Readonly<Record<string, string>> = {
  42501:
    'The database user may not create tables. Make it the owner of the database, or "grant create on schema public" to it.',
  '3F000':
    'No schema in the search_path of the database user exists, so no table can be created. Set it to a schema that the user owns, as "alter role … set search_path = public".',
  25006: 'The database is read-only, as a standby is. Set DATABASE_URL to the primary.',
}

const checkWritable = statement<{ standby: boolean; readOnly: boolean }>(
  'check_writable',
  `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly"`,
)

export async function assertWritable(db: Db, budget: RetryBudget): Promise<void> {
  const server = await withRetries(db, budget, () => db.row(checkWritable))
  if (server?.standby)
    throw new StartupError(
      'The database is a standby, which is read-only. Set DATABASE_URL to the primary, or to a proxy that connects to it (docs/high-availability.md).',
    )
  if (server?.readOnly)
    throw new StartupError(
      'The database is read-only. Turn off default_transaction_read_only for the database and its user, or set DATABASE_URL to another server.',
    )
}

type Server = { version: number; version_name: string; encoding: string }

const checkServer = statement<Server>(
  'check_server',
  `select current_setting('server_version_num')::integer as version, current_setting('server_version') as version_name,
     current_setting('server_encoding') as encoding`,
)

const RETRY_MS = 500
/** Wrong password, no such role or database, host not allowed: waiting does not help. */
const WRONG_ADDRESS = new Set(['28000', '28P01', '3D000'])

/**
 * Retries a step of the startup while the database is unavailable, for example because it starts at the same time. Throws
 * StartupError at the deadline, or immediately if the database rejects the connection.
 */
export async function withRetries<Result>(
  db: Db,
  { log, timeoutMs, signal }: RetryBudget,
  step: () => Promise<Result>,
): Promise<Result> {
  let deadline: number | undefined // from the first failure: a step such as a migration may take long
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof Error)) throw error
      if (signal?.aborted && isDatabaseUnavailable(error)) throw new StartupError(ENDED_BY_SIGNAL)
      if (WRONG_ADDRESS.has(sqlState(error)))
        throw new StartupError(`The database rejected the connection: ${error.message}`)
      if (!isDatabaseUnavailable(error)) throw error
      deadline ??= Date.now() + timeoutMs
      if (Date.now() >= deadline)
        throw new StartupError(
          error instanceof TooFewConnections
            ? error.message
            : error instanceof StandbyMissing
              ? STANDBY_MISSING
              : describeUnreachable(db.url, error, timeoutMs),
        )
      log.info({ reason: error.message }, 'waiting for the database')
      await wait(RETRY_MS, undefined, { signal }).catch(() => {
        throw new StartupError(ENDED_BY_SIGNAL)
      })
    }
  }
}

const ENDED_BY_SIGNAL = 'A signal ended the wait for the database.'
const STANDBY_MISSING =
  'The database acknowledges no commit: it waits for a synchronous standby, and none confirms it. Start a standby that synchronous_standby_names names, or change that setting; with Patroni, see "Without a standby" in docs/high-availability.md.'

const DISK_FULL = '53100'
/** How OpenSSL names certificates that lead to no authority that Node knows. */
const UNTRUSTED = /SELF_SIGNED|ISSUER|LEAF_SIGNATURE/

function describeUnreachable(url: string, error: Error, timeoutMs: number): string {
  if (sqlState(error) === DISK_FULL)
    return `The disk of the database at ${addressOf(url)} is full (${error.message}). Free space on it, then start again.`
  const fix = UNTRUSTED.test(systemCodeOf(error))
    ? 'If a private authority issued its certificate, add sslrootcert=<PEM file of that authority> to DATABASE_URL (docs/configuration.md#private-certificate-authorities).'
    : 'Check that it is running and that DATABASE_URL is correct.'
  return `The database at ${addressOf(url)} could not be reached within ${Math.round(timeoutMs / 1000)} s (${error.message}). ${fix}`
}

/** The url itself is never shown: it contains a password. */
export function addressOf(url: string): string {
  const { host, pathname } = new URL(url.replace('@/', '@localhost/'))
  return host + pathname
}

const MIN_SERVER_VERSION = 150_000

function assertSupported(server: Server | undefined): void {
  if (!server) throw new StartupError('The database did not report its version.')
  if (server.version < MIN_SERVER_VERSION) {
    throw new StartupError(`The database is PostgreSQL ${server.version_name}. Doorcode needs 15 or later.`)
  }
  if (server.encoding !== 'UTF8') {
    throw new StartupError(
      `The database stores text as ${server.encoding}, but Doorcode needs UTF8. Create a database with "create database … encoding 'UTF8' template template0" and set DATABASE_URL to it.`,
    )
  }
}

function assertSessions({ sharesSessions, reusesSessions, lostSettings }: PoolerProblems): void {
  if (sharesSessions) {
    throw new StartupError(
      'The connection pooler at DATABASE_URL uses transaction or statement pooling, but Doorcode needs session pooling. Set "pool_mode = session" (PgBouncer), or set DATABASE_URL to the address of PostgreSQL itself.',
    )
  }
  if (reusesSessions) {
    throw new StartupError(
      'The connection pooler at DATABASE_URL gives Doorcode sessions with prepared statements or locks of earlier connections. Set "server_reset_query = DISCARD ALL" (PgBouncer) and restart the pooler, or set DATABASE_URL to the address of PostgreSQL itself.',
    )
  }
  if (lostSettings.length > 0) {
    throw new StartupError(
      `Settings that Doorcode applies when it connects have no effect: ${lostSettings.join(', ')}. Configure the pooler at DATABASE_URL to keep the settings of a session (docs/pgbouncer.md), or set DATABASE_URL to the address of PostgreSQL itself.`,
    )
  }
}

/** A check of openDatabase, for a command that must not begin an installation. */
export async function assertHasTables(db: Db): Promise<void> {
  const { state } = await findSchemaState(db)
  if (state === 'missing')
    throw new StartupError(
      'The database has no tables of Doorcode. Set DATABASE_URL or DOORCODE_DATA_DIR to the database of the installation. If a restore was interrupted, run it again; to begin a new installation, run “doorcode workspace create” or "serve".',
    )
}
