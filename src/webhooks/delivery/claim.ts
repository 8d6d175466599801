import { type Clock, MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import { TARGET_COLUMNS, type Target } from '../../events/record.ts'
import { type LeasedChange, unlockedItems } from '../../runtime/jobs/leases.ts'
import { FROM_BEGINNING } from '../../runtime/jobs/search-start.ts'
import type { Parts } from '../../runtime/parts.ts'
import { ATTEMPT_TIMEOUT_MS } from './post.ts'
import { MAX_WAIT_MS } from './schedule.ts'

/** Longer than any attempt and the storing of its result. Deliveries of a node that is known to be dead do not wait for it. */
export const DELIVERY_LEASE_MS = ATTEMPT_TIMEOUT_MS + 10 * SECOND_MS

/** In one search; the next one continues after them. */
const MAX_ENDPOINTS_PER_SEARCH = 1_000

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'held'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export type EndpointStatus = 'enabled' | 'paused' | 'disabled'

/** A delivery that only this process may attempt until the lease runs out. */
export type ClaimedDelivery = {
  deliveryId: string
  workspaceId: string
  endpointId: string
  eventId: string
  body: string
  step: number
  /** For an attempt that was brought forward: its time in the schedule (release.ts). */
  scheduledAt: Date | null
  earlyAttempts: number
  attempt: number
  lease: string
}

const CLAIMED_COLUMNS = `delivery.id as "deliveryId", delivery.workspace_id as "workspaceId",
     delivery.endpoint_id as "endpointId", delivery.event_id as "eventId", delivery.step,
     delivery.scheduled_at as "scheduledAt", delivery.early_attempts as "earlyAttempts", delivery.attempts as attempt,
     delivery.lease`

export type DueEndpoint = Target & {
  status: EndpointStatus
  failingSince: Date | null
  /** When its first waiting delivery became due. */
  dueAt: Date
}

/** Before every endpoint. */
export const FIRST_CURSOR = '00000000-0000-0000-0000-000000000000'

/** The endpoints after `cursor` with a delivery due. `next`: the next cursor; undefined after the last endpoint. */
export async function findDueEndpoints(
  db: Sql,
  cursor: string,
  now: Date,
  { since, older } = FROM_BEGINNING.deliveries,
): Promise<{ due: DueEndpoint[]; next: string | undefined }> {
  const rows = await db.rows(selectDue, [cursor, now, MAX_ENDPOINTS_PER_SEARCH, since, batch(older)])
  const next = rows.find((row) => row.position === MAX_ENDPOINTS_PER_SEARCH)?.endpointId
  return { due: rows.filter((row) => row.isDue), next }
}

/** `since` and `older`: a SearchStart. */
type EndpointSearch = { after?: string; max: string; since: string; older: string }

/**
 * SQL: `head`, the earliest waiting delivery of each endpoint after `after`. A loose index scan of (endpoint_id, due_at): one probe per
 * endpoint, however many deliveries wait. The scan ends after `max` endpoints, and the last one has position `max`. Endpoints that only
 * `older` names have position 0.
 */
export const waitingEndpoints = ({ after = `'${FIRST_CURSOR}'`, max, since, older }: EndpointSearch): string =>
  `recent_heads as (
     (select 1 as position, endpoint_id, due_at from webhook_deliveries
      where due_at >= ${since} and endpoint_id > ${after}
      order by endpoint_id, due_at limit 1)
     union all
     select head.position + 1, following.endpoint_id, following.due_at
     from recent_heads head cross join lateral (
       select endpoint_id, due_at from webhook_deliveries
       where due_at >= ${since} and endpoint_id > head.endpoint_id
       order by endpoint_id, due_at limit 1
     ) following
     where head.position < ${max}
   ), head as (
     select max(position) as position, endpoint_id, min(due_at) as due_at from (
       select * from recent_heads
       union all
       select 0, d.* from jsonb_to_recordset(${older}) as o (endpoint_id uuid, due_at timestamptz)
       cross join lateral (
         select endpoint_id, due_at from webhook_deliveries
         where endpoint_id = o.endpoint_id and endpoint_id > ${after} and due_at between o.due_at and ${since}
         order by due_at limit 1) d) heads
     group by endpoint_id
   )`

const selectDue = statement<DueEndpoint & { position: number; isDue: boolean }>(
  'find_due_endpoints',
  `with recursive ${waitingEndpoints({ after: '$1', max: '$3', since: '$4', older: '$5' })}
   select head.position, head.due_at as "dueAt", head.due_at <= $2 as "isDue", ${TARGET_COLUMNS}, endpoint.status,
     endpoint.failing_since as "failingSince"
   from head cross join lateral (select * from webhook_endpoints where id = head.endpoint_id limit 1) endpoint
   where head.due_at <= $2 or head.position = $3`,
)

export type EndpointCapacity = {
  workspaceId: string
  endpointId: string
  capacity: number
  /**
   * When the endpoint's first waiting delivery became due. The claim skips older index entries: a long transaction keeps the entries of all
   * deliveries made since it began.
   */
  dueAt: Date
}

export type Claim = Pick<Parts, 'clock' | 'node'> & { lease: string }

/** Claims what is due, the longest due first, for each endpoint up to its capacity. */
export const claimDeliveries = (
  db: Sql,
  capacities: readonly EndpointCapacity[],
  { clock, node, lease }: Claim,
): Promise<ClaimedDelivery[]> => {
  const now = clock.now()
  return db.rows(claimDue, [batch(capacities), now, later(now, DELIVERY_LEASE_MS), lease, node.id])
}

const claimDue = statement<ClaimedDelivery>(
  'claim_deliveries',
  `with due as materialized (
     select waiting.id
     from jsonb_to_recordset($1::jsonb) as claimable ("workspaceId" uuid, "endpointId" uuid, capacity integer, "dueAt" timestamptz)
     cross join lateral (
       select id from webhook_deliveries
       where endpoint_id = claimable."endpointId" and workspace_id = claimable."workspaceId" and due_at between claimable."dueAt" and $2
       order by due_at limit claimable.capacity
       for update skip locked
     ) waiting
   ), taken as (
     insert into leases (id, node_id, kind, item_ids, taken_at)
     select $4, $5, 'deliveries', array_agg(id), $2 from due having count(*) > 0
   )
   update webhook_deliveries delivery
   set due_at = $3, lease = $4, attempts = delivery.attempts + 1
   where delivery.id = any (array (select id from due))
   returning ${CLAIMED_COLUMNS},
     (select event.body from events event
      where event.workspace_id = delivery.workspace_id and event.id = delivery.event_id) as body`,
)

/** A delivery that was held while in flight stays held. */
export const giveBackDeliveries: LeasedChange = statement(
  'give_back_deliveries',
  `update webhook_deliveries d
   set lease = null, due_at = case when d.status = 'pending' then $3::timestamptz end
   where d.id = ${unlockedItems('webhook_deliveries')}
   returning d.id`,
)

/** Makes deliveries due now if their due times were written while the database's clock was ahead. Leased ones wait for their lease to end. */
export const correctDeliveryTimes = (sql: Sql, now: Date, limit: number): Promise<unknown[]> =>
  sql.rows(correctDeliveries, [now, later(now, MAX_WAIT_MS + MINUTE_MS), limit])

const correctDeliveries = statement(
  'correct_delivery_times',
  `update webhook_deliveries set due_at = $1
   where id = any (array (
     select d.id from webhook_endpoints e
     cross join lateral (
       select id from webhook_deliveries where endpoint_id = e.id and due_at > $2 and lease is null
       order by due_at limit $3 for no key update skip locked) d
     where e.status = 'enabled' limit $3))
   returning id`,
)

/** Claims one delivery, if it is due and unclaimed. */
export const claimDelivery = (
  db: Sql,
  deliveryId: string,
  clock: Clock,
): Promise<(ClaimedDelivery & Target) | undefined> => {
  const now = clock.now()
  return db.row(claimOne, [deliveryId, now, later(now, DELIVERY_LEASE_MS)])
}

const claimOne = statement<ClaimedDelivery & Target>(
  'claim_delivery',
  `update webhook_deliveries delivery
   set due_at = $3, lease = gen_random_uuid(), attempts = delivery.attempts + 1
   from events event, webhook_endpoints endpoint
   where delivery.id = $1 and delivery.due_at <= $2 and endpoint.status = 'enabled'
     and event.id = delivery.event_id and event.workspace_id = delivery.workspace_id
     and endpoint.id = delivery.endpoint_id and endpoint.workspace_id = delivery.workspace_id
   returning ${CLAIMED_COLUMNS}, ${TARGET_COLUMNS}, event.body`,
)
