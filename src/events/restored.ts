import { type Db, statement } from '../db/pool.ts'

const MAX_ROWS = 5_000

/**
 * Transaction numbers belong to one PostgreSQL server. After a dump is loaded into another one, events may have numbers that
 * its transactions have not reached, so they could not be read yet. They are moved before all others, in the order of their
 * ids. Runs before this process serves, and normally finds nothing. Returns how many it changed.
 */
export async function adoptRestoredEvents(db: Db): Promise<number> {
  for (let total = 0; ; ) {
    const { adopted = 0 } = (await db.row(adoptEvents, [MAX_ROWS])) ?? {}
    total += adopted
    if (adopted < MAX_ROWS) return total
  }
}

/** An event that this snapshot sees was recorded below its upper bound, unless by another server. */
const adoptEvents = statement<{ adopted: number }>(
  'adopt_restored_events',
  `with adopted as (
     update events set recorded_xid = '0' where id = any (array (
       select e.id from workspaces w
       cross join lateral (
         select id from events
         where workspace_id = w.id and endpoint_id is null and body <> ''
           and recorded_xid >= pg_snapshot_xmax(pg_current_snapshot())
         limit $1) e
       limit $1))
     returning 1)
   select count(*)::int as adopted from adopted`,
)
