import { type Clock, SECOND_MS, later } from '../clock.ts'
import { type Sql, batch, statement } from '../db.ts'
import { ATTEMPT_TIMEOUT_MS } from './post.ts'

/** Longer than any attempt and the storing of its result: only after a crash does a lease run out. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 45 * SECOND_MS

/** So many endpoints are looked at in one search; the next goes on behind them. */
export const ENDPOINTS_PER_SEARCH = 1_000

export type EndpointStatus = 'enabled' | 'paused' | 'disabled'

/** What an attempt needs to know of its endpoint. The secrets are sealed. */
export type Target = {
  workspaceId: string
  endpointId: string
  url: string
  secret: Buffer
  previousSecret: Buffer | null
  previousSecretUntil: Date | null
}

/** A delivery that this process alone may attempt until the lease runs out. */
export type Claimed = {
  deliveryId: string
  workspaceId: string
  endpointId: string
  eventId: string
  body: string
  step: number
  attempt: number
  lease: string
}

export type Due = Target & { status: EndpointStatus; failingSince: Date | null }

/** Where the first search starts: before every endpoint. */
export const FIRST = '00000000-0000-0000-0000-000000000000'

/** The endpoints behind `cursor` with a delivery due, and where to go on; undefined after the last. */
export async function findDue(db: Sql, cursor: string, now: Date): Promise<{ due: Due[]; next: string | undefined }> {
  const rows = await db.rows(selectDue, [cursor, now, ENDPOINTS_PER_SEARCH])
  const next = rows.find((row) => row.place === ENDPOINTS_PER_SEARCH)?.endpointId
  return { due: rows.filter((row) => row.isDue), next }
}

/**
 * Steps from endpoint to endpoint in the index (endpoint_id, due_at): one probe for each that has anything waiting,
 * however much it is.
 */
const selectDue = statement<Due & { place: number; isDue: boolean }>(
  'find_due_endpoints',
  `with recursive head as (
     (select 1 as place, endpoint_id, due_at from webhook_deliveries
      where due_at is not null and endpoint_id > $1
      order by endpoint_id, due_at limit 1)
     union all
     select head.place + 1, following.endpoint_id, following.due_at
     from head cross join lateral (
       select endpoint_id, due_at from webhook_deliveries
       where due_at is not null and endpoint_id > head.endpoint_id
       order by endpoint_id, due_at limit 1
     ) following
     where head.place < $3
   )
   select head.place, head.due_at <= $2 as "isDue", endpoint.workspace_id as "workspaceId", endpoint.id as "endpointId",
     endpoint.url, endpoint.secret, endpoint.previous_secret as "previousSecret",
     endpoint.previous_secret_until as "previousSecretUntil", endpoint.status,
     endpoint.failing_since as "failingSince"
   from head cross join lateral (select * from webhook_endpoints where id = head.endpoint_id limit 1) endpoint
   where head.due_at <= $2 or head.place = $3`,
)

export type Room = { workspaceId: string; endpointId: string; room: number }

/** Takes what is due, the longest due first, for each endpoint as many as there is room. */
export const claim = (db: Sql, rooms: readonly Room[], clock: Clock): Promise<Claimed[]> => {
  const now = clock.now()
  const rows = rooms.map(({ workspaceId, endpointId, room }) => ({
    workspace_id: workspaceId,
    endpoint_id: endpointId,
    room,
  }))
  return db.rows(takeDue, [batch(rows), now, later(now, LEASE_MS)])
}

const takeDue = statement<Claimed>(
  'claim_deliveries',
  `with due as materialized (
     select waiting.id
     from jsonb_to_recordset($1::jsonb) as wanted (workspace_id uuid, endpoint_id uuid, room integer)
     cross join lateral (
       select id from webhook_deliveries
       where endpoint_id = wanted.endpoint_id and workspace_id = wanted.workspace_id and due_at <= $2
       order by due_at limit wanted.room
       for update skip locked
     ) waiting
   )
   update webhook_deliveries delivery
   set due_at = $3, lease = gen_random_uuid(), attempts = delivery.attempts + 1
   where delivery.id = any (array (select id from due))
   returning delivery.id as "deliveryId", delivery.workspace_id as "workspaceId", delivery.endpoint_id as "endpointId",
     delivery.event_id as "eventId", delivery.step, delivery.attempts as attempt, delivery.lease,
     (select event.body from events event
      where event.workspace_id = delivery.workspace_id and event.id = delivery.event_id) as body`,
)

/** Takes this one delivery if it is due and nobody has it. */
export const claimOne = (db: Sql, deliveryId: string, clock: Clock): Promise<(Claimed & Target) | undefined> => {
  const now = clock.now()
  return db.row(takeOne, [deliveryId, now, later(now, LEASE_MS)])
}

const takeOne = statement<Claimed & Target>(
  'claim_delivery',
  `update webhook_deliveries delivery
   set due_at = $3, lease = gen_random_uuid(), attempts = delivery.attempts + 1
   from events event, webhook_endpoints endpoint
   where delivery.id = $1 and delivery.due_at <= $2 and endpoint.status = 'enabled'
     and event.id = delivery.event_id and event.workspace_id = delivery.workspace_id
     and endpoint.id = delivery.endpoint_id and endpoint.workspace_id = delivery.workspace_id
   returning delivery.id as "deliveryId", delivery.workspace_id as "workspaceId", delivery.endpoint_id as "endpointId",
     delivery.event_id as "eventId", event.body, delivery.step, delivery.attempts as attempt, delivery.lease,
     endpoint.url, endpoint.secret, endpoint.previous_secret as "previousSecret",
     endpoint.previous_secret_until as "previousSecretUntil"`,
)
