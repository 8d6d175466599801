import { setTimeout as wait } from 'node:timers/promises'
import { CannotStart } from './cannot-start.ts'
import type { Config } from './config.ts'
import { type Db, isDatabaseUnavailable, openDb, statement } from './db.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import type { Log } from './log.ts'
import { migrate, SchemaTooNew } from './migrate.ts'

export type OpenDatabase = { db: Db; close: () => Promise<void> }

export type OpenDatabaseOptions = {
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'databasePool'>
  /** What the server calls the connections. */
  name?: string | undefined
  log: Log
  /** How long to wait for a database that does not answer yet, ms. */
  patienceMs: number
  /** Ends that wait. */
  signal?: AbortSignal | undefined
}

/** The database of DATABASE_URL or the embedded one, reached, checked and migrated. Throws CannotStart. */
export async function openDatabase({
  config,
  name,
  log,
  patienceMs,
  signal,
}: OpenDatabaseOptions): Promise<OpenDatabase> {
  await using opened = new AsyncDisposableStack()
  const url = config.databaseUrl ?? (await startEmbedded(config.dataDir, opened))
  const db = openDb({
    url,
    poolSize: config.databasePool,
    name,
    onIdleError: (error) => log.warn({ err: error }, 'a database connection ended'),
  })
  opened.defer(() => closeInTime(db))
  mustServe(await reach(db, { url, log, patienceMs, signal }))
  await migrate(db).catch((error: unknown) => {
    throw whyNotMigrated(error) ?? error
  })
  const whenClosed = opened.move()
  return { db, close: () => whenClosed.disposeAsync() }
}

/** Whoever still holds a connection then was given up before; the server must be stopped all the same. */
const CLOSE_MOST_MS = 5_000

async function closeInTime(db: Db): Promise<void> {
  const over = new AbortController()
  await Promise.race([db.close(), wait(CLOSE_MOST_MS, undefined, { signal: over.signal }).catch(() => undefined)])
  over.abort()
}

async function startEmbedded(dataDir: string, opened: AsyncDisposableStack): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir })
  opened.defer(() => postgres.stop())
  return postgres.url
}

/** What the operator can mend, or undefined for a fault of ours. */
function whyNotMigrated(error: unknown): CannotStart | undefined {
  if (error instanceof SchemaTooNew) return new CannotStart(error.message)
  switch (error instanceof Error && 'code' in error && error.code) {
    case '42501':
      return new CannotStart(
        'the database user may not create tables: make it the owner of the database, or "grant create on schema public" to it',
      )
    case '25006':
      return new CannotStart('the database is read-only, as a standby is: name the primary in DATABASE_URL')
    default:
      return undefined
  }
}

type Server = { version: number; version_name: string; encoding: string }

const askServer = statement<Server>(
  'ask_server',
  `select current_setting('server_version_num')::integer as version, current_setting('server_version') as version_name,
     current_setting('server_encoding') as encoding`,
)

const RETRY_MS = 500
/** Wrong password, no such role or database, not allowed from here: these do not pass by waiting. */
const WRONG_ADDRESS = new Set(['28000', '28P01', '3D000'])

/** A database that is still starting, as in a compose file, is waited for; one that says no is not. */
async function reach(
  db: Db,
  { url, log, patienceMs, signal }: Omit<OpenDatabaseOptions, 'config' | 'name'> & { url: string },
): Promise<Server | undefined> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    try {
      return await db.row(askServer)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const code = 'code' in error ? String(error.code) : ''
      if (WRONG_ADDRESS.has(code)) throw new CannotStart(`the database refused the connection: ${error.message}`)
      if (!isDatabaseUnavailable(error)) throw error
      if (Date.now() > deadline) throw new CannotStart(unreachable(url, error, patienceMs))
      log.info({ reason: reasonOf(error) }, 'waiting for the database')
      await wait(RETRY_MS, undefined, { signal }).catch(() => {
        throw new CannotStart('the wait for the database was ended by a signal')
      })
    }
  }
}

/** Never the url itself, which holds a password. */
function unreachable(url: string, error: Error, patienceMs: number): string {
  const { host, pathname } = new URL(url.replace('@/', '@localhost/'))
  return `the database at ${host}${pathname} could not be reached within ${Math.round(patienceMs / 1000)} s (${reasonOf(error)}): is it running, and is DATABASE_URL right?`
}

/** A host with several addresses fails with one error per address and an empty message. */
const reasonOf = (error: Error): string =>
  error.message || (error instanceof AggregateError ? error.errors.map(String).join('; ') : error.name)

const OLDEST_VERSION = 150_000

function mustServe(server: Server | undefined): void {
  if (!server) throw new CannotStart('the database did not tell its version')
  if (server.version < OLDEST_VERSION) {
    throw new CannotStart(`the database is PostgreSQL ${server.version_name}; Doorcode needs 15 or later`)
  }
  if (server.encoding !== 'UTF8') {
    throw new CannotStart(
      `the database stores text as ${server.encoding}; create one with "create database … encoding 'UTF8' template template0" and name it in DATABASE_URL`,
    )
  }
}
