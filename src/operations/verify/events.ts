import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { DeliveryStatus } from '../../webhooks/delivery/claim.ts'
import { type CheckResult, type Difference, compared, difference } from './differences.ts'
import { FACT_LIMIT, type Selected, findRemoved, isWhole, readerOf } from './read.ts'

/** What is stored about one event, its deliveries and the endpoints of its workspace. */
type DeliveredFacts = {
  id: string
  type: string
  recorded_at: Date
  /** Set for a ping. */
  endpoint_id: string | null
  /** Whether the event belongs to a message or a confirmation. A ping belongs to neither. */
  has_owner: boolean
  recorded_order: string
  /** A lower number than all transactions that may still run: only then do clients read the event. */
  is_reached: boolean
  /** The number is that of the transaction that wrote the row; null if the row was written again or loaded since. */
  is_own_order: boolean | null
  deliveries: DeliveryFact[] | null
  endpoints: EndpointFact[]
}

type DeliveryFact = {
  id: string
  endpoint_id: string
  status: DeliveryStatus
  ended_at: string | null
  attempts: number
  /** Stored attempts: how many, the highest number, and whether one of them, and the last one, succeeded. */
  made: number
  last: number | null
  has_succeeded: boolean
  last_succeeded: boolean | null
}

type EndpointFact = {
  id: string
  created_at: Date
  deleted_at: Date | null
  event_types: string[] | null
  /** Its types may have changed. */
  was_updated: boolean
}

const SUCCEEDED = 'coalesce(t.http_status between 200 and 299, false)'

/** Rows before the event that may show that the table was neither loaded nor rewritten since. */
const NEIGHBOURS = 5

/** PostgreSQL keeps the lower 32 bits of a transaction's number in the row that it wrote. */
const IS_OWN_ORDER = '(recorded_order - i.added_to_order) & 4294967295 = xmin::text::bigint'

const factsOf = (events: string): string =>
  `select e.id, e.type, e.recorded_at, e.endpoint_id,
     (e.message_id is not null or e.confirmation_id is not null) as has_owner, e.recorded_order::text as recorded_order,
     e.recorded_order < i.added_to_order + pg_snapshot_xmax(pg_current_snapshot())::text::bigint as is_reached,
     case when e.body <> '' and e.recorded_order >= i.added_to_order and (
       select bool_or(before.is_own) from (
         select ${IS_OWN_ORDER} as is_own from events p
         where p.workspace_id = e.workspace_id and p.id < e.id order by p.id desc limit ${NEIGHBOURS}) before)
     then e.is_own_order end as is_own_order,
     (select jsonb_agg(jsonb_build_object('id', d.id, 'endpoint_id', d.endpoint_id, 'status', d.status, 'ended_at', d.ended_at,
        'attempts', d.attempts, 'made', tried.made, 'last', tried.last, 'has_succeeded', tried.has_succeeded,
        'last_succeeded', tried.last_succeeded) order by d.id)
      from (select * from webhook_deliveries d where d.event_id = e.id and d.workspace_id = e.workspace_id limit ${FACT_LIMIT}) d
      cross join lateral (
        select count(*)::int as made, max(t.attempt) as last, coalesce(bool_or(${SUCCEEDED}), false) as has_succeeded,
          (array_agg(${SUCCEEDED} order by t.attempt desc))[1] as last_succeeded
        from webhook_attempts t where t.delivery_id = d.id) tried) as deliveries
   from instance i cross join lateral (${events}) e order by e.id`

type Row = Omit<DeliveredFacts, 'endpoints'>

const readRows = readerOf<Row>('events', factsOf, `*, ${IS_OWN_ORDER} as is_own_order`)

const MAX_ENDPOINTS = 1_000

const readEndpoints: Statement<EndpointFact> = statement(
  'read_endpoints_to_verify',
  `select p.id, p.created_at, p.deleted_at, p.event_types,
     exists (select from audit_log a where a.workspace_id = p.workspace_id and a.action = 'endpoint.updated'
       and a.target = p.id::text) as was_updated
   from webhook_endpoints p where p.workspace_id = $1 limit ${MAX_ENDPOINTS}`,
)

export async function readEvents(tx: Sql, workspaceId: string, selected: Selected): Promise<DeliveredFacts[]> {
  const rows = await readRows(tx, workspaceId, selected)
  if (rows.length === 0) return []
  // An update leaves only an entry of the audit log, which may be kept for less time than the event.
  const mayLackUpdates = await findRemoved(tx, 'audit')
  const endpoints = (await tx.rows(readEndpoints, [workspaceId])).map((endpoint) => ({
    ...endpoint,
    was_updated: endpoint.was_updated || mayLackUpdates(endpoint.id),
  }))
  return rows.map((row) => ({ ...row, endpoints }))
}

/** An endpoint that was added or deleted at about the time of an event may or may not have received it. */
const RACE_MS = MINUTE_MS

/** Compares an event with its deliveries, and those with their attempts (docs/verify.md#events-and-deliveries). Pure. */
export function checkDeliveries(facts: DeliveredFacts): CheckResult {
  const { id, type, endpoints, has_owner, endpoint_id } = facts
  if (!isWhole(facts.deliveries ?? [])) return { differences: [], verifiable: false }
  const deliveries = facts.deliveries ?? []
  const differences = deliveries.flatMap(checkDelivery)
  if (has_owner === (type === 'ping') || (type === 'ping') !== (endpoint_id !== null))
    differences.push(difference(id, { code: 'verify.event_without_cause', type }))
  if (!facts.is_reached || facts.is_own_order === false)
    differences.push(difference(id, { code: 'verify.event_order', stored: facts.recorded_order }))
  for (const endpoint of endpoints) {
    const delivery = deliveries.find((each) => each.endpoint_id === endpoint.id)
    if (!delivery && mustReceive(facts, endpoint))
      differences.push(difference(id, { code: 'verify.delivery_missing', endpointId: endpoint.id }))
    if (delivery && !mayReceive(facts, endpoint))
      differences.push(difference(delivery.id, { code: 'verify.delivery_without_cause', endpointId: endpoint.id }))
  }
  return { differences, verifiable: true }
}

function mustReceive(event: DeliveredFacts, endpoint: EndpointFact): boolean {
  const { created_at, deleted_at, event_types, was_updated } = endpoint
  if (created_at > later(event.recorded_at, -RACE_MS)) return false
  if (deleted_at && deleted_at < later(event.recorded_at, RACE_MS)) return false
  if (event.endpoint_id !== null) return event.endpoint_id === endpoint.id
  // Which types an endpoint received before it was changed is not stored.
  return !was_updated && (event_types === null || event_types.includes(event.type))
}

function mayReceive(event: DeliveredFacts, { id, created_at, deleted_at }: EndpointFact): boolean {
  if (event.endpoint_id !== null && event.endpoint_id !== id) return false
  if (deleted_at && deleted_at < later(event.recorded_at, -RACE_MS)) return false
  return created_at <= later(event.recorded_at, RACE_MS)
}

/** `attempts` counts claims; an attempt whose process died has no row. */
function checkDelivery({ id, status, ended_at, attempts, made, last, ...tried }: DeliveryFact): Difference[] {
  const isImpossible =
    (status === 'succeeded' && !tried.has_succeeded) ||
    (status === 'failed' && tried.last_succeeded !== false) ||
    (status === 'succeeded' || status === 'failed') !== (ended_at !== null)
  const highest = Math.max(attempts, last ?? 0, made)
  return [
    ...compared(id, { code: 'verify.delivery_attempts' }, { stored: attempts, derived: highest }),
    ...(isImpossible ? [difference(id, { code: 'verify.delivery_status', stored: status })] : []),
  ]
}
