import { type Sql, statement } from '../../lib/db/pool.ts'
import type { EndpointId } from '../endpoints.ts'

/** The newest deliveries, which decide the health of an endpoint. */
const MAX_RECENT = 1_000
/** The last success is not searched for further back than this. */
const MAX_SEARCHED = 10_000
/** Counts stop here: a list says "more than" above it. */
export const MAX_COUNTED = 10_000

export type EndpointHealth = {
  endpointId: string
  /** Deliveries that wait for an attempt; MAX_COUNTED + 1 when there are more. */
  waiting: number
  held: number
  failed: number
  /** How many of its newest MAX_RECENT deliveries were attempted at least once, and how many of these succeeded. */
  attempted: number
  arrived: number
  /** Null: none of its newest MAX_SEARCHED deliveries succeeded. */
  lastSuccessAt: Date | null
}

/** Every endpoint of the workspace. Reads many rows: use the connections for figures. */
export const listEndpointHealth = (figures: Sql, workspaceId: string): Promise<EndpointHealth[]> =>
  figures.rows(selectHealth, [workspaceId, null])

/** Finds deleted endpoints, too. */
export const findEndpointHealth = (figures: Sql, { workspaceId, endpointId }: EndpointId) =>
  figures.row(selectHealth, [workspaceId, endpointId])

const counted = (condition: string): string =>
  `(select count(*) from (select from webhook_deliveries
    where workspace_id = $1 and endpoint_id = endpoint.id and ${condition} limit ${MAX_COUNTED + 1}) counted)`

const selectHealth = statement<EndpointHealth>(
  'list_endpoint_health',
  `select endpoint.id as "endpointId", ${counted('due_at is not null')} as waiting,
     ${counted(`status = 'held'`)} as held, ${counted(`status = 'failed'`)} as failed,
     recent.attempted, recent.arrived,
     coalesce(recent.last_success_at, (
       select ended_at from (
         select status, ended_at from webhook_deliveries where workspace_id = $1 and endpoint_id = endpoint.id
         order by id desc limit ${MAX_SEARCHED}
       ) searched where status = 'succeeded' limit 1
     )) as "lastSuccessAt"
   from webhook_endpoints endpoint cross join lateral (
     select count(*) filter (where attempts > 0) as attempted, count(*) filter (where status = 'succeeded') as arrived,
       max(ended_at) filter (where status = 'succeeded') as last_success_at
     from (
       select status, attempts, ended_at from webhook_deliveries
       where workspace_id = $1 and endpoint_id = endpoint.id order by id desc limit ${MAX_RECENT}
     ) newest
   ) recent
   where endpoint.workspace_id = $1 and case when $2::uuid is null then endpoint.deleted_at is null else endpoint.id = $2 end`,
)
