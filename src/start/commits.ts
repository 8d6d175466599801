import { DatabaseUnavailable } from '../db/connection.ts'
import { type Db, statement } from '../db/pool.ts'
import { settlesWithin } from '../settles-within.ts'

/** The server works, but answers no commit. */
export class StandbyMissing extends DatabaseUnavailable {}

/** It is in the WAL and changes nothing, so its commit waits for a standby as any other commit does. */
const commitNothing = statement('commit_nothing', `select pg_logical_emit_message(true, 'doorcode', '')`)

/** Far longer than a standby takes. No setting of PostgreSQL limits this wait. */
const MAX_COMMIT_MS = 2_000

const cancelCommit = statement('cancel_commit', 'select pg_cancel_backend($1)')

/** Throws StandbyMissing if commits wait for a synchronous standby and none confirms them: the first change would hang. */
export async function assertCommits(db: Db): Promise<void> {
  const connection = await db.connect()
  try {
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid')
    const commit = connection.query(commitNothing.text)
    if (await settlesWithin(MAX_COMMIT_MS, commit)) return
    await db.rows(cancelCommit, [rows[0]?.pid]) // otherwise each attempt leaves a session that waits until a standby is back
    await commit
  } finally {
    await connection.close()
  }
  throw new StandbyMissing(
    new Error('a commit waits for a synchronous standby, and none of synchronous_standby_names confirms it'),
  )
}
