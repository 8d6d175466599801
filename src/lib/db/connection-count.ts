import { type Connection, DatabaseUnavailable } from './connection.ts'
import { type Db, sqlState } from './pool.ts'

/** Connections outside the pool: for wake-ups, and for migrations at the start; the figures of the metrics use the latter's place. */
const MORE_CONNECTIONS = 2
const DASHBOARD_CONNECTIONS = 5

type Process = { databasePool: number; roles: Iterable<string> }

/** The most connections that a process opens: docs/configuration.md#with-a-database-of-your-own */
export const connectionsOf = ({ databasePool, roles }: Process): number =>
  databasePool + MORE_CONNECTIONS + (new Set(roles).has('dashboard') ? DASHBOARD_CONNECTIONS : 0)

/** The operator can fix it, or connections of processes that were killed end soon. */
export class TooFewConnections extends DatabaseUnavailable {}

/** More connections at a time would delay each other until they time out. */
const MAX_OPENING = 20

/** Opens as many connections as a process needs, before anything depends on them, and closes them. */
export async function assertConnections(db: Db, needed: number): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const connect = async (): Promise<Connection> => stack.adopt(await db.connect(), (each) => each.close())
  for (let opened = 0; opened < needed; ) {
    const openings = Array.from({ length: Math.min(needed - opened, MAX_OPENING) }, connect)
    const results = await Promise.allSettled(openings)
    opened += results.filter(({ status }) => status === 'fulfilled').length
    const failed = results.find((each) => each.status === 'rejected')
    if (failed && (opened > 0 || sqlState(failed.reason) === TOO_MANY_CONNECTIONS))
      throw new TooFewConnections(describeShortage(needed, opened, failed.reason))
    if (failed) throw failed.reason
  }
}

/** PostgreSQL's own error. A pooler lets connections wait instead. */
const TOO_MANY_CONNECTIONS = '53300'

function describeShortage(needed: number, opened: number, error: unknown): string {
  const limit =
    sqlState(error) === TOO_MANY_CONNECTIONS
      ? 'max_connections of PostgreSQL, or the connection limit of its user or database'
      : 'the limits of PostgreSQL or of a connection pooler, such as default_pool_size of PgBouncer'
  const reason = error instanceof Error ? error.message : String(error)
  return `This process may use ${needed} database connections, but only ${opened} could be opened (${reason}). Raise ${limit}, or lower DOORCODE_DATABASE_POOL.`
}
