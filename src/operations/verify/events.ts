import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { DeliveryStatus } from '../../webhooks/delivery/claim.ts'
import { findRemoved } from '../lifecycle/retention/kept-since.ts'
import { type CheckedUnit, type Difference, MAX_FACTS, type Page, compared, differencesOf } from './differences.ts'

/** What is stored about one event and its deliveries. */
type DeliveredEvent = {
  id: string
  type: string
  recorded_at: Date
  /** Set only for a ping. */
  endpoint_id: string | null
  /** Whether the event belongs to a message or a confirmation. A ping belongs to neither. */
  has_owner: boolean
  recorded_order: string
  /** A lower number than all transactions that may still run: only then do clients read the event. */
  is_reached: boolean
  /** The number is that of the transaction that wrote the row; null if the row was written again or loaded since. */
  is_own_order: boolean | null
  deliveries: DeliveryFact[]
}

type DeliveryFact = {
  id: string
  endpoint_id: string
  status: DeliveryStatus
  ended_at: string | null
  attempts: number
  /** The highest number of a stored attempt. */
  last: number | null
  /** Whether each stored attempt succeeded, in their order. */
  successes: boolean[]
}

type EndpointFact = {
  id: string
  created_at: Date
  deleted_at: Date | null
  event_types: string[] | null
  /** The endpoint's types may have changed since. */
  was_updated: boolean
}

/** How many rows before the event are read to show that the table was neither loaded nor rewritten since. */
const NEIGHBOURS = 5

/** PostgreSQL keeps the lower 32 bits of a transaction's number in the row that it wrote. */
const IS_OWN_ORDER = '(recorded_order - i.added_to_order) & 4294967295 = xmin::text::bigint'

const readDelivered: Statement<DeliveredEvent> = statement(
  'read_events_to_verify',
  `select e.id, e.type, e.recorded_at, e.endpoint_id,
     (e.message_id is not null or e.confirmation_id is not null) as has_owner, e.recorded_order::text as recorded_order,
     e.recorded_order < i.added_to_order + pg_snapshot_xmax(pg_current_snapshot())::text::bigint as is_reached,
     case when e.body <> '' and e.recorded_order >= i.added_to_order and (
       select bool_or(before.is_own) from (
         select ${IS_OWN_ORDER} as is_own from events p
         where p.workspace_id = e.workspace_id and p.id < e.id order by p.id desc limit ${NEIGHBOURS}) before)
     then e.is_own_order end as is_own_order,
     (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'endpoint_id', d.endpoint_id, 'status', d.status, 'ended_at', d.ended_at,
        'attempts', d.attempts, 'last', tried.last, 'successes', tried.successes) order by d.id), '[]')
      from (select * from webhook_deliveries d where d.event_id = e.id and d.workspace_id = e.workspace_id limit ${MAX_FACTS + 1}) d
      cross join lateral (
        select max(t.attempt) as last,
          coalesce(jsonb_agg(coalesce(t.http_status between 200 and 299, false) order by t.attempt), '[]') as successes
        from webhook_attempts t where t.delivery_id = d.id) tried) as deliveries
   from instance i cross join lateral (
     select *, ${IS_OWN_ORDER} as is_own_order from events where workspace_id = $1 and id > $2 order by id limit $3) e
   order by e.id`,
)

const MAX_ENDPOINTS = 1_000

const readEndpoints: Statement<EndpointFact> = statement(
  'read_endpoints_to_verify',
  `select p.id, p.created_at, p.deleted_at, p.event_types,
     exists (select from audit_log a where a.workspace_id = p.workspace_id and a.action = 'endpoint.updated'
       and a.target = p.id::text) as was_updated
   from webhook_endpoints p where p.workspace_id = $1 limit ${MAX_ENDPOINTS}`,
)

/** Compares events with their deliveries, and those with their attempts (docs/consistency-check.md#events-and-deliveries). */
export async function checkEvents(tx: Sql, { workspaceId, after, limit }: Page): Promise<CheckedUnit[]> {
  const events = await tx.rows(readDelivered, [workspaceId, after, limit])
  if (events.length === 0) return []
  // An update leaves only an entry of the audit log, which may be kept for less time than the event.
  const mayLackUpdates = await findRemoved(tx, 'audit')
  const endpoints = (await tx.rows(readEndpoints, [workspaceId])).map((endpoint) => ({
    ...endpoint,
    was_updated: endpoint.was_updated || mayLackUpdates(endpoint.id),
  }))
  return events.map((event) => {
    const verifiable = event.deliveries.length <= MAX_FACTS
    return { id: event.id, verifiable, differences: verifiable ? checkEvent(event, endpoints) : [] }
  })
}

function checkEvent(event: DeliveredEvent, endpoints: readonly EndpointFact[]): Difference[] {
  const { id, type, has_owner, endpoint_id, deliveries, recorded_order: stored } = event
  const isPing = type === 'ping'
  return [
    ...deliveries.flatMap(checkDelivery),
    ...differencesOf(id, [
      [has_owner === isPing || isPing !== (endpoint_id !== null), { code: 'verify.event_without_cause', type }],
      [!event.is_reached || event.is_own_order === false, { code: 'verify.event_order', stored }],
    ]),
    ...endpoints.flatMap((endpoint) => {
      const { id: endpointId } = endpoint
      const delivery = deliveries.find((each) => each.endpoint_id === endpointId)
      return differencesOf(delivery?.id ?? id, [
        [!delivery && mustReceive(event, endpoint), { code: 'verify.delivery_missing', endpointId }],
        [!!delivery && !mayReceive(event, endpoint), { code: 'verify.delivery_without_cause', endpointId }],
      ])
    }),
  ]
}

/** An endpoint that was added or deleted at about the time of an event may or may not have received it. */
const RACE_MS = MINUTE_MS

const mayReceive = (event: DeliveredEvent, { id, created_at, deleted_at }: EndpointFact, raceMs = RACE_MS): boolean =>
  (event.endpoint_id === null || event.endpoint_id === id) &&
  created_at <= later(event.recorded_at, raceMs) &&
  (deleted_at === null || deleted_at >= later(event.recorded_at, -raceMs))

/** Which types an endpoint received before it was changed is not stored. */
const mustReceive = (event: DeliveredEvent, endpoint: EndpointFact): boolean =>
  mayReceive(event, endpoint, -RACE_MS) &&
  (event.endpoint_id !== null ||
    (!endpoint.was_updated && (endpoint.event_types === null || endpoint.event_types.includes(event.type))))

/** `attempts` counts claims; an attempt whose process died has no row. */
function checkDelivery({ id, status, ended_at, attempts, last, successes }: DeliveryFact): Difference[] {
  const isImpossible =
    (status === 'succeeded' && !successes.includes(true)) ||
    (status === 'failed' && successes.at(-1) !== false) ||
    (status === 'succeeded' || status === 'failed') !== (ended_at !== null)
  const highest = Math.max(attempts, last ?? 0, successes.length)
  return [
    ...compared(id, { code: 'verify.delivery_attempts' }, { stored: attempts, derived: highest }),
    ...differencesOf(id, [[isImpossible, { code: 'verify.delivery_status', stored: status }]]),
  ]
}
