import { DAY_MS, later } from '../clock.ts'
import { type Sql, changes, isBatchFault, statement } from '../db.ts'
import { type Grouped, grouped } from '../group.ts'
import type { Parts } from '../parts.ts'
import { keptSentences } from '../sentences.ts'
import type { Carried } from './courier.ts'
import { changeStatus } from './endpoint-status.ts'
import { FAILING_DISABLES_AFTER_MS } from './schedule.ts'

/** So many ended attempts are stored in one statement. */
const MOST = 200
/** One statement at a time: what ends meanwhile makes the next one larger. */
const LANES = 1

export type Finish = Grouped<Carried, void>

/** Stores ended attempts, in batches: the attempt, what follows for its delivery, and how its endpoint fares. */
export const finisher = ({ db, clock, live }: Pick<Parts, 'db' | 'clock' | 'live'>): Finish =>
  grouped(
    async (carried) => {
      const now = clock.now()
      const disable = ({ workspaceId, endpointId }: EndpointId, reason: string): Promise<boolean> =>
        changeStatus(db, { workspaceId, endpointId, from: 'enabled', to: 'disabled', reason, now })
      // Before its result is stored, so that nothing more is claimed in between.
      for (const { delivery, verdict } of carried)
        if (verdict.outcome === 'gone') await disable(delivery, reasons.gone.en)
      for (const endpoint of await store(db, carried, now)) await disable(endpoint, FAILED_TOO_LONG.en)
      live.changed(carried.map(({ delivery }) => delivery.workspaceId))
      return carried.map(() => undefined)
    },
    { most: MOST, lanes: LANES, mayRunAlone: isBatchFault },
  )

type EndpointId = { workspaceId: string; endpointId: string }

/** Why an endpoint was disabled, kept with its status. */
const reasons = keptSentences({
  gone: { en: 'The receiver answered 410: it is gone for good.', ar: 'أجاب المستقبِل بالرمز 410: لقد زال نهائيًا.' },
  failedTooLong: {
    en: 'For {days} days there were nothing but failures.',
    ar: 'لم يكن سوى الإخفاقات طوال أيام عددها {days}.',
  },
})
const FAILED_TOO_LONG = reasons.failedTooLong({ days: FAILING_DISABLES_AFTER_MS / DAY_MS })

/** Returns the endpoints that have failed too long. */
function store(db: Sql, carried: readonly Carried[], now: Date): Promise<EndpointId[]> {
  const results = carried.map(asResult)
  return db.rows(storeResults, [changes(results), changes(fares(carried)), later(now, -FAILING_DISABLES_AFTER_MS)])
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

type Fare = { id: string; succeeded: boolean; failed_at: Date | null }

/** Per endpoint: whether anything succeeded, and the first failure after the last success. */
function fares(carried: readonly Carried[]): Fare[] {
  const all = new Map<string, Fare>()
  for (const { delivery, verdict, endedAt } of carried) {
    if (verdict.outcome === 'interrupted') continue
    const { endpointId } = delivery
    const fare = all.get(endpointId) ?? { id: endpointId, succeeded: false, failed_at: null }
    if (verdict.outcome === 'succeeded') all.set(endpointId, { ...fare, succeeded: true, failed_at: null })
    else all.set(endpointId, { ...fare, failed_at: fare.failed_at ?? endedAt })
  }
  return [...all.values()]
}

/**
 * The lease fences: a delivery that was claimed again, or sent anew by hand, is left as it is, but the attempt was made
 * and is kept. A delivery that was held under way stays held, unless it succeeded. failing_since is written only when
 * it changes: most endpoints succeed all the time.
 */
const storeResults = statement<EndpointId>(
  'finish_deliveries',
  `with attempted as (
     insert into webhook_attempts (workspace_id, delivery_id, attempt, started_at, duration_ms, http_status, error, response)
     select r.workspace_id, r.id, r.attempt, r.started_at, r.duration_ms, r.http_status, r.error, r.response
     from jsonb_each($1::jsonb) as result
     cross join lateral jsonb_to_record(result.value) as r (workspace_id uuid, id uuid, attempt integer,
       started_at timestamptz, duration_ms integer, http_status smallint, error text, response text)
     on conflict do nothing
   ),
   fared as (
     update webhook_endpoints endpoint
     set failing_since = (
       select case when fare.succeeded then fare.failed_at else coalesce(endpoint.failing_since, fare.failed_at) end
       from jsonb_to_record($2::jsonb -> endpoint.id::text) as fare (succeeded boolean, failed_at timestamptz))
     where endpoint.id = any (array (select jsonb_object_keys($2::jsonb)::uuid))
       and endpoint.failing_since is distinct from (
         select case when fare.succeeded then fare.failed_at else coalesce(endpoint.failing_since, fare.failed_at) end
         from jsonb_to_record($2::jsonb -> endpoint.id::text) as fare (succeeded boolean, failed_at timestamptz))
   ),
   ended as (
     update webhook_deliveries delivery
     set (status, due_at, step, ended_at, lease) = (
       select case when delivery.status = 'held' and r.status = 'pending' then 'held' else r.status end,
              case when delivery.status = 'held' then null else r.due_at end,
              r.step, r.ended_at, null::uuid
       from jsonb_to_record($1::jsonb -> delivery.id::text) as r
         (status text, step smallint, due_at timestamptz, ended_at timestamptz))
     where delivery.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))
       and delivery.lease = ($1::jsonb -> delivery.id::text ->> 'lease')::uuid
   )
   select endpoint.workspace_id as "workspaceId", endpoint.id as "endpointId"
   from jsonb_each($2::jsonb) as fare
   cross join lateral (select * from webhook_endpoints where id = fare.key::uuid limit 1) endpoint
   where not (fare.value ->> 'succeeded')::boolean and endpoint.failing_since <= $3 and endpoint.status = 'enabled'`,
)
