import { setTimeout as wait } from 'node:timers/promises'
import { JOIN_PREPARED } from '../../lib/db/open-transaction.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'
import { UserError } from '../../lib/errors.ts'

/**
 * Every transaction that holds a lock to write messages. A statement that stores a code reads the key of the database after
 * it has this lock, and keeps the lock until others can see the code. `name`: the pid, or the gid of a prepared
 * transaction, which keeps the virtual id of its session until the server starts again.
 */
const selectWriters = statement<{ id: string; name: string }>(
  'list_transactions_that_write_messages',
  `select distinct l.virtualtransaction as id, coalesce(l.pid::text, p.gid, l.virtualtransaction) as name
   from pg_locks l ${JOIN_PREPARED}
   where l.locktype = 'relation' and l.granted and l.relation = 'messages'::regclass
     and l.database = (select oid from pg_database where datname = current_database())
     and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
)

/** Far longer than Doorcode's own transactions. */
const MAX_WRITE_MS = 20_000
const POLL_MS = 100

type WaitOptions = { maxWriteMs?: number | undefined; signal?: AbortSignal | undefined }

/**
 * Waits until every transaction that wrote messages at the call has ended. Called after the key was replaced: from then on all
 * codes under the old key can be seen, and no other one can be stored. Throws UserError if one does not end.
 */
export async function waitForWriters(sql: Sql, { maxWriteMs = MAX_WRITE_MS, signal }: WaitOptions): Promise<void> {
  const deadline = performance.now() + maxWriteMs
  let left = await sql.rows(selectWriters)
  for (;;) {
    if (left.length === 0) return
    if (performance.now() > deadline)
      throw new UserError({ code: 'secrets.writers_left', sessions: left.map(({ name }) => name).join(', ') })
    await wait(POLL_MS, undefined, { signal })
    const writing = new Set((await sql.rows(selectWriters)).map(({ id }) => id))
    left = left.filter(({ id }) => writing.has(id))
  }
}
