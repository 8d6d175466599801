import { type Sql, statement } from '../../lib/db/pool.ts'
import { MINUTE_MS, later } from '../../lib/clock.ts'
import type { Loop } from '../../runtime/jobs/loop.ts'
import type { Parts } from '../../runtime/parts.ts'

/** Deliveries of one endpoint that a step brings forward; fewer while some are still due. */
export const MAX_RELEASED_PER_STEP = 20
/** The time between two steps of one endpoint across all nodes: at most 100 deliveries a second. */
export const RELEASE_INTERVAL_MS = 200
/** Consecutive failures that end a release; the next success begins another. */
export const MAX_RELEASE_FAILURES = 5
/** In one turn; the next turn takes the others. */
const MAX_ENDPOINTS = 500

/**
 * A release brings forward what waits for an endpoint that succeeds again after failures: oldest first and step by step,
 * so that a receiver that has just recovered is not flooded. finish.ts begins it, and ends it early when failures return.
 */
export function releaseLoop(parts: Pick<Parts, 'db' | 'clock' | 'wake'>): Loop {
  return {
    name: 'release',
    pollMs: RELEASE_INTERVAL_MS,
    async turn() {
      const { released, endpoints } = await release(parts.db, parts.clock.now())
      if (released > 0) parts.wake('deliver')
      return { more: endpoints === MAX_ENDPOINTS, idle: endpoints === 0 }
    },
  }
}

/** SQL: when the next attempt of a delivery is. During a release this may be before its time in the schedule. */
export const nextAttemptAt = (delivery: string): string =>
  `least(${delivery}.due_at, (
     select greatest(${delivery}.early_at, released.release_at) from webhook_endpoints released
     where released.workspace_id = ${delivery}.workspace_id and released.id = ${delivery}.endpoint_id
       and released.status = 'enabled' and released.release_at is not null
       and ${delivery}.due_at is not null and ${delivery}.early_at is not null and ${delivery}.lease is null))`

/** One step of every release that is due. */
export async function release(db: Sql, now: Date): Promise<{ released: number; endpoints: number }> {
  const rows = await db.rows(bringForward, [now, later(now, RELEASE_INTERVAL_MS), MAX_RELEASED_PER_STEP, MAX_ENDPOINTS])
  return { released: rows.reduce((sum, row) => sum + row.released, 0), endpoints: rows.length }
}

/** Continues the releases whose next step was planned while the database's clock was ahead. */
export const correctReleaseTimes = (sql: Sql, now: Date, limit: number): Promise<unknown[]> =>
  sql.rows(correctReleases, [now, later(now, MINUTE_MS), limit])

const correctReleases = statement(
  'correct_release_times',
  `update webhook_endpoints set release_at = $1
   where id = any (array (select id from webhook_endpoints where release_at > $2 limit $3 for no key update skip locked))
   returning id`,
)

/**
 * Skips locked rows until the next step: waiting for them could deadlock with the statement that stores results. The
 * microseconds keep the order in which `claimDeliveries` takes what is due.
 */
const bringForward = statement<{ released: number }>(
  'release_deliveries',
  `with ready as materialized (
     select endpoint.id, endpoint.workspace_id, $3::bigint - (
       select count(*) from (
         select from webhook_deliveries
         where workspace_id = endpoint.workspace_id and endpoint_id = endpoint.id and due_at <= $1 limit $3
       ) due) as capacity
     from webhook_endpoints endpoint
     where release_at <= $1 and status = 'enabled'
     order by release_at limit $4
     for no key update skip locked
   ),
   chosen as materialized (
     select waiting.id, ready.id as endpoint_id,
       row_number() over (partition by ready.id order by waiting.early_at, waiting.id) as position
     from ready cross join lateral (
       select id, early_at from webhook_deliveries
       where workspace_id = ready.workspace_id and endpoint_id = ready.id and early_at <= $1 and lease is null
         and due_at > $1
       order by early_at limit ready.capacity
       for no key update skip locked
     ) waiting
   ),
   released as (
     update webhook_deliveries delivery
     set scheduled_at = delivery.due_at, due_at = $1::timestamptz + (chosen.position - $3::bigint) * interval '1 microsecond',
       early_at = null
     from chosen where delivery.id = any (array (select id from chosen)) and delivery.id = chosen.id
   )
   update webhook_endpoints endpoint
   set (release_at, release_failures) = (
     select case when ready.capacity = 0 then $2::timestamptz else next.release_at end,
       case when ready.capacity > 0 and next.release_at is null then 0 else endpoint.release_failures end
     from ready left join lateral (
       select greatest(early_at, $2) as release_at from webhook_deliveries
       where workspace_id = ready.workspace_id and endpoint_id = ready.id and early_at is not null and lease is null
         and due_at > $1
       order by early_at limit 1
     ) next on ready.capacity > 0
     where ready.id = endpoint.id)
   where endpoint.id = any (array (select id from ready))
   returning (select count(*) from chosen where chosen.endpoint_id = endpoint.id) as released`,
)
