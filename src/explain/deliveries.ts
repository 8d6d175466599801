import type { CodedText } from '../../locales/text.ts'
import { DAY_MS } from '../lib/clock.ts'
import { type Sql, type Value, statement } from '../lib/db/pool.ts'
import type { EventType } from '../events/event-types.ts'
import type { DeliveryStatus } from '../webhooks/delivery/claim.ts'
import {
  BELOW_END,
  type ListSpec,
  type ListSource,
  type Page,
  createListSource,
  createSearchSource,
  readOn,
  readPage,
} from '../lib/lists/list-pages.ts'
import { type SearchPart, patternsOf } from '../lib/lists/search-part.ts'
import { type IdMargin, MAX_SANDBOX_BEGAN_EARLIER_MS, idRange } from '../lib/lists/id-range.ts'
import type { EndpointId } from '../webhooks/endpoints.ts'
import { USER_AGENT } from '../webhooks/delivery/post.ts'
import { nextAttemptAt } from '../webhooks/delivery/release.ts'
import { STEPS_MS } from '../webhooks/delivery/schedule.ts'
import type { EventFilter } from '../webhooks/resend.ts'

/** Events of one confirmation. Each time its customer changes their mind there is another; only the first are shown. */
const MAX_EVENTS_OF_ONE = 200
/** Only the newest messages or confirmations with one reference, or of one recipient. */
const NEWEST_SUBJECTS = 'order by id desc limit 200'
/** The newest attempts of a delivery. A schedule has at most 18 (ten, and eight brought forward); resends make more. */
const MAX_ATTEMPTS_SHOWN = 50

export type LogFilter = EndpointId &
  EventFilter & {
    status?: DeliveryStatus | undefined
    about?: Subjects | undefined
    /** The last id of the page before. */
    before?: string | undefined
  }

/** The events of these: an event, a message or a confirmation by its id, or messages and confirmations by the others. */
export type Subjects = {
  id: string | null
  /** Exactly. */
  reference: string
  /** E.164 */
  recipients: readonly string[]
  /** What to search for inside numbers, references and ids if no exact match exists. Null: the text is whole. */
  part: SearchPart | null
}

export type LoggedDelivery = {
  id: string
  deliveryId: string
  eventId: string
  type: EventType
  messageId: string | null
  confirmationId: string | null
  /** The recipient and reference of the message or confirmation; null for a ping. */
  recipient: string | null
  reference: string | null
  status: DeliveryStatus
  /** An attempt is in flight. */
  underWay: boolean
  attempts: number
  /** Counted from 1, of the attempts of the schedule. Null: there is none. */
  nextAttempt: { number: number; of: number } | null
  /** When that is; while one is in flight, the end of its lease. */
  dueAt: Date | null
  createdAt: Date
  endedAt: Date | null
  /** The last attempt that ended: when, how long it took and its result. */
  lastAttemptAt: Date | null
  durationMs: number | null
  httpStatus: number | null
  error: CodedText | null
}

/** A page of an endpoint's deliveries, newest first. It may have few deliveries or none, and still a next one. */
export async function listDeliveries(db: Sql, filter: LogFilter): Promise<Page<LoggedDelivery>> {
  const { rows, next } = await readDeliveries(db, filter)
  return { rows: rows.map(withNextAttempt), next }
}

async function readDeliveries(db: Sql, filter: LogFilter): Promise<Page<StoredDelivery<LoggedDelivery>>> {
  const { workspaceId, endpointId, about, status, type, from = null, to = null, before = null } = filter
  const read = (source: DeliverySource, { before, values = [], part = [] }: ReadOptions) =>
    readPage(db, source, {
      workspaceId,
      ids: idRange({ from, until: to, before }, ID_MARGIN),
      values: [endpointId, ...values],
      filters: [status, type, from, to, ...part],
    })
  if (!about) return read(logs[status ?? 'any'], { before })
  const exact = await read(deliveriesAbout, { before, values: [about.id, about.reference, about.recipients] })
  if (exact.rows.length > 0 || exact.next || !about.part) return exact
  const part = [patternsOf(about.part)]
  return readOn(before, (before) => read(deliveriesByPart, { before, part }))
}

type DeliverySource = ListSource<StoredDelivery<LoggedDelivery>>
type ReadOptions = { before: string | null; values?: readonly Value[]; part?: readonly Value[] }

type StoredDelivery<Delivery> = Omit<Delivery, 'nextAttempt'> & { step: number }

const withNextAttempt = <Delivery extends StoredDelivery<LoggedDelivery>>({ step, ...delivery }: Delivery) => ({
  ...delivery,
  nextAttempt: delivery.status === 'pending' ? { number: step + 1, of: STEPS_MS.length } : null,
})

/** An id has the time of the node that made it; `created_at` is the database's, or in demo data a time in the past. */
const ID_MARGIN: IdMargin = { earlierMs: 2 * DAY_MS, laterMs: MAX_SANDBOX_BEGAN_EARLIER_MS }

const ofSubject = (column: string): string =>
  `coalesce(
       (select ${column} from messages where workspace_id = $1 and id = event.message_id),
       (select ${column} from confirmations where workspace_id = $1 and id = event.confirmation_id)) as ${column}`

const list = {
  table: 'webhook_deliveries',
  columns: `item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
     event.confirmation_id as "confirmationId", ${ofSubject('recipient')}, ${ofSubject('reference')},
     item.status, item.lease is not null as "underWay", item.attempts, item.step,
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
const logOf = (name: string, condition = '', spec: ListSpec = list): DeliverySource =>
  createListSource(spec, { name: `deliveries_${name}`, condition: `and item.endpoint_id = $4 ${condition}`, values: 1 })

const logs = {
  any: logOf('any'),
  pending: logOf('pending', `and item.status = 'pending' and item.due_at is not null`),
  succeeded: logOf('succeeded'),
  failed: logOf('failed', `and item.status = 'failed'`),
  held: logOf('held', `and item.status = 'held'`),
}

/** Searches the ids of the event, its message and its confirmation. */
const partFilter: ListSpec['filters'][number] = [
  'text[]',
  (patterns) => `(concat_ws(' ', event.id, event.message_id, event.confirmation_id) like (${patterns})[3] or exists (
       select from (
         select recipient, reference from messages where workspace_id = $1 and id = event.message_id
         union all
         select recipient, reference from confirmations where workspace_id = $1 and id = event.confirmation_id) subject
       where recipient like (${patterns})[1] or lower(reference) like lower((${patterns})[2])))`,
]
const deliveriesByPart = logOf('by_part', '', { ...list, filters: [...list.filters, partFilter] })

/** $4: the endpoint, $5: an event, a message or a confirmation, $6: a reference, $7: recipients. */
const deliveriesAbout = createSearchSource<StoredDelivery<LoggedDelivery>>(list, {
  name: 'deliveries',
  values: 4,
  ids: `select item.id from (
       select id from events where workspace_id = $1 and id = $5
       union
       select event.id from (
         select $5::uuid as id
         union
         (select id from messages where workspace_id = $1 and reference = $6 ${NEWEST_SUBJECTS})
         union
         (select message.id from unnest($7::text[]) as searched (phone) cross join lateral (
            select id from messages
            where workspace_id = $1 and recipient = searched.phone and confirmation_id is null ${NEWEST_SUBJECTS}) message)
       ) message cross join lateral (
         select id from events where workspace_id = $1 and message_id = message.id limit ${MAX_EVENTS_OF_ONE}) event
       union
       select event.id from (
         select $5::uuid as id
         union
         (select id from confirmations where workspace_id = $1 and reference = $6 and reference <> '' ${NEWEST_SUBJECTS})
         union
         (select confirmation.id from senders cross join unnest($7::text[]) as searched (phone) cross join lateral (
            select id from confirmations
            where workspace_id = $1 and sender_id = senders.id and recipient = searched.phone ${NEWEST_SUBJECTS}) confirmation
          where senders.workspace_id = $1)
       ) confirmation cross join lateral (
         select id from events where workspace_id = $1 and confirmation_id = confirmation.id limit ${MAX_EVENTS_OF_ONE}) event
     ) event
     cross join lateral (select * from webhook_deliveries where event_id = event.id and endpoint_id = $4 offset 0) item
     where ${BELOW_END}`,
})

const MAX_LATEST = 40

export type LatestDelivery = LoggedDelivery & { endpointId: string; url: string }

/** The newest deliveries of the workspace's endpoints, newest first. */
export const listLatestDeliveries = async (sql: Sql, workspaceId: string): Promise<LatestDelivery[]> =>
  (await sql.rows(selectLatest, [workspaceId])).map(withNextAttempt)

const selectLatest = statement<StoredDelivery<LatestDelivery>>(
  'list_latest_deliveries',
  `select ${list.columns}, item.endpoint_id as "endpointId", item.url
   from (
     select d.*, e.url from webhook_endpoints e cross join lateral (
       select * from webhook_deliveries where workspace_id = $1 and endpoint_id = e.id order by id desc limit ${MAX_LATEST}) d
     where e.workspace_id = $1 and e.deleted_at is null
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
  /** The newest first, at most MAX_ATTEMPTS_SHOWN. */
  tries: (AttemptHistory & {
    /** Null: an earlier URL of the endpoint. */
    url: string | null
    headers: SentHeader[]
  })[]
}

/** The delivery with its attempts. Returns undefined if it is missing or belongs to another workspace or endpoint. */
export async function findDeliveryDetails(
  db: Sql,
  { workspaceId, endpointId, deliveryId }: EndpointId & { deliveryId: string },
): Promise<DeliveryDetails | undefined> {
  const delivery = await db.row(selectWhole, [workspaceId, endpointId, deliveryId])
  if (!delivery) return undefined
  const attempts = await db.rows(selectAttempts, [workspaceId, deliveryId])
  const { urlChangedAt, ...rest } = delivery
  return {
    ...withNextAttempt(rest),
    tries: attempts.map((attempt) => ({
      ...attempt,
      url: urlChangedAt && attempt.startedAt < urlChangedAt ? null : delivery.url,
      headers: sentHeaders(rest.eventId, attempt.startedAt),
    })),
  }
}

const selectWhole = statement<StoredDelivery<Omit<DeliveryDetails, 'tries'>> & { urlChangedAt: Date | null }>(
  'find_whole_delivery',
  `select ${list.columns}, event.occurred_at as "occurredAt", event.body, endpoint.url,
     endpoint.url_changed_at as "urlChangedAt"
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
