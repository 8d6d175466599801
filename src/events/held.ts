import { OPEN_TRANSACTION, type OpenTransaction } from '../lib/db/open-transaction.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import { timeOfId } from '../lib/ids.ts'
import { IS_COMPLETE, IS_LISTED_EVENT } from './list.ts'

/** Events of one workspace that are counted. */
const MAX_COUNTED = 1_000

export type HeldEvents = {
  /** The oldest transaction on the server that has a number: no event from its start on can be read. */
  transaction: OpenTransaction | undefined
  /** How many events wait for it. */
  number: number
  /** How long reading has stood still, as far as this database user can see. */
  heldMs: number
}

/** What keeps clients from reading the newest events (docs/webhooks.md#reading-events). */
export async function findHeldEvents(sql: Sql, now: Date): Promise<HeldEvents> {
  const transaction = await sql.row(findOldestTransaction)
  const { number = 0, oldest = null } = (await sql.row(countHeld)) ?? {}
  if (!transaction) return { transaction, number: 0, heldMs: 0 } // it has ended meanwhile
  const waitingMs = oldest === null ? 0 : now.getTime() - timeOfId(oldest).getTime()
  return { transaction, number, heldMs: Math.max(0, transaction.openMs ?? 0, waitingMs) }
}

/**
 * Of all databases: they share the numbers of transactions. Sessions that only read, standbys and replication slots have
 * none. Every user may see which session holds the lock on a number.
 */
const findOldestTransaction = statement<OpenTransaction>(
  'find_oldest_transaction',
  `with horizon as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as lowest)
   select ${OPEN_TRANSACTION}
   from horizon
   cross join lateral (
     select pid from pg_locks
     where locktype = 'transactionid' and transactionid = horizon.lowest::xid and granted and mode = 'ExclusiveLock' limit 1) l
   left join pg_stat_activity a on a.pid = l.pid
   left join pg_prepared_xacts p on l.pid is null and p.transaction = horizon.lowest::xid`,
)

const countHeld = statement<{ number: number; oldest: string | null }>(
  'count_held_events',
  `select count(*)::int as number, min(e.id::text) as oldest
   from workspaces w cross join lateral (
     select id from events
     where workspace_id = w.id and ${IS_LISTED_EVENT} and not (${IS_COMPLETE})
     order by recorded_order, id limit ${MAX_COUNTED}) e
   where w.deleted_at is null`,
)
