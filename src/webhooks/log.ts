import { DAY_MS, later } from '../clock.ts'
import { type Sql, statement } from '../db.ts'
import type { EventType } from '../events/event-types.ts'
import { FIRST_ID, LAST_ID, firstIdAt } from '../ids.ts'
import type { DeliveryStatus } from './deliver-now.ts'
import type { EndpointId } from './endpoints.ts'
import type { AttemptHistory } from './history.ts'
import { USER_AGENT } from './post.ts'
import { STEPS_MS } from './schedule.ts'

/** So many deliveries make a page of the log. */
export const LOG_PAGE = 50
/** A page that looks for what no index finds looks through so many deliveries and then says how far it came. */
export const LOOKED_THROUGH_MOST = 20_000
/** Events of one confirmation: as many as its customer changed their mind, of which the first are shown. */
const EVENTS_OF_ONE_MOST = 200
/** The newest attempts of a delivery. One schedule makes ten; more come only of sending again. */
export const ATTEMPTS_SHOWN = 50

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'held'] as const satisfies readonly DeliveryStatus[]

export type LogFilter = EndpointId & {
  status?: DeliveryStatus | undefined
  type?: EventType | undefined
  /** Recorded at this time or later. */
  from?: Date | undefined
  /** Recorded before this time. */
  to?: Date | undefined
  /** The id of an event, a message or a confirmation: its deliveries, on one page. */
  about?: string | undefined
  /** Where the page before ended. */
  before?: string | undefined
}

export type LoggedDelivery = {
  deliveryId: string
  eventId: string
  type: EventType
  messageId: string | null
  confirmationId: string | null
  status: DeliveryStatus
  /** An attempt is being made right now. */
  underWay: boolean
  attempts: number
  /** The next attempt, or while one is under way when its lease ends. */
  dueAt: Date | null
  createdAt: Date
  endedAt: Date | null
  /** Of the last attempt that ended. */
  lastAttemptAt: Date | null
  durationMs: number | null
  httpStatus: number | null
  error: string | null
}

export type LogPage = {
  deliveries: LoggedDelivery[]
  /** Where the next page begins. Undefined: there is no more. A page may have few deliveries, or none, and a next one. */
  next: string | undefined
}

/** A page of an endpoint's deliveries, newest first. Its id gives a delivery its place: new ones move none of the others. */
export async function listDeliveries(db: Sql, filter: LogFilter): Promise<LogPage> {
  if (filter.about !== undefined) return { deliveries: await listDeliveriesAbout(db, filter), next: undefined }
  const { workspaceId, endpointId, status, type, from, to, before } = filter
  const hasIndex = type === undefined && status !== 'succeeded'
  const lookedThrough = hasIndex ? LOG_PAGE + 1 : LOOKED_THROUGH_MOST
  const rows = await db.rows(pages[status ?? 'any'], [
    workspaceId,
    endpointId,
    firstOf([before, to && firstIdAt(later(to, CLOCKS_APART_MS))]) ?? LAST_ID,
    from ? firstIdAt(later(from, -CLOCKS_APART_MS)) : FIRST_ID,
    from,
    to,
    type,
    lookedThrough,
    LOG_PAGE + 1,
  ])
  const found = rows.filter(isFound).map(asLogged)
  const deliveries = found.slice(0, LOG_PAGE)
  if (found.length > LOG_PAGE) return { deliveries, next: deliveries.at(-1)?.deliveryId }
  const [{ looked, edge } = { looked: 0, edge: null }] = rows
  return { deliveries, next: looked === lookedThrough ? (edge ?? undefined) : undefined }
}

/**
 * An id tells the time of the clock of the machine that made it, `created_at` that of the database. They are no further
 * apart than this, so a range of one is a range of the other with so much room, which the index serves.
 */
const CLOCKS_APART_MS = 2 * DAY_MS

const firstOf = (ids: readonly (string | undefined)[]): string | undefined =>
  ids.filter((id) => id !== undefined).sort()[0]

type Row = { looked: number; edge: string | null } & (LoggedDelivery | { deliveryId: null })
type FoundRow = Row & LoggedDelivery
const isFound = (row: Row): row is FoundRow => row.deliveryId !== null
function asLogged(row: FoundRow): LoggedDelivery {
  const { looked: _, edge: __, ...delivery } = row
  return delivery
}

const DELIVERY = `delivery.id as "deliveryId", delivery.event_id as "eventId", delivery.type,
     delivery.message_id as "messageId", delivery.confirmation_id as "confirmationId", delivery.status,
     delivery.lease is not null as "underWay", delivery.attempts, delivery.due_at as "dueAt",
     delivery.created_at as "createdAt", delivery.ended_at as "endedAt", attempt.started_at as "lastAttemptAt",
     attempt.duration_ms as "durationMs", attempt.http_status as "httpStatus", attempt.error`

const LAST_ATTEMPT = `left join lateral (
     select * from webhook_attempts where delivery_id = delivery.id order by attempt desc limit 1
   ) attempt on true`

/** The status is written out, so that the indexes on the undelivered and the waiting ones serve. */
const paging = (name: string, { looked = '', chosen = '' }) =>
  statement<Row>(
    `list_deliveries_${name}`,
    `with looked as materialized (
       select * from webhook_deliveries
       where workspace_id = $1 and endpoint_id = $2 and id < $3::uuid and id >= $4::uuid
         and created_at >= coalesce($5::timestamptz, '-infinity') and created_at < coalesce($6::timestamptz, 'infinity')
         ${looked}
       order by id desc limit $8
     ),
     chosen as (
       select looked.*, event.type, event.message_id, event.confirmation_id
       from looked cross join lateral (
         select * from events where workspace_id = $1 and id = looked.event_id offset 0
       ) event
       where event.type = coalesce($7, event.type) ${chosen}
       order by looked.id desc limit $9
     )
     select (select count(*) from looked) as looked, (select id from looked order by id limit 1) as edge, ${DELIVERY}
     from (select) page left join chosen delivery on true ${LAST_ATTEMPT}
     order by delivery.id desc`,
  )

const pages = {
  any: paging('any', {}),
  pending: paging('pending', { looked: `and status = 'pending' and due_at is not null` }),
  succeeded: paging('succeeded', { chosen: `and looked.status = 'succeeded'` }),
  failed: paging('failed', { looked: `and status = 'failed'` }),
  held: paging('held', { looked: `and status = 'held'` }),
}

const listDeliveriesAbout = (
  db: Sql,
  { workspaceId, endpointId, about, status, type, from, to }: LogFilter,
): Promise<LoggedDelivery[]> => db.rows(selectAbout, [workspaceId, endpointId, about, status, type, from, to])

const selectAbout = statement<LoggedDelivery>(
  'list_deliveries_about',
  `with event as (
     select id, type, message_id, confirmation_id from events where workspace_id = $1 and id = $3
     union
     (select id, type, message_id, confirmation_id from events where workspace_id = $1 and message_id = $3
      limit ${EVENTS_OF_ONE_MOST})
     union
     (select id, type, message_id, confirmation_id from events where workspace_id = $1 and confirmation_id = $3
      limit ${EVENTS_OF_ONE_MOST})
   )
   select ${DELIVERY}
   from event cross join lateral (
     select webhook_deliveries.*, event.type, event.message_id, event.confirmation_id from webhook_deliveries
     where workspace_id = $1 and event_id = event.id and endpoint_id = $2 offset 0
   ) delivery ${LAST_ATTEMPT}
   where delivery.status = coalesce($4, delivery.status) and delivery.type = coalesce($5, delivery.type)
     and delivery.created_at >= coalesce($6::timestamptz, '-infinity')
     and delivery.created_at < coalesce($7::timestamptz, 'infinity')
   order by delivery.id desc`,
)

export type WholeDelivery = Omit<LoggedDelivery, 'lastAttemptAt' | 'durationMs' | 'httpStatus' | 'error'> & {
  occurredAt: Date
  url: string
  /** The exact text that is sent. */
  body: string
  /** Which attempt of the schedule comes next, counted from 1, and how many it has. Null: none comes. */
  nextAttempt: { number: number; of: number } | null
  /** The newest first, ATTEMPTS_SHOWN at the most. */
  tries: (AttemptHistory & { headers: SentHeader[] })[]
}

/** One delivery with every attempt. Undefined when it is missing, or another workspace's or endpoint's. */
export async function findWholeDelivery(
  db: Sql,
  { workspaceId, endpointId, deliveryId }: EndpointId & { deliveryId: string },
): Promise<WholeDelivery | undefined> {
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

const selectWhole = statement<Omit<WholeDelivery, 'tries' | 'nextAttempt'> & { step: number }>(
  'find_whole_delivery',
  `select delivery.id as "deliveryId", delivery.event_id as "eventId", event.type, event.message_id as "messageId",
     event.confirmation_id as "confirmationId", delivery.status, delivery.lease is not null as "underWay",
     delivery.attempts, delivery.step, delivery.due_at as "dueAt", delivery.created_at as "createdAt",
     delivery.ended_at as "endedAt", event.occurred_at as "occurredAt", endpoint.url, event.body
   from webhook_deliveries delivery
   join events event on event.workspace_id = delivery.workspace_id and event.id = delivery.event_id
   join webhook_endpoints endpoint
     on endpoint.workspace_id = delivery.workspace_id and endpoint.id = delivery.endpoint_id
   where delivery.workspace_id = $1 and delivery.endpoint_id = $2 and delivery.id = $3`,
)

const selectAttempts = statement<AttemptHistory>(
  'list_attempts_of_delivery',
  `select attempt, started_at as "startedAt", duration_ms as "durationMs", http_status as "httpStatus", error, response
   from webhook_attempts where workspace_id = $1 and delivery_id = $2
   order by attempt desc limit ${ATTEMPTS_SHOWN}`,
)

/** A header of an attempt in the past. Null: it was sent, and its value is not kept. */
export type SentHeader = { name: string; value: string | null }

/** What an attempt is known to have been sent with: signatures are made for the moment and kept nowhere. */
const sentHeaders = (eventId: string, startedAt: Date): SentHeader[] => [
  { name: 'webhook-id', value: eventId },
  { name: 'webhook-timestamp', value: String(Math.floor(startedAt.getTime() / 1000)) },
  { name: 'webhook-signature', value: null },
  { name: 'content-type', value: 'application/json' },
  { name: 'user-agent', value: USER_AGENT },
]

export type LastFailure = Pick<AttemptHistory, 'startedAt' | 'httpStatus' | 'error' | 'response'>

/** Among the newest deliveries of an endpoint; what failed before them says little of how it is now. */
const FAILURE_LOOKED_BACK = 200

/** The newest attempt that did not succeed. */
export const findLastFailure = (db: Sql, { workspaceId, endpointId }: EndpointId): Promise<LastFailure | undefined> =>
  db.row(selectLastFailure, [workspaceId, endpointId])

const selectLastFailure = statement<LastFailure>(
  'find_last_failure_of_endpoint',
  `select attempt.started_at as "startedAt", attempt.http_status as "httpStatus", attempt.error, attempt.response
   from (
     select id from webhook_deliveries where workspace_id = $1 and endpoint_id = $2
     order by id desc limit ${FAILURE_LOOKED_BACK}
   ) newest
   cross join lateral (
     select * from webhook_attempts where delivery_id = newest.id order by attempt desc limit 1
   ) attempt
   where attempt.http_status is null or attempt.http_status not between 200 and 299
   order by attempt.started_at desc limit 1`,
)
