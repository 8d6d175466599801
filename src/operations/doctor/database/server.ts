import { connectionsOf } from '../../../lib/db/connection-count.ts'
import { LONG_STATEMENT_TIMEOUT_MS, type Sql, statement } from '../../../lib/db/pool.ts'
import type { ListedNode } from '../../../runtime/jobs/node.ts'
import { type NewFinding, durationText } from '../finding.ts'

/** PostgreSQL's settings have their own names here. */
export type ServerFacts = {
  version: number
  versionName: string
  encoding: string
  isReadOnly: boolean
  fsync: string
  full_page_writes: string
  synchronous_commit: string
  autovacuum: string
  /** Since PostgreSQL 17; 0: none. */
  transactionTimeoutMs: number
  /** The lowest limit of the server, the user and the database, for users that are not superusers. */
  maxConnections: number
  connections: number
  bytes: number
  startedAt: Date
}

const selectServer = statement<ServerFacts>(
  'read_server_facts',
  `select current_setting('server_version_num')::int as version, current_setting('server_version') as "versionName",
     current_setting('server_encoding') as encoding,
     pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
     current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
     current_setting('synchronous_commit') as synchronous_commit, current_setting('autovacuum') as autovacuum,
     coalesce((select setting::int from pg_settings where name = 'transaction_timeout'), 0) as "transactionTimeoutMs",
     least(
       (select sum(case name when 'max_connections' then setting::int else -setting::int end)::int from pg_settings
        where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')),
       (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user and not rolsuper),
       (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as "maxConnections",
     (select sum(numbackends)::int from pg_stat_database) as connections,
     pg_database_size(current_database())::float8 as bytes, pg_postmaster_start_time() as "startedAt"`,
)

export async function readServer(sql: Sql): Promise<ServerFacts> {
  const facts = await sql.row(selectServer)
  if (!facts) throw new Error('the database did not report its settings')
  return facts
}

const MIN_SERVER_VERSION = 150_000
/** Settings without which the server may lose what it has acknowledged. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const

export function checkServer(facts: ServerFacts): NewFinding[] {
  const found: NewFinding[] = []
  if (facts.version < MIN_SERVER_VERSION) found.push({ code: 'database_old', version: facts.versionName })
  if (facts.encoding !== 'UTF8') found.push({ code: 'database_encoding', encoding: facts.encoding })
  if (facts.isReadOnly) found.push({ code: 'database_read_only' })
  const unsafe = DURABLE.filter((setting) => facts[setting] === 'off')
  if (unsafe.length > 0) found.push({ code: 'not_durable', settings: unsafe.join(', ') })
  if (facts.autovacuum === 'off') found.push({ code: 'autovacuum_off' })
  const { transactionTimeoutMs: timeoutMs } = facts
  if (timeoutMs > 0 && timeoutMs < LONG_STATEMENT_TIMEOUT_MS)
    found.push({
      code: 'transaction_timeout',
      duration: durationText(timeoutMs),
      needed: durationText(LONG_STATEMENT_TIMEOUT_MS),
    })
  return found
}

/** Tables with autovacuum off, for their rows or for values that are stored apart. */
const listWithoutVacuum = statement<{ table: string }>(
  'list_tables_without_autovacuum',
  `select distinct t.oid::regclass::text as table
   from pg_class c join pg_class t on c.oid in (t.oid, t.reltoastrelid)
   where t.relkind = 'r' and t.relnamespace in (to_regnamespace(current_schema()), to_regnamespace('auth'))
     and exists (select from pg_options_to_table(c.reloptions) o
       where o.option_name = 'autovacuum_enabled' and not o.option_value::boolean)
   order by 1`,
)

export const findTablesWithoutVacuum = async (sql: Sql): Promise<NewFinding[]> =>
  (await sql.rows(listWithoutVacuum)).map(({ table }) => ({ code: 'autovacuum_off_for_table', table }))

/** Whether the server has as many connections as the running nodes may open. */
export function checkConnections(
  { maxConnections: available }: ServerFacts,
  nodes: readonly ListedNode[],
): NewFinding[] {
  const needed = nodes
    .filter(({ isAlive }) => isAlive)
    .reduce((sum, { roles, settings: { databasePool } }) => sum + connectionsOf({ databasePool, roles }), 0)
  return needed > available ? [{ code: 'connections_short', needed, available }] : []
}
