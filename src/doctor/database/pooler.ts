import { SECOND_MS } from '../../clock.ts'
import type { Connection } from '../../db/connection.ts'
import { type Db, statement } from '../../db/pool.ts'
import type { Found } from '../finding.ts'

/** A pooler without a free server connection never answers. */
const RESPONSE_TIMEOUT_MS = 3 * SECOND_MS

/** What a connection pooler between Doorcode and PostgreSQL breaks (docs/configuration.md#with-a-database-of-your-own). */
export async function findPoolerFaults(db: Db): Promise<Found[]> {
  const found: Found[] = []
  if (await sharesSessions(db)) found.push({ code: 'pooler_shares_sessions' })
  const lost = await db.rows(findLostSettings)
  if (lost.length > 0) found.push({ code: 'session_settings_lost', settings: lost.map(({ name }) => name).join(', ') })
  return found
}

/** Whether two connections that are open at the same time use one server process: then a pooler pools transactions. */
async function sharesSessions(db: Db): Promise<boolean> {
  await using stack = new AsyncDisposableStack()
  const connect = async (): Promise<Connection> => {
    const connection = stack.adopt(await db.connect(), (each) => each.close())
    connection.responseTimeoutMs = RESPONSE_TIMEOUT_MS
    return connection
  }
  const [one, two] = [await connect(), await connect()]
  const first = await processOf(one)
  await two.query('begin') // a pooler of transactions now keeps one server process for it
  const isShared = (await processOf(two)) === first || (await processOf(one)) !== first
  await two.query('rollback')
  return isShared
}

async function processOf(connection: Connection): Promise<number | undefined> {
  const { rows } = await connection.query<{ id: number }>('select pg_backend_pid() as id')
  return rows[0]?.id
}

/** Doorcode sets these when it connects (src/db/pool.ts). */
const findLostSettings = statement<{ name: string }>(
  'find_lost_session_settings',
  `select name from (values ('jit', 'off'), ('enable_seqscan', 'off'), ('plan_cache_mode', 'force_generic_plan')) as wanted (name, value)
   where current_setting(name) <> value
   union all
   select 'statement_timeout' where current_setting('statement_timeout') = '0'`,
)
