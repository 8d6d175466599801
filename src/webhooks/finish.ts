import { DAY_MS, later } from '../clock.ts'
import { type Sql, batch, isBatchFault, statement } from '../db.ts'
import { type Grouped, grouped } from '../group.ts'
import type { Parts } from '../parts.ts'
import type { Carried } from './courier.ts'
import { changeStatus } from './endpoint-status.ts'
import { FAILING_DISABLES_AFTER_MS } from './schedule.ts'

/** So many ended attempts are stored in one statement. */
const MOST = 200
/** One statement at a time: what ends meanwhile makes the next one larger. */
const LANES = 1

export type Finish = Grouped<Carried, void>

/** Stores ended attempts, in batches: the attempt, what follows for its delivery, and how its endpoint fares. */
export const finisher = ({ db, clock }: Pick<Parts, 'db' | 'clock'>): Finish =>
  grouped(
    async (carried) => {
      const now = clock.now()
      const disable = ({ workspaceId, endpointId }: EndpointId, reason: string): Promise<boolean> =>
        changeStatus(db, { workspaceId, endpointId, from: 'enabled', to: 'disabled', reason, now })
      // Before its result is stored, so that nothing more is claimed in between.
      for (const { delivery, verdict } of carried) if (verdict.outcome === 'gone') await disable(delivery, GONE)
      for (const endpoint of await store(db, carried, now)) await disable(endpoint, FAILED_TOO_LONG)
      return carried.map(() => undefined)
    },
    { most: MOST, lanes: LANES, mayRunAlone: isBatchFault },
  )

type EndpointId = { workspaceId: string; endpointId: string }

const GONE = 'The receiver answered 410: it is gone for good.'
const FAILED_TOO_LONG = `For ${FAILING_DISABLES_AFTER_MS / DAY_MS} days there were nothing but failures.`

/** Returns the endpoints that have failed too long. */
function store(db: Sql, carried: readonly Carried[], now: Date): Promise<EndpointId[]> {
  const results = carried.map(asResult).sort((a, b) => (a.id < b.id ? -1 : 1)) // always locked in the same order
  return db.rows(storeResults, [batch(results), batch(fares(carried)), later(now, -FAILING_DISABLES_AFTER_MS)])
}

function asResult({ delivery, verdict, startedAt, endedAt, durationMs, httpStatus, error, response }: Carried) {
  const ended = verdict.outcome === 'succeeded' || verdict.outcome === 'failed'
  return {
    workspace_id: delivery.workspaceId,
    id: delivery.deliveryId,
    lease: delivery.lease,
    status: STATUS[verdict.outcome],
    step: verdict.outcome === 'retry' ? verdict.step : delivery.step,
    due_at: verdict.outcome === 'retry' ? verdict.dueAt : verdict.outcome === 'interrupted' ? endedAt : null,
    ended_at: ended ? endedAt : null,
    attempt: delivery.attempt,
    started_at: startedAt,
    duration_ms: durationMs,
    http_status: httpStatus,
    error,
    response,
  }
}

/** `gone`: what the endpoint did not take is held with everything else of it, to be sent again when it is enabled. */
const STATUS = {
  succeeded: 'succeeded',
  retry: 'pending',
  failed: 'failed',
  gone: 'held',
  interrupted: 'pending',
} as const satisfies Record<Carried['verdict']['outcome'], string>

type Fare = { workspace_id: string; endpoint_id: string; succeeded: boolean; failed_at: Date | null }

/** Per endpoint: whether anything succeeded, and the first failure after the last success. */
function fares(carried: readonly Carried[]): Fare[] {
  const all = new Map<string, Fare>()
  for (const { delivery, verdict, endedAt } of carried) {
    if (verdict.outcome === 'interrupted') continue
    const { workspaceId, endpointId } = delivery
    const fare = all.get(endpointId) ?? {
      workspace_id: workspaceId,
      endpoint_id: endpointId,
      succeeded: false,
      failed_at: null,
    }
    if (verdict.outcome === 'succeeded') all.set(endpointId, { ...fare, succeeded: true, failed_at: null })
    else all.set(endpointId, { ...fare, failed_at: fare.failed_at ?? endedAt })
  }
  return [...all.values()].sort((a, b) => (a.endpoint_id < b.endpoint_id ? -1 : 1))
}

/**
 * The lease fences: a delivery that was claimed again, or sent anew by hand, is left as it is, but the attempt was made
 * and is kept. A delivery that was held under way stays held, unless it succeeded. failing_since is written only when
 * it changes: most endpoints succeed all the time.
 */
const storeResults = statement<EndpointId>(
  'finish_deliveries',
  `with result as (
     select * from jsonb_to_recordset($1::jsonb) as r
       (workspace_id uuid, id uuid, lease uuid, status text, step smallint, due_at timestamptz, ended_at timestamptz,
        attempt integer, started_at timestamptz, duration_ms integer, http_status smallint, error text, response text)
   ),
   fare as (
     select * from jsonb_to_recordset($2::jsonb) as f
       (workspace_id uuid, endpoint_id uuid, succeeded boolean, failed_at timestamptz)
   ),
   attempted as (
     insert into webhook_attempts (workspace_id, delivery_id, attempt, started_at, duration_ms, http_status, error, response)
     select workspace_id, id, attempt, started_at, duration_ms, http_status, error, response from result
     on conflict do nothing
   ),
   fared as (
     update webhook_endpoints endpoint
     set failing_since = case when fare.succeeded then fare.failed_at else coalesce(failing_since, fare.failed_at) end
     from fare
     where endpoint.id = fare.endpoint_id and endpoint.workspace_id = fare.workspace_id
       and failing_since is distinct from
         case when fare.succeeded then fare.failed_at else coalesce(failing_since, fare.failed_at) end
   ),
   ended as (
     update webhook_deliveries delivery
     set status = case when delivery.status = 'held' and result.status = 'pending' then 'held' else result.status end,
       due_at = case when delivery.status = 'held' then null else result.due_at end,
       step = result.step, ended_at = result.ended_at, lease = null
     from result
     where delivery.id = result.id and delivery.workspace_id = result.workspace_id and delivery.lease = result.lease
   )
   select endpoint.workspace_id as "workspaceId", endpoint.id as "endpointId"
   from fare join webhook_endpoints endpoint
     on endpoint.id = fare.endpoint_id and endpoint.workspace_id = fare.workspace_id
   where not fare.succeeded and endpoint.failing_since <= $3 and endpoint.status = 'enabled'`,
)
