import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { DeliveryStatus } from '../../webhooks/delivery/claim.ts'
import { type UnitResult, type Differences, MAX_FACTS, type Page, compare } from './differences.ts'

type DeliveredEvent = {
  id: string
  type: string
  recorded_at: Date
  /** Set only for a ping. */
  endpoint_id: string | null
  /** Only a ping belongs to an endpoint; any other event belongs to a message or a confirmation. */
  has_owner: boolean
  recorded_order: string
  /** The number is that of the transaction that wrote the row, unless the row was written again or loaded since. */
  is_in_order: boolean
  deliveries: DeliveryFact[]
}

type DeliveryFact = {
  id: string
  endpoint_id: string
  status: DeliveryStatus
  attempts: number
  /** The highest number of a stored attempt. */
  last: number
  /** Whether its stored attempts can have led to the status. */
  is_possible: boolean
}

type EndpointFact = {
  id: string
  created_at: Date
  deleted_at: Date | null
  event_types: string[] | null
  event_types_changed_at: Date | null
}

/** How many rows before the event are read to show that the table was neither loaded nor rewritten since. */
const NEIGHBOURS = 5

/** PostgreSQL keeps the lower 32 bits of a transaction's number in the row that it wrote. */
const IS_OWN_ORDER = '(recorded_order - i.added_to_order) & 4294967295 = xmin::text::bigint'

const readDelivered: Statement<DeliveredEvent> = statement(
  'read_events_to_verify',
  `select e.id, e.type, e.recorded_at, e.endpoint_id,
     (e.endpoint_id is not null) = (e.type = 'ping') and (coalesce(e.message_id, e.confirmation_id) is null) = (e.type = 'ping') as has_owner,
     e.recorded_order::text as recorded_order,
     -- clients read an event only when its number is lower than those of all transactions that may still run
     e.recorded_order < i.added_to_order + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
       and (e.is_own_order or e.body = '' or e.recorded_order < i.added_to_order or (
         select bool_or(before.is_own) from (
           select ${IS_OWN_ORDER} as is_own from events p
           where p.workspace_id = e.workspace_id and p.id < e.id order by p.id desc limit ${NEIGHBOURS}) before)
         is not true) as is_in_order,
     (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'endpoint_id', d.endpoint_id, 'status', d.status,
        'attempts', d.attempts, 'last', tried.last, 'is_possible', (d.status in ('succeeded', 'failed')) = (d.ended_at is not null)
          and (d.status <> 'succeeded' or tried.has_succeeded) and (d.status <> 'failed' or tried.has_failed_last)) order by d.id), '[]')
      from (select * from webhook_deliveries d where d.event_id = e.id and d.workspace_id = e.workspace_id limit ${MAX_FACTS + 1}) d
      cross join lateral (
        select coalesce(max(attempt), 0) as last, coalesce(bool_or(is_success), false) as has_succeeded,
          coalesce(not (array_agg(is_success order by attempt desc))[1], false) as has_failed_last
        from (select attempt, coalesce(http_status between 200 and 299, false) as is_success
          from webhook_attempts where delivery_id = d.id) t) tried) as deliveries
   from instance i cross join lateral (
     select *, ${IS_OWN_ORDER} as is_own_order from events where workspace_id = $1 and id > $2 order by id limit $3) e
   order by e.id`,
)

const MAX_ENDPOINTS = 1_000

const readEndpoints: Statement<EndpointFact> = statement(
  'read_endpoints_to_verify',
  `select id, created_at, deleted_at, event_types, event_types_changed_at from webhook_endpoints
   where workspace_id = $1 limit ${MAX_ENDPOINTS}`,
)

/** Compares events with their deliveries, and those with their attempts (docs/consistency-check.md#events-and-deliveries). */
export async function checkEvents(tx: Sql, { workspaceId, after, limit }: Page): Promise<UnitResult[]> {
  const events = await tx.rows(readDelivered, [workspaceId, after, limit])
  const endpoints = await tx.rows(readEndpoints, [workspaceId])
  return events.map((event) => {
    const verifiable = event.deliveries.length <= MAX_FACTS
    const differences = verifiable ? [...checkEvent(event, endpoints)] : []
    return { kind: 'events', id: event.id, differences, verifiable }
  })
}

function* checkEvent(event: DeliveredEvent, endpoints: readonly EndpointFact[]): Differences {
  const { id, type, deliveries, recorded_order: stored } = event
  for (const delivery of deliveries) yield* checkDelivery(delivery)
  if (!event.has_owner) yield { id, code: 'verify.event_without_cause', type }
  if (!event.is_in_order) yield { id, code: 'verify.event_order', stored }
  for (const endpoint of endpoints) {
    const { id: endpointId } = endpoint
    const delivery = deliveries.find((each) => each.endpoint_id === endpointId)
    if (!delivery && mustReceive(event, endpoint)) yield { id, code: 'verify.delivery_missing', endpointId }
    if (delivery && !mayReceive(event, endpoint))
      yield { id: delivery.id, code: 'verify.delivery_without_cause', endpointId }
  }
}

/** An endpoint that was added or deleted at about the time of an event may or may not have received it. */
const RACE_MS = MINUTE_MS

const mayReceive = (event: DeliveredEvent, { id, created_at, deleted_at }: EndpointFact, raceMs = RACE_MS): boolean =>
  (event.endpoint_id === null || event.endpoint_id === id) &&
  created_at <= later(event.recorded_at, raceMs) &&
  (deleted_at === null || deleted_at >= later(event.recorded_at, -raceMs))

/** Which types an endpoint received before it was changed is not stored. */
function mustReceive(event: DeliveredEvent, endpoint: EndpointFact): boolean {
  const { event_types: types, event_types_changed_at: changedAt } = endpoint
  const hadTypes = changedAt === null || changedAt <= later(event.recorded_at, -RACE_MS)
  const isOfType = event.endpoint_id !== null || (hadTypes && (types === null || types.includes(event.type)))
  return isOfType && mayReceive(event, endpoint, -RACE_MS)
}

/** `attempts` counts claims; an attempt whose process died has no row. */
function* checkDelivery({ id, status, attempts, last, is_possible }: DeliveryFact): Differences {
  yield* compare({ id, code: 'verify.delivery_attempts', stored: attempts, derived: Math.max(attempts, last) })
  if (!is_possible) yield { id, code: 'verify.delivery_status', stored: status }
}
