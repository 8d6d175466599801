import { MINUTE_MS, later } from '../../lib/clock.ts'
import type { CheckResult, Difference } from './differences.ts'
import { shown } from './differences.ts'
import type { DeliveredFacts, DeliveryFact, EndpointFact } from './event-facts.ts'
import { isWhole } from './selected.ts'

/** An endpoint that was added or deleted at about the time of an event may or may not have received it. */
const RACE_MS = MINUTE_MS

/** Compares an event with its deliveries, and those with their attempts (docs/verify.md#events-and-deliveries). Pure. */
export function checkDeliveries(facts: DeliveredFacts): CheckResult {
  const { id, type, endpoints, has_owner, endpoint_id } = facts
  if (!isWhole(facts.deliveries ?? [])) return { differences: [], verifiable: false }
  const deliveries = facts.deliveries ?? []
  const differences = deliveries.flatMap(checkDelivery)
  if (has_owner === (type === 'ping') || (type === 'ping') !== (endpoint_id !== null))
    differences.push({ id, text: { code: 'verify.event_without_cause', type } })
  if (!facts.is_reached || facts.is_own_order === false)
    differences.push({ id, text: { code: 'verify.event_order', stored: facts.recorded_order } })
  for (const endpoint of endpoints) {
    const delivery = deliveries.find((each) => each.endpoint_id === endpoint.id)
    if (!delivery && mustReceive(facts, endpoint))
      differences.push({ id, text: { code: 'verify.delivery_missing', endpointId: endpoint.id } })
    if (delivery && !mayReceive(facts, endpoint))
      differences.push({ id: delivery.id, text: { code: 'verify.delivery_without_cause', endpointId: endpoint.id } })
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
  const found: Difference[] = []
  const highest = Math.max(last ?? 0, made)
  if (highest > attempts)
    found.push({ id, text: { code: 'verify.delivery_attempts', stored: shown(attempts), derived: shown(highest) } })
  const isImpossible =
    (status === 'succeeded' && !tried.has_succeeded) ||
    (status === 'failed' && tried.last_succeeded !== false) ||
    (status === 'succeeded' || status === 'failed') !== (ended_at !== null)
  if (isImpossible) found.push({ id, text: { code: 'verify.delivery_status', stored: status } })
  return found
}
