import type { FastifyInstance } from 'fastify'
import { type Db, statement } from '../db/pool.ts'
import { withTimeout } from '../with-timeout.ts'

/** Orchestrators probe every few seconds: a slower database counts as unreachable. */
const READY_WITHIN_MS = 2_000

/** Statements of requests take milliseconds. */
const HANGING_AFTER_MS = 1_000

/** `commits`: false while a commit waits for a synchronous standby, even after the node dropped its connection. */
const pingStatement = statement<{ writable: boolean; commits: boolean }>(
  'ping_database',
  `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable,
     not exists (
       select from pg_stat_activity
       where backend_type = 'client backend' and wait_event = 'SyncRep'
         and query_start < clock_timestamp() - $1 * interval '1 millisecond') as commits`,
)

/** Monitors often probe by HEAD. */
const WITH_HEAD = { exposeHeadRoute: true }

type ProbeOptions = {
  isDraining?: () => boolean
  workState?: () => WorkState
}

export type WorkState = {
  /** Requests should go to another node: background work cannot reach the database, or cannot send what is accepted. */
  blocks: boolean
  /** Names of loops that fail. */
  failing: readonly string[]
}

/** `/healthz`: the process is alive. `/readyz`: it can take requests. Neither needs a key (docs/operations.md#probes). */
export function serveProbes(
  app: FastifyInstance,
  db: Db,
  { isDraining = () => false, workState = () => ({ blocks: false, failing: [] }) }: ProbeOptions,
): void {
  app.get('/healthz', WITH_HEAD, () => ({ status: 'alive' }))

  app.get('/readyz', WITH_HEAD, async (_request, reply) => {
    const obstacle = await findObstacle()
    const { failing } = workState()
    const status = obstacle ?? 'ready'
    return reply.code(obstacle ? 503 : 200).send(failing.length > 0 ? { status, failing } : { status })
  })

  const findObstacle = async (): Promise<string | undefined> => {
    if (isDraining()) return 'draining'
    const ping = db.row(pingStatement, [HANGING_AFTER_MS])
    const answers = await withTimeout(READY_WITHIN_MS, ping).catch(() => false)
    if (!answers) return 'database unreachable'
    const { writable = false, commits = false } = (await ping) ?? {}
    if (!writable) return 'database read-only'
    if (!commits) return 'database waits for a standby'
    if (workState().blocks) return 'background work fails'
    // The probe's own statement may succeed while requests hang on other connections.
    return db.oldestStatementMs() >= HANGING_AFTER_MS ? 'database unreachable' : undefined
  }
}
