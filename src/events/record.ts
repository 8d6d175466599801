import { type Sql, type TransactionLimits, batch, statement } from '../lib/db/pool.ts'
import type { DeliveryLoop, DeliveryReservation } from '../runtime/jobs/hand-over.ts'
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

/** Where an attempt goes. The secrets are sealed. */
export type Target = {
  workspaceId: string
  endpointId: string
  url: string
  secret: Buffer
  previousSecret: Buffer | null
  previousSecretUntil: Date | null
}

/** SQL: the columns of a Target, from a row named `endpoint`. */
export const TARGET_COLUMNS = `endpoint.workspace_id as "workspaceId", endpoint.id as "endpointId", endpoint.url, endpoint.secret,
     endpoint.previous_secret as "previousSecret", endpoint.previous_secret_until as "previousSecretUntil"`

/** A delivery that its process claimed when it was recorded. */
export type RecordedDelivery = Target & {
  deliveryId: string
  eventId: string
  body: string
  lease: string
  /** End of the lease. */
  until: Date
}

/** What a transaction has recorded. */
type Recording = {
  events: NewEvent[]
  /** Undefined: nothing is claimed. */
  loop: DeliveryLoop<RecordedDelivery> | undefined
  claims: { reservation: DeliveryReservation; claimed: RecordedDelivery[] }[]
  /** Endpoints with deliveries that the loop must find. */
  waiting: Set<string>
}

type EventSql = Sql & { readonly recording?: Recording }

/** What a transaction that records events needs. */
export type EventParts = Pick<Parts, 'db' | 'metrics' | 'wake' | 'recordedDeliveries'>

/**
 * For transactions that record events: after the commit they count in the metrics, and their deliveries begin. A delivery to an endpoint
 * whose last attempt succeeded may be claimed by the statement that records it, which saves the loop's search and its claim.
 */
export async function transactionWithEvents<Result>(
  { db, metrics, wake, recordedDeliveries }: EventParts,
  work: (tx: Sql) => Promise<Result>,
  limits?: TransactionLimits,
): Promise<Result> {
  const loop: Recording['loop'] = recordedDeliveries?.loop
  const recording: Recording = { events: [], loop, claims: [], waiting: new Set() }
  const recordingTx = (tx: Sql): EventSql => ({ ...tx, recording })
  try {
    const result = await db.transaction((tx) => work(recordingTx(tx)), limits)
    for (const { type } of recording.events) metrics.events.inc({ type })
    for (const { claimed } of recording.claims) if (claimed.length > 0) loop?.give(claimed)
    if (recording.waiting.size > 0) {
      loop?.markWaiting([...recording.waiting])
      wake('deliver')
    }
    return result
  } catch (error) {
    // The commit may have taken effect although its answer was lost.
    for (const { reservation, claimed } of recording.claims) if (claimed.length > 0) loop?.giveBack(reservation.lease)
    throw error
  } finally {
    for (const { reservation } of recording.claims) reservation[Symbol.dispose]()
  }
}

/** `parts`, with `transactionWithEvents` as its `transaction`. */
export const withEvents = <P extends EventParts>(parts: P) => ({
  ...parts,
  transaction: <Result>(run: (tx: Sql) => Promise<Result>, limits?: TransactionLimits): Promise<Result> =>
    transactionWithEvents(parts, run, limits),
})

/**
 * Records events in the transaction of the change that caused them, and one delivery for each endpoint of the workspace that
 * receives events of this type: due immediately or claimed if the endpoint is enabled, held if not.
 */
export async function recordEvents(tx: EventSql, now: Date, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(eventRow)
  const reservation = tx.recording?.loop?.reserve(events.map(({ workspaceId }) => workspaceId))
  const claimed: RecordedDelivery[] = []
  if (reservation) tx.recording?.claims.push({ reservation, claimed })
  const pending = await tx.rows(insertEvents, [
    batch(rows),
    now,
    reservation?.lease ?? null,
    reservation?.nodeId ?? null,
    reservation?.until ?? null,
    JSON.stringify(reservation?.capacities ?? {}),
  ])
  if (!tx.recording) return
  tx.recording.events.push(...events)
  const bodies = new Map(rows.map(({ id, body }) => [id, body]))
  for (const { isClaimed, ...delivery } of pending) {
    const body = bodies.get(delivery.eventId)
    if (isClaimed && reservation && body !== undefined)
      claimed.push({ ...delivery, body, lease: reservation.lease, until: reservation.until })
    else tx.recording.waiting.add(delivery.endpointId)
  }
  reservation?.keepOnly(claimed.map(({ endpointId }) => endpointId))
}

const eventRow = ({ data, ...event }: NewEvent) => ({
  ...event,
  occurredAt: data.occurredAt,
  body: envelope(event.type, data),
})

/** The exact text that is stored, signed and sent (docs/webhooks.md#the-request). */
const envelope = (type: EventType, data: NewEvent['data']): string =>
  JSON.stringify({ type, timestamp: data.occurredAt, data })

/**
 * A delivery's id has the first 15 characters of its event's UUIDv7, time and version, and is random after them: the
 * application cannot make it, since it does not know the endpoints. `$3` to `$5`: the lease, its node and
 * its end, null if this process cannot claim. `$6`: the most deliveries to claim for each endpoint; a ping is not claimed, since
 * webhooks/delivery/deliver-now.ts attempts it. Returns the deliveries that are not held.
 */
const insertEvents = statement<Target & { deliveryId: string; eventId: string; isClaimed: boolean }>(
  'record_events',
  `with event as (
     insert into events (id, workspace_id, type, message_id, confirmation_id, input_number, endpoint_id, occurred_at, recorded_at, body,
       recorded_order)
     select id, "workspaceId", type, "messageId", "confirmationId", "inputNumber", "endpointId", "occurredAt", $2, body,
       (select next_recorded_order()) -- once for all: each call would read the instance
     from jsonb_to_recordset($1::jsonb) as e (id uuid, "workspaceId" uuid, type text, "messageId" uuid,
       "confirmationId" uuid, "inputNumber" integer, "endpointId" uuid, "occurredAt" timestamptz, body text)
     returning id, workspace_id, type, endpoint_id
   ), receiving as (
     select event.workspace_id, event.id as event_id, endpoint.id as endpoint_id, endpoint.status = 'enabled' as is_enabled,
       endpoint.status = 'enabled' and event.endpoint_id is null and row_number() over (partition by endpoint.id order by event.id)
         <= coalesce(($6::jsonb ->> endpoint.id::text)::integer, 0) as is_claimed
     from event
     join webhook_endpoints endpoint
       on endpoint.workspace_id = event.workspace_id and endpoint.deleted_at is null
       and case when event.endpoint_id is not null then endpoint.id = event.endpoint_id
         else endpoint.event_types is null or event.type = any(endpoint.event_types) end
   ), delivery as (
     insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, due_at, lease, attempts, created_at)
     select overlay(gen_random_uuid()::text placing left(event_id::text, 15) from 1)::uuid, workspace_id, event_id, endpoint_id,
       case when is_enabled then 'pending' else 'held' end,
       case when is_claimed then $5::timestamptz when is_enabled then $2::timestamptz end,
       case when is_claimed then $3::uuid end, is_claimed::integer, $2
     from receiving
     returning id, event_id, endpoint_id, status, lease
   ), taken as (
     insert into leases (id, node_id, kind, item_ids, taken_at)
     select $3, $4::uuid, 'deliveries', array_agg(id), $2 from delivery where lease is not null having count(*) > 0
   )
   select delivery.id as "deliveryId", delivery.event_id as "eventId", delivery.lease is not null as "isClaimed", ${TARGET_COLUMNS}
   from delivery cross join lateral (select * from webhook_endpoints where id = delivery.endpoint_id limit 1) endpoint
   where delivery.status = 'pending'`,
)
