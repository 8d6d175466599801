import { type Sql, statement } from '../db.ts'

/** The newest deliveries by which an endpoint is judged. */
export const LATELY = 1_000
/** Further back than this nobody looks for the last success. */
const LOOKED_BACK_MOST = 10_000
/** What waits or is held is counted up to here: a list says "more than" above it. */
export const COUNTED_MOST = 10_000

/** How an endpoint fares. */
export type Standing = {
  endpointId: string
  /** Deliveries that wait for an attempt, COUNTED_MOST + 1 when there are more. */
  waiting: number
  held: number
  failed: number
  /** Of its last LATELY deliveries: how many were attempted at least once, and how many of these arrived. */
  attempted: number
  arrived: number
  /** Null: none of its last LOOKED_BACK_MOST deliveries arrived. */
  lastSuccessAt: Date | null
}

/** Of every endpoint of the workspace. Reads many rows: for the connections of figures. */
export const listStandings = (figures: Sql, workspaceId: string): Promise<Standing[]> =>
  figures.rows(selectStandings, [workspaceId, null])

export const findStanding = (
  figures: Sql,
  { workspaceId, endpointId }: { workspaceId: string; endpointId: string },
): Promise<Standing | undefined> => figures.row(selectStandings, [workspaceId, endpointId])

const counted = (condition: string): string =>
  `(select count(*) from (select from webhook_deliveries
    where workspace_id = $1 and endpoint_id = endpoint.id and ${condition} limit ${COUNTED_MOST + 1}) counted)`

const selectStandings = statement<Standing>(
  'list_endpoint_standings',
  `select endpoint.id as "endpointId", ${counted('due_at is not null')} as waiting,
     ${counted(`status = 'held'`)} as held, ${counted(`status = 'failed'`)} as failed,
     lately.attempted, lately.arrived,
     coalesce(lately.last_success_at, (
       select ended_at from (
         select status, ended_at from webhook_deliveries where workspace_id = $1 and endpoint_id = endpoint.id
         order by id desc limit ${LOOKED_BACK_MOST}
       ) back where status = 'succeeded' limit 1
     )) as "lastSuccessAt"
   from webhook_endpoints endpoint cross join lateral (
     select count(*) filter (where attempts > 0) as attempted, count(*) filter (where status = 'succeeded') as arrived,
       max(ended_at) filter (where status = 'succeeded') as last_success_at
     from (
       select status, attempts, ended_at from webhook_deliveries
       where workspace_id = $1 and endpoint_id = endpoint.id order by id desc limit ${LATELY}
     ) newest
   ) lately
   where endpoint.workspace_id = $1 and endpoint.id = coalesce($2, endpoint.id)`,
)
