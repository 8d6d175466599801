import { DatabaseUnavailable } from '../db/connection.ts'
import { type Db, statement } from '../db/pool.ts'
import { settlesWithin } from '../settles-within.ts'

/** The server responds, but acknowledges no commit. */
export class StandbyMissing extends DatabaseUnavailable {}

/** Writes to the WAL but changes no row: its commit waits for a standby as any other commit does. */
const emitNothing = statement<{ pid: number }>(
  'emit_nothing',
  `select pg_backend_pid() as pid from pg_logical_emit_message(true, 'doorcode', '')`,
)

const cancelCommit = statement('cancel_commit', 'select pg_cancel_backend($1)')

/** Far longer than a standby takes to confirm a commit. No setting of PostgreSQL limits this wait. */
const MAX_COMMIT_MS = 2_000

/** Throws StandbyMissing if commits wait for a synchronous standby and none confirms them: the first change would hang. */
export async function assertCommits(db: Db): Promise<void> {
  let pid: number | undefined
  const commit = db.transaction(async (tx) => {
    pid = (await tx.row(emitNothing))?.pid
  })
  if (await settlesWithin(MAX_COMMIT_MS, commit)) return
  await db.rows(cancelCommit, [pid]) // otherwise each attempt would leave a session that waits until a standby is back
  await commit
  throw new StandbyMissing(
    new Error('a commit waits for a synchronous standby, and none of synchronous_standby_names confirms it'),
  )
}
