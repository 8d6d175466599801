import { Client, Pool, type PoolClient, type QueryResultRow, types } from 'pg'

types.setTypeParser(types.builtins.INT8, Number) // counts: far below 2^53
types.setTypeParser(types.builtins.DATE, (text) => text) // a calendar day is no instant

/** Static SQL text with a name: it is prepared once per connection under that name. */
export type Statement<Row> = { name: string; text: string; row?: Row }

/** Every statement of the program, for the test that prepares each against the migrated schema. */
export const statements: Map<string, Statement<unknown>> = new Map()

/** Declares a statement beside the feature that uses it. `Row` is what one row of its answer holds. */
export function statement<Row>(name: string, text: string): Statement<Row> {
  if (statements.has(name)) throw new Error(`two statements are named ${name}`)
  const declared = { name, text }
  statements.set(name, declared)
  return declared
}

export type Value = string | number | boolean | Date | Buffer | null | undefined | readonly Value[]

/** What runs statements: the pool, or one transaction. */
export type Sql = {
  rows<Row>(statement: Statement<Row>, values?: readonly Value[]): Promise<Row[]>
  /** The first row, or undefined. */
  row<Row>(statement: Statement<Row>, values?: readonly Value[]): Promise<Row | undefined>
}

export type Db = Sql & {
  /** Where it is, for what keeps connections of its own. Holds a password: never logged. */
  readonly url: string
  /** Commits when `work` resolves and rolls back when it throws. READ COMMITTED. */
  transaction<Result>(work: (tx: Sql) => Promise<Result>): Promise<Result>
  /** A connection of its own, outside the pool: for LISTEN and advisory locks. The caller ends it. */
  connect(): Promise<Client>
  close(): Promise<void>
}

/**
 * Every statement of ours reaches its rows by an index. Statistics taken while a queue was empty, or plans made before a
 * table grew, must not talk the planner into reading whole tables: then one claim costs 20 times as much.
 */
const STEADY_PLANS =
  '-c jit=off -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off'

/** Planned anew for each set of values: what is quick for one range or status reads everything for another. */
const FREE_PLANS = '-c plan_cache_mode=force_custom_plan'

/**
 * A node that went without a word (its power, its network) is noticed by the server after a minute, rather than after the
 * two hours of most systems: what it holds outside of a transaction is a lock, too.
 */
const NOTICE_THE_DEAD = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3'

export type DbOptions = {
  url: string
  poolSize: number
  /** `free`: the planner decides, for questions over many rows that no work waits for. */
  plans?: 'steady' | 'free'
  /** What the server calls the connections (beside-server.ts). */
  name?: string | undefined
  onIdleError?: (error: Error) => void
  /** For tests. */
  queryTimeoutMs?: number
  idleTransactionMs?: number
}

const CONNECT_TIMEOUT_MS = 5_000
/** No statement of ours is meant to take this long; a lock wait that does is a fault and must end. */
const STATEMENT_TIMEOUT_MS = 30_000
/**
 * A process that stops inside a transaction (frozen, or cut off) holds rows that all other nodes wait for. None of ours
 * does anything in between but go on.
 */
const IDLE_TRANSACTION_MS = 10_000
/**
 * The server ends a slow statement itself. What is silent for longer than that is a way to the server that broke without
 * a word: no statement_timeout comes through it, and without a limit of ours the program would wait for ever.
 */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000
/** Idle connections are looked after so early that proxies and firewalls neither forget nor silently keep them. */
const KEEP_ALIVE_AFTER_MS = 30_000

export function openDb(options: DbOptions): Db {
  const { url, poolSize, plans = 'steady', name = 'doorcode', onIdleError } = options
  const { queryTimeoutMs = QUERY_TIMEOUT_MS, idleTransactionMs = IDLE_TRANSACTION_MS } = options
  const settings = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: idleTransactionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: name,
    options: `${NOTICE_THE_DEAD} ${plans === 'steady' ? STEADY_PLANS : FREE_PLANS}`,
  }
  const pool = new Pool({
    ...settings,
    max: poolSize,
    query_timeout: queryTimeoutMs, // not for connect(): a migration takes its time
  })
  pool.on('error', (error) => onIdleError?.(error)) // without a listener an idle connection's end would end the process
  return {
    url,
    ...sqlOver(pool),
    async transaction(work) {
      const client = await pool.connect()
      let broken: Error | undefined
      // The pool listens to idle connections only: one that is lost here would end the process.
      const lost = (error: Error): void => {
        broken = error
      }
      client.on('error', lost)
      try {
        await client.query('begin')
        const result = await work(sqlOver(client))
        await client.query('commit')
        return result
      } catch (error) {
        // Its answer is still to come, or never will: a rollback would wait behind it.
        if (error instanceof Error && isReadTimeout(error)) broken = error
        else
          await client.query('rollback').catch((failed: Error) => {
            broken = failed
          })
        throw error
      } finally {
        client.off('error', lost)
        client.release(broken)
      }
    },
    async connect() {
      const client = new Client(settings)
      await client.connect()
      return client
    },
    close: () => pool.end(),
  }
}

function sqlOver(connection: Pool | PoolClient): Sql {
  const rows = async <Row>({ name, text }: Statement<Row>, values: readonly Value[] = []): Promise<Row[]> => {
    const answer = await connection.query<Row & QueryResultRow>({ name, text, values: [...values] })
    return answer.rows
  }
  return { rows, row: async (statement, values) => (await rows(statement, values))[0] }
}

/**
 * A batch for `jsonb_to_recordset($1)`: one parameter whatever its length, where arrays for `unnest` cost half as much
 * again and `values` lists end at 65,535 parameters. Buffers go in as `bytea(…)`.
 */
export const batch = (rows: readonly object[]): string => JSON.stringify(rows)

/**
 * A batch of changes, for `update … set (a, b) = (select r.a, r.b from jsonb_to_record($1::jsonb -> t.id::text) as r (…))
 * where t.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`. Joined with a recordset instead, an update may
 * read the whole table, when it was planned while the table was small; this form has nothing to join.
 */
export const changes = (rows: readonly { id: string }[]): string =>
  JSON.stringify(Object.fromEntries(rows.map((row) => [row.id, row])))

/** Text of the outside as the database can hold it: without NUL, and without halves of surrogate pairs. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/** PostgreSQL's text form of bytes, for a batch. */
export const bytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`

/**
 * SQLSTATE classes that speak of the data, its size (54: a value too long for an index), the statement or a deadlock
 * with another batch; all others speak of the server or the way to it.
 */
const BATCH_CLASSES = new Set(['21', '22', '23', '40', '42', '54', 'P0'])

/** Whether a batch failed as a batch: its rows are worth another try, each alone. */
export const isBatchFault = (error: unknown): boolean => BATCH_CLASSES.has(sqlState(error).slice(0, 2))

/**
 * Connection lost, resources short, operator at work, system or I/O fault; what a failover, a renewed password or a restore
 * do for a while: a server that only reads (25006), refuses the user (28), or lacks the database (3D000); and a
 * transaction that was ended because this process stood still (25P03).
 */
const UNAVAILABLE = /^(08|28|53|57|58|25006$|25P03$|3D000$)/

/** Whether the database could not be reached or did not answer: the caller may try again later (503). */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (UNAVAILABLE.test(sqlState(error)) || isReadTimeout(error)) return true
  return /ECONNREFUSED|ECONNRESET|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT|Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    `${sqlCode(error)} ${error.message}`,
  )
}

/** Thrown by pg after query_timeout; it has no code. */
const isReadTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout'

const sqlCode = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** The five characters, or nothing when the server said none. */
export const sqlState = (error: unknown): string => (/^[0-9A-Z]{5}$/.test(sqlCode(error)) ? sqlCode(error) : '')
