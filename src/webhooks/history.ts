import { type Sql, statement } from '../db.ts'
import type { EventType } from '../events/event-types.ts'
import type { DeliveryStatus } from './deliver-now.ts'

export type EventHistory = {
  eventId: string
  type: EventType
  messageId: string | null
  occurredAt: Date
  recordedAt: Date
  deliveries: DeliveryHistory[]
}

export type DeliveryHistory = {
  deliveryId: string
  endpointId: string
  url: string
  status: DeliveryStatus
  /** The next attempt, or while one is under way when its lease ends. */
  dueAt: Date | null
  endedAt: Date | null
  attempts: AttemptHistory[]
}

export type AttemptHistory = {
  attempt: number
  startedAt: Date
  durationMs: number
  httpStatus: number | null
  error: string | null
  response: string | null
}

/** A message has at most two events; an attempt's list ends somewhere all the same. */
const ATTEMPTS_MOST = 1_000

/** The events of one message, or one event, with every delivery and attempt, in their order. */
export async function listEventHistory(
  db: Sql,
  workspaceId: string,
  about: { messageId: string } | { eventId: string },
): Promise<EventHistory[]> {
  const rows =
    'messageId' in about
      ? await db.rows(ofMessage, [workspaceId, about.messageId, ATTEMPTS_MOST])
      : await db.rows(ofEvent, [workspaceId, about.eventId, ATTEMPTS_MOST])
  return [...Map.groupBy(rows, ({ eventId }) => eventId).values()].map(asEvent)
}

type HistoryRow = Omit<EventHistory, 'deliveries'> &
  Nullable<Omit<DeliveryHistory, 'attempts'>> &
  Nullable<AttemptHistory>
type Nullable<Row> = { [Member in keyof Row]: Row[Member] | null }

function asEvent(rows: HistoryRow[]): EventHistory {
  const { eventId, type, messageId, occurredAt, recordedAt } = rows[0] as HistoryRow
  const deliveries = Map.groupBy(rows.filter(isDelivery), ({ deliveryId }) => deliveryId)
  return { eventId, type, messageId, occurredAt, recordedAt, deliveries: [...deliveries.values()].map(asDelivery) }
}

type DeliveryRow = HistoryRow & Omit<DeliveryHistory, 'attempts'>
type AttemptRow = DeliveryRow & AttemptHistory

const isDelivery = (row: HistoryRow): row is DeliveryRow => row.deliveryId !== null
const isAttempt = (row: DeliveryRow): row is AttemptRow => row.attempt !== null

function asDelivery(rows: DeliveryRow[]): DeliveryHistory {
  const { deliveryId, endpointId, url, status, dueAt, endedAt } = rows[0] as DeliveryRow
  return { deliveryId, endpointId, url, status, dueAt, endedAt, attempts: rows.filter(isAttempt).map(asAttempt) }
}

const asAttempt = ({ attempt, startedAt, durationMs, httpStatus, error, response }: AttemptRow): AttemptHistory => ({
  attempt,
  startedAt,
  durationMs,
  httpStatus,
  error,
  response,
})

const history = (condition: string): string =>
  `select event.id as "eventId", event.type, event.message_id as "messageId", event.occurred_at as "occurredAt",
     event.recorded_at as "recordedAt", delivery.id as "deliveryId", delivery.endpoint_id as "endpointId", endpoint.url,
     delivery.status, delivery.due_at as "dueAt", delivery.ended_at as "endedAt", attempt.attempt,
     attempt.started_at as "startedAt", attempt.duration_ms as "durationMs", attempt.http_status as "httpStatus",
     attempt.error, attempt.response
   from events event
   left join webhook_deliveries delivery on delivery.event_id = event.id and delivery.workspace_id = event.workspace_id
   left join webhook_endpoints endpoint on endpoint.id = delivery.endpoint_id
   left join webhook_attempts attempt on attempt.delivery_id = delivery.id
   where event.workspace_id = $1 and ${condition}
   order by event.occurred_at, event.id, delivery.endpoint_id, attempt.attempt
   limit $3`

const ofMessage = statement<HistoryRow>('list_events_of_message', history('event.message_id = $2'))
const ofEvent = statement<HistoryRow>('list_event', history('event.id = $2'))
