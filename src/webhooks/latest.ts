import { type Sql, statement } from '../db.ts'
import type { EventType } from '../events/event-types.ts'
import type { DeliveryStatus } from './deliver-now.ts'

/** What leaves to the endpoints of a workspace, as one list over all of them. */
export type LatestDelivery = {
  deliveryId: string
  endpointId: string
  url: string
  type: EventType
  status: DeliveryStatus
  /** An attempt is being made right now. */
  underWay: boolean
  attempts: number
  createdAt: Date
  lastAttemptAt: Date | null
  durationMs: number | null
  httpStatus: number | null
  error: string | null
}

export const LATEST_MOST = 40
const ENDPOINTS_MOST = 50

const selectLatest = statement<LatestDelivery>(
  'list_latest_deliveries',
  `select d.id as "deliveryId", d.endpoint_id as "endpointId", d.url, event.type, d.status,
          d.lease is not null as "underWay", d.attempts,
          d.created_at as "createdAt", attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
          attempt.http_status as "httpStatus", attempt.error
   from (
     select d.*, e.url
     from (select id, url from webhook_endpoints where workspace_id = $1 order by id limit ${ENDPOINTS_MOST}) e
     cross join lateral (
       select * from webhook_deliveries d where d.workspace_id = $1 and d.endpoint_id = e.id
       order by d.id desc limit ${LATEST_MOST}
     ) d
     order by d.id desc limit ${LATEST_MOST}
   ) d
   cross join lateral (select type from events where workspace_id = $1 and id = d.event_id offset 0) event
   left join lateral (
     select * from webhook_attempts where delivery_id = d.id order by attempt desc limit 1
   ) attempt on true
   order by d.id desc`,
)

/** The newest first. */
export const listLatestDeliveries = (sql: Sql, workspaceId: string): Promise<LatestDelivery[]> =>
  sql.rows(selectLatest, [workspaceId])
