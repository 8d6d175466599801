import { DatabaseUnavailable } from '../../lib/db/connection.ts'
import { type Db, statement } from '../../lib/db/pool.ts'
import { withTimeout } from '../../lib/with-timeout.ts'

/** The server responds, but acknowledges no commit. */
export class StandbyMissing extends DatabaseUnavailable {}

/** Writes to the WAL but changes no row: its commit waits for a standby as any other commit does. */
const emitNothing = statement<Backend>(
  'emit_nothing',
  `select pid, backend_start::text as "startedAt" from pg_stat_activity, pg_logical_emit_message(true, 'doorcode', '')
   where pid = pg_backend_pid()`,
)

/** A cancelled wait acknowledges the commit, so this must not meet another session: a balancer may have changed the server. */
const cancelCommit = statement<{ cancelled: boolean }>(
  'cancel_commit',
  `select pg_cancel_backend(pid) as cancelled from pg_stat_activity
   where pid = $1 and backend_start = $2::timestamptz and wait_event = 'SyncRep'`,
)

type Backend = { pid: number; startedAt: string }

/** Far longer than a standby takes to confirm a commit. No setting of PostgreSQL limits this wait. */
const MAX_COMMIT_MS = 2_000

/** Throws StandbyMissing if commits wait for a synchronous standby and none confirms them: the first change would hang. */
export async function assertCommits(db: Db): Promise<void> {
  const backends: Backend[] = []
  const commit = db.transaction(async (tx) => {
    backends.push(...(await tx.rows(emitNothing)))
  })
  if (await withTimeout(MAX_COMMIT_MS, commit)) return
  const [backend] = backends
  // Otherwise each attempt would leave a session that waits until a standby is back.
  const waiting = backend && (await db.row(cancelCommit, [backend.pid, backend.startedAt]))
  await commit
  if (!waiting) return // slow for another reason
  throw new StandbyMissing(
    new Error('a commit waits for a synchronous standby, and none of synchronous_standby_names confirms it'),
  )
}
