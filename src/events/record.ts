import { type Sql, type TransactionLimits, batch, statement } from '../lib/db/pool.ts'
import type { Parts } from '../runtime/parts.ts'
import type { EventType } from './event-types.ts'

export type NewEvent = {
  /** The `webhook-id`: the same for every endpoint and attempt. */
  id: string
  workspaceId: string
  type: EventType
  messageId?: string
  confirmationId?: string
  /** The input that triggered an event of a conversation. */
  inputNumber?: number
  /** Only for a ping, which goes to this endpoint and no other. */
  endpointId?: string
  /** `occurredAt` is ISO 8601 with milliseconds and becomes the envelope's `timestamp`. */
  data: { occurredAt: string; [member: string]: unknown }
}

/** `recorded`: the events of a transaction that counts them. */
type EventSql = Sql & { readonly recorded?: NewEvent[] }

/** For transactions that record events: after the commit they count in the metrics, and their deliveries begin. */
export async function transactionWithEvents<Result>(
  { db, metrics, wake }: Pick<Parts, 'db' | 'metrics' | 'wake'>,
  work: (tx: Sql) => Promise<Result>,
  limits?: TransactionLimits,
): Promise<Result> {
  const recorded: NewEvent[] = []
  const counted = (tx: Sql): EventSql => ({ ...tx, recorded })
  const result = await db.transaction((tx) => work(counted(tx)), limits)
  for (const { type } of recorded) metrics.events.inc({ type })
  if (recorded.length > 0) wake('deliver')
  return result
}

/** `parts` with a `transaction` that counts its events. */
export const withEvents = <P extends Pick<Parts, 'db' | 'metrics' | 'wake'>>(parts: P) => ({
  ...parts,
  transaction: <Result>(run: (tx: Sql) => Promise<Result>, limits?: TransactionLimits): Promise<Result> =>
    transactionWithEvents(parts, run, limits),
})

/**
 * Records events in the transaction of the change that caused them, and one delivery for each endpoint of the workspace that
 * receives events of this type: due immediately if the endpoint is enabled, held if not.
 */
export async function recordEvents(tx: EventSql, now: Date, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await tx.rows(insertEvents, [batch(events.map(eventRow)), now])
  tx.recorded?.push(...events)
}

const eventRow = ({ data, ...event }: NewEvent): object => ({
  ...event,
  occurredAt: data.occurredAt,
  body: envelope(event.type, data),
})

/** The exact text that is stored, signed and sent (docs/webhooks.md#the-request). */
const envelope = (type: EventType, data: NewEvent['data']): string =>
  JSON.stringify({ type, timestamp: data.occurredAt, data })

/**
 * A delivery's id has the first 15 characters of its event's UUIDv7, time and version, and is random after them: the
 * application cannot make it, since it does not know the endpoints.
 */
const insertEvents = statement(
  'record_events',
  `with event as (
     insert into events (id, workspace_id, type, message_id, confirmation_id, input_number, endpoint_id, occurred_at, recorded_at, body,
       recorded_order)
     select id, "workspaceId", type, "messageId", "confirmationId", "inputNumber", "endpointId", "occurredAt", $2, body,
       (select next_recorded_order()) -- once for all: each call would read the instance
     from jsonb_to_recordset($1::jsonb) as e (id uuid, "workspaceId" uuid, type text, "messageId" uuid,
       "confirmationId" uuid, "inputNumber" integer, "endpointId" uuid, "occurredAt" timestamptz, body text)
     returning id, workspace_id, type, endpoint_id
   )
   insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, due_at, created_at)
   select overlay(gen_random_uuid()::text placing left(event.id::text, 15) from 1)::uuid,
     event.workspace_id, event.id, endpoint.id,
     case endpoint.status when 'enabled' then 'pending' else 'held' end,
     case endpoint.status when 'enabled' then $2::timestamptz end,
     $2
   from event
   join webhook_endpoints endpoint
     on endpoint.workspace_id = event.workspace_id and endpoint.deleted_at is null
     and case when event.endpoint_id is not null then endpoint.id = event.endpoint_id
       else endpoint.event_types is null or event.type = any(endpoint.event_types) end`,
)
