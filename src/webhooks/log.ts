import type { CodedText } from '../../locales/text.ts'
import { DAY_MS } from '../clock.ts'
import { type Sql, statement } from '../db/pool.ts'
import type { EventType } from '../events/event-types.ts'
import type { DeliveryStatus } from './delivery/claim.ts'
import {
  IN_ID_RANGE,
  type ListSpec,
  type ListSource,
  type Page,
  createListSource,
  createSearchSource,
  readPage,
} from '../workspaces/list-pages.ts'
import { type IdMargin, MAX_SANDBOX_BEGAN_EARLIER_MS, idRange } from '../workspaces/id-range.ts'
import type { EndpointId } from './endpoints.ts'
import { USER_AGENT } from './delivery/post.ts'
import { nextAttemptAt } from './delivery/release.ts'
import { STEPS_MS } from './delivery/schedule.ts'

/** Events of one confirmation. Each time its customer changes their mind there is another; only the first are shown. */
const MAX_EVENTS_OF_ONE = 200
/** The newest attempts of a delivery. A schedule has at most 18 (ten, and eight brought forward); resends make more. */
export const MAX_ATTEMPTS_SHOWN = 50

/** Of deliveries, by their events. */
export type EventFilter = {
  type?: EventType | undefined
  /** Recorded at this time or later. */
  from?: Date | undefined
  /** Recorded before this time. */
  to?: Date | undefined
}

export type LogFilter = EndpointId &
  EventFilter & {
    status?: DeliveryStatus | undefined
    /** The id of an event, a message or a confirmation: its deliveries. */
    about?: string | undefined
    /** The last id of the page before. */
    before?: string | undefined
  }

export type LoggedDelivery = {
  id: string
  deliveryId: string
  eventId: string
  type: EventType
  messageId: string | null
  confirmationId: string | null
  status: DeliveryStatus
  /** An attempt is in flight. */
  underWay: boolean
  attempts: number
  /** The next attempt; while one is in flight, the end of its lease. */
  dueAt: Date | null
  createdAt: Date
  endedAt: Date | null
  /** Of the last attempt that ended. */
  lastAttemptAt: Date | null
  durationMs: number | null
  httpStatus: number | null
  error: CodedText | null
}

/** A page of an endpoint's deliveries, newest first. It may have few deliveries or none, and still a next one. */
export function listDeliveries(db: Sql, filter: LogFilter): Promise<Page<LoggedDelivery>> {
  const { workspaceId, endpointId, about, status, type, from, to, before } = filter
  return readPage(db, about === undefined ? logs[status ?? 'any'] : deliveriesAbout, {
    workspaceId,
    ids: idRange({ from: from ?? null, until: to ?? null, before: before ?? null }, ID_MARGIN),
    values: about === undefined ? [endpointId] : [endpointId, about],
    filters: [status, type, from, to],
  })
}

/** An id has the time of the node that made it; `created_at` is the database's, or in demo data a time in the past. */
const ID_MARGIN: IdMargin = { earlierMs: 2 * DAY_MS, laterMs: MAX_SANDBOX_BEGAN_EARLIER_MS }

const list = {
  table: 'webhook_deliveries',
  columns: `item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
     event.confirmation_id as "confirmationId", item.status, item.lease is not null as "underWay", item.attempts,
     ${nextAttemptAt('item')} as "dueAt", item.created_at as "createdAt", item.ended_at as "endedAt",
     attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
     attempt.http_status as "httpStatus", attempt.error`,
  joins: `cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
     left join lateral (
       select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true`,
  filters: [
    ['text', 'item.status ='],
    ['text', 'event.type ='],
    ['timestamptz', 'item.created_at >='],
    ['timestamptz', 'item.created_at <'],
  ],
} as const satisfies ListSpec

/** $4: the endpoint. The status is a literal, so that PostgreSQL uses the partial indexes of undelivered and waiting ones. */
const logOf = (name: string, condition = ''): ListSource<LoggedDelivery> =>
  createListSource(list, { name: `deliveries_${name}`, condition: `and item.endpoint_id = $4 ${condition}`, values: 1 })

const logs = {
  any: logOf('any'),
  pending: logOf('pending', `and item.status = 'pending' and item.due_at is not null`),
  succeeded: logOf('succeeded'),
  failed: logOf('failed', `and item.status = 'failed'`),
  held: logOf('held', `and item.status = 'held'`),
}

/** $4: the endpoint, $5: an event, a message or a confirmation. */
const deliveriesAbout = createSearchSource<LoggedDelivery>(list, {
  name: 'deliveries',
  values: 2,
  ids: `select item.id from (
       select id from events where workspace_id = $1 and id = $5
       union
       (select id from events where workspace_id = $1 and message_id = $5 limit ${MAX_EVENTS_OF_ONE})
       union
       (select id from events where workspace_id = $1 and confirmation_id = $5 limit ${MAX_EVENTS_OF_ONE})) event
     join webhook_deliveries item on item.workspace_id = $1 and item.event_id = event.id and item.endpoint_id = $4
     where ${IN_ID_RANGE}`,
})

export const MAX_LATEST = 40

export type LatestDelivery = LoggedDelivery & { endpointId: string; url: string }

/** Of all endpoints of a workspace, the newest first. */
export const listLatestDeliveries = (sql: Sql, workspaceId: string): Promise<LatestDelivery[]> =>
  sql.rows(selectLatest, [workspaceId])

const selectLatest = statement<LatestDelivery>(
  'list_latest_deliveries',
  `select ${list.columns}, item.endpoint_id as "endpointId", item.url
   from (
     select d.*, e.url from webhook_endpoints e cross join lateral (
       select * from webhook_deliveries where workspace_id = $1 and endpoint_id = e.id order by id desc limit ${MAX_LATEST}) d
     where e.workspace_id = $1
     order by d.id desc limit ${MAX_LATEST}
   ) item ${list.joins}
   order by item.id desc`,
)

export type AttemptHistory = {
  attempt: number
  startedAt: Date
  durationMs: number
  httpStatus: number | null
  error: CodedText | null
  response: string | null
}

export type DeliveryDetails = LoggedDelivery & {
  occurredAt: Date
  url: string
  /** The exact text that is sent. */
  body: string
  /** Counted from 1, of the attempts of the schedule. Null: there is none. */
  nextAttempt: { number: number; of: number } | null
  /** The newest first, at most MAX_ATTEMPTS_SHOWN. */
  tries: (AttemptHistory & { headers: SentHeader[] })[]
}

/** With its attempts. Undefined when it is missing, or another workspace's or endpoint's. */
export async function findDeliveryDetails(
  db: Sql,
  { workspaceId, endpointId, deliveryId }: EndpointId & { deliveryId: string },
): Promise<DeliveryDetails | undefined> {
  const delivery = await db.row(selectWhole, [workspaceId, endpointId, deliveryId])
  if (!delivery) return undefined
  const attempts = await db.rows(selectAttempts, [workspaceId, deliveryId])
  const { step, ...rest } = delivery
  return {
    ...rest,
    nextAttempt: rest.status === 'pending' ? { number: step + 1, of: STEPS_MS.length } : null,
    tries: attempts.map((attempt) => ({ ...attempt, headers: sentHeaders(rest.eventId, attempt.startedAt) })),
  }
}

const selectWhole = statement<Omit<DeliveryDetails, 'tries' | 'nextAttempt'> & { step: number }>(
  'find_whole_delivery',
  `select ${list.columns}, item.step, event.occurred_at as "occurredAt", event.body, endpoint.url
   from webhook_deliveries item ${list.joins}
   join webhook_endpoints endpoint on endpoint.workspace_id = item.workspace_id and endpoint.id = item.endpoint_id
   where item.workspace_id = $1 and item.endpoint_id = $2 and item.id = $3`,
)

const selectAttempts = statement<AttemptHistory>(
  'list_attempts_of_delivery',
  `select attempt, started_at as "startedAt", duration_ms as "durationMs", http_status as "httpStatus", error, response
   from webhook_attempts where workspace_id = $1 and delivery_id = $2
   order by attempt desc limit ${MAX_ATTEMPTS_SHOWN}`,
)

/** A header of a past attempt. Null: it was sent, but its value is not stored. */
export type SentHeader = { name: string; value: string | null }

const sentHeaders = (eventId: string, startedAt: Date): SentHeader[] => [
  { name: 'webhook-id', value: eventId },
  { name: 'webhook-timestamp', value: String(Math.floor(startedAt.getTime() / 1000)) },
  { name: 'webhook-signature', value: null },
  { name: 'content-type', value: 'application/json' },
  { name: 'user-agent', value: USER_AGENT },
]

export type LastFailure = Pick<AttemptHistory, 'startedAt' | 'httpStatus' | 'error' | 'response'>

/** Newest deliveries of an endpoint: older failures say little about its current state. */
const MAX_SEARCHED_FOR_FAILURE = 200

/** The newest attempt that did not succeed. */
export const findLastFailure = (db: Sql, { workspaceId, endpointId }: EndpointId): Promise<LastFailure | undefined> =>
  db.row(selectLastFailure, [workspaceId, endpointId])

const selectLastFailure = statement<LastFailure>(
  'find_last_failure_of_endpoint',
  `select attempt.started_at as "startedAt", attempt.http_status as "httpStatus", attempt.error, attempt.response
   from (
     select id from webhook_deliveries where workspace_id = $1 and endpoint_id = $2
     order by id desc limit ${MAX_SEARCHED_FOR_FAILURE}
   ) newest
   cross join lateral (
     select * from webhook_attempts where delivery_id = newest.id order by attempt desc limit 1
   ) attempt
   where attempt.http_status is null or attempt.http_status not between 200 and 299
   order by attempt.started_at desc limit 1`,
)
