import { SECOND_MS } from '../clock.ts'
import type { Connection } from './connection.ts'
import { type Db, statement } from './pool.ts'

/** A pooler without a free server connection does not answer. */
const RESPONSE_TIMEOUT_MS = 3 * SECOND_MS

export type PoolerProblems = {
  /** The pooler is in transaction or statement mode: two open connections use one server process. */
  sharesSessions: boolean
  /** A new connection gets a session with prepared statements or locks of an earlier one. */
  reusesSessions: boolean
  /** Names of settings that do not have the value that Doorcode set. */
  lostSettings: string[]
}

/** What a connection pooler between Doorcode and PostgreSQL breaks (docs/pgbouncer.md). */
export async function findPoolerProblems(db: Db): Promise<PoolerProblems> {
  // Not with a prepared statement, which such a pooler would break.
  const sessions = await findSessionProblems(db)
  if (sessions.sharesSessions || sessions.reusesSessions) return { ...sessions, lostSettings: [] }
  const lost = await db.rows(findLostSettings, [JSON.stringify(db.sessionSettings)])
  return { ...sessions, lostSettings: lost.map(({ name }) => name) }
}

async function findSessionProblems(db: Db): Promise<Omit<PoolerProblems, 'lostSettings'>> {
  await using stack = new AsyncDisposableStack()
  const connect = async (): Promise<Connection> => {
    const connection = stack.adopt(await db.connect(), (each) => each.close())
    connection.responseTimeoutMs = RESPONSE_TIMEOUT_MS
    return connection
  }
  const [one, two] = [await connect(), await connect()]
  // In one probe, other clients of the pooler may hold the server process that would show it.
  for (let probe = 0; probe < MAX_PROBES; probe += 1)
    if (await isShared(one, two)) return { sharesSessions: true, reusesSessions: false }
  return { sharesSessions: false, reusesSessions: (await isUsed(one)) || (await isUsed(two)) }
}

const MAX_PROBES = 3

async function isShared(one: Connection, two: Connection): Promise<boolean> {
  const first = await processOf(one)
  // With `server_round_robin`, PgBouncer takes the server process that was idle longest; otherwise the one used last.
  if ((await processOf(one)) !== first) return true
  try {
    await two.query('begin') // in transaction mode, a pooler now reserves a server process for it
  } catch (error) {
    if (isRejectedByStatementPooler(error)) return true
    throw error
  }
  const shared = (await processOf(two)) === first || (await processOf(one)) !== first
  await two.query('rollback')
  return shared
}

/** PgBouncer with `pool_mode = statement` closes the connection of a client that begins a transaction. */
const isRejectedByStatementPooler = (error: unknown): boolean =>
  error instanceof Error && /transaction blocks not allowed/.test(error.message)

async function isUsed(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ used: boolean }>(SELECT_USED)
  return rows[0]?.used ?? false
}

const SELECT_USED = `
  select exists (select from pg_prepared_statements)
    or exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as used`

async function processOf(connection: Connection): Promise<number | undefined> {
  const { rows } = await connection.query<{ id: number }>('select pg_backend_pid() as id')
  return rows[0]?.id
}

const findLostSettings = statement<{ name: string }>(
  'find_lost_session_settings',
  `select key as name from jsonb_each_text($1) where not exists (
     select from pg_settings where name = key and setting = value) order by key`,
)
