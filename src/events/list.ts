import { type Sql, statement } from '../lib/db/pool.ts'
import { FIRST_ID } from '../lib/ids.ts'

/** Where a client is in the order of a workspace's events. */
export type Position = { recordedOrder: string; id: string }

/** `body` is the envelope as it was recorded (docs/webhooks.md#the-request). */
export type ListedEvent = { id: string; body: string }

export type EventPage = { events: readonly ListedEvent[]; hasMore: boolean }

export const MAX_EVENTS_PER_PAGE = 100
/** The limit of a page's bodies, unless its first event is larger. */
const MAX_PAGE_BYTES = 1024 * 1024

/** Before every event. Events of releases that did not number them have the number 0. */
export const START: Position = { recordedOrder: '0', id: FIRST_ID }

/** `hasContent`: false if the content was removed with age, or erased. */
export type FoundPosition = Position & { hasContent: boolean }

/** Returns undefined if the workspace has no such event, or no longer. */
export const findPosition = (sql: Sql, workspaceId: string, eventId: string): Promise<FoundPosition | undefined> =>
  sql.row(findEvent, [workspaceId, eventId])

const findEvent = statement<FoundPosition>(
  'find_event_position',
  `select recorded_order::text as "recordedOrder", id, body <> '' as "hasContent" from events
   where workspace_id = $1 and id = $2`,
)

/**
 * A transaction that is still running may commit events with its number or a higher one. All transactions below the lowest
 * running one have ended, so nothing is ever added before an event that was read.
 */
export const IS_COMPLETE = `recorded_order <
  coalesce((select added_to_order from instance), 0) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint`

/** The condition of the index events_recorded. */
export const IS_LISTED_EVENT = `endpoint_id is null and body <> ''`
const IS_LISTED = `workspace_id = $1 and ${IS_LISTED_EVENT}`

/** The position of the newest event that can be read. */
export const findLatest = async (sql: Sql, workspaceId: string): Promise<Position> =>
  (await sql.row(findLatestEvent, [workspaceId])) ?? START

const findLatestEvent = statement<Position>(
  'find_latest_event_position',
  `select recorded_order::text as "recordedOrder", id from events
   where ${IS_LISTED} and ${IS_COMPLETE} order by recorded_order desc, id desc limit 1`,
)

/** The events after a position, without pings and without events whose content was removed. */
export async function listEvents(
  sql: Sql,
  { workspaceId, after, limit }: { workspaceId: string; after: Position; limit: number },
): Promise<EventPage> {
  const rows = await sql.rows(listAfter, [workspaceId, after.recordedOrder, after.id, limit + 1])
  const events = rows.slice(0, limit).map(({ id, body }) => ({ id, body }))
  return { events, hasMore: (rows[0]?.found ?? 0) > events.length }
}

const listAfter = statement<ListedEvent & { found: number }>(
  'list_events_after',
  `select id, body, found from (
     select id, recorded_order, body, count(*) over () as found,
       sum(octet_length(body)) over (order by recorded_order, id) - octet_length(body) as bytes_before
     from (
       select id, recorded_order, body from events
       where ${IS_LISTED} and ${IS_COMPLETE} and (recorded_order, id) > ($2::bigint, $3::uuid)
       order by recorded_order, id limit $4) page) measured
   where bytes_before < ${MAX_PAGE_BYTES} order by recorded_order, id`,
)
