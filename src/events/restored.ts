import { type Sql, statement } from '../lib/db/pool.ts'

/**
 * Transaction numbers belong to one PostgreSQL server. After a restore or a loaded dump, events may have numbers that this
 * server's transactions have not reached: clients could not read them yet, and new events would come before them. Then this server's
 * numbers are raised above all of them, so the restored events keep their order, and every position that a client has stays
 * before new events. Runs before this process serves, and normally finds nothing. Returns whether it did.
 */
export const adoptRestoredEvents = async (sql: Sql): Promise<boolean> =>
  (await sql.rows(raiseOrder, [ORDER_MARGIN, NEWEST_EVENTS])).length > 0

/** For pings and removed events with higher numbers that are not among the NEWEST_EVENTS. */
const ORDER_MARGIN = 1_000_000_000_000
/** Pings and removed events are not in the index, but numbers increase nearly in the order of ids: so the newest ids are read. */
const NEWEST_EVENTS = 1_000

/**
 * An event that this snapshot sees was recorded below its upper bound, unless by another server. If two processes do this at
 * the same time, the second one finds the row as the first one left it, and changes nothing.
 */
const raiseOrder = statement(
  'raise_order_of_events',
  `with newest as materialized (
     select greatest(
       (select max(e.recorded_order) from workspaces w
        cross join lateral (
          select recorded_order from events
          where workspace_id = w.id and endpoint_id is null and body <> ''
          order by recorded_order desc, id desc limit 1) e),
       (select max(e.recorded_order) from (select recorded_order from events order by id desc limit $2) e)) as recorded_order)
   update instance set added_to_order = newest.recorded_order + $1::bigint from newest
   where newest.recorded_order >= added_to_order + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
   returning 1 as raised`,
)
