import { type Sql, batch, statement } from '../db.ts'
import type { Parts } from '../parts.ts'
import type { EventType } from './event-types.ts'

export type NewEvent = {
  /** Travels as `webhook-id`, the same to every endpoint and on every attempt. */
  id: string
  workspaceId: string
  type: EventType
  messageId?: string
  confirmationId?: string
  /** A ping: to this endpoint alone. */
  endpointId?: string
  /** `occurredAt` is ISO 8601 with milliseconds and becomes the envelope's `timestamp`. */
  data: { occurredAt: string; [member: string]: unknown }
}

/** What each open transaction has recorded so far. */
const recordedIn = new WeakMap<Sql, NewEvent[]>()

/** A transaction in which events may be recorded: they count in the metrics once it is committed. */
export async function transactionWithEvents<Result>(
  { db, metrics }: Pick<Parts, 'db' | 'metrics'>,
  work: (tx: Sql) => Promise<Result>,
): Promise<Result> {
  const recorded: NewEvent[] = []
  const result = await db.transaction((tx) => {
    recordedIn.set(tx, recorded)
    return work(tx)
  })
  for (const { type } of recorded) metrics.events.inc({ type })
  return result
}

/**
 * Records events with the change that caused them, and one delivery per endpoint of the workspace: due at once where
 * the endpoint is enabled, held where it is not. One statement, whatever their number. After the commit the caller
 * wakes `deliver`.
 */
export async function recordEvents(tx: Sql, now: Date, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await tx.rows(insertEvents, [batch(events.map(asRow)), now])
  recordedIn.get(tx)?.push(...events)
}

const asRow = ({ id, workspaceId, type, messageId, confirmationId, endpointId, data }: NewEvent): object => ({
  id,
  workspace_id: workspaceId,
  type,
  message_id: messageId,
  confirmation_id: confirmationId,
  endpoint_id: endpointId,
  occurred_at: data.occurredAt,
  body: envelope(type, data),
})

/** The exact text that is stored, signed and sent (contract §5). */
export const envelope = (type: EventType, data: NewEvent['data']): string =>
  JSON.stringify({ type, timestamp: data.occurredAt, data })

/**
 * A delivery's id takes the time and version of its event's UUIDv7, the first 15 characters, and chance for the rest:
 * the application cannot make it, since it does not know the endpoints.
 */
// "offset 0" keeps it a look-up per event: see docs/decisions/0003.
const insertEvents = statement(
  'record_events',
  `with event as (
     insert into events (id, workspace_id, type, message_id, confirmation_id, endpoint_id, occurred_at, recorded_at, body)
     select id, workspace_id, type, message_id, confirmation_id, endpoint_id, occurred_at, $2, body
     from jsonb_to_recordset($1::jsonb) as e
       (id uuid, workspace_id uuid, type text, message_id uuid, confirmation_id uuid, endpoint_id uuid, occurred_at timestamptz, body text)
     returning id, workspace_id, endpoint_id
   )
   insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, due_at, created_at)
   select overlay(gen_random_uuid()::text placing left(event.id::text, 15) from 1)::uuid,
     event.workspace_id, event.id, endpoint.id,
     case endpoint.status when 'enabled' then 'pending' else 'held' end,
     case endpoint.status when 'enabled' then $2::timestamptz end,
     $2
   from event
   cross join lateral (
     select id, status from webhook_endpoints
     where workspace_id = event.workspace_id and (event.endpoint_id is null or id = event.endpoint_id)
     offset 0) endpoint`,
)
