import type { CodedText } from '../../../locales/text.ts'
import { DAY_MS, later, notBefore } from '../../lib/clock.ts'
import { type Sql, changes, statement } from '../../lib/db/pool.ts'
import type { Batcher } from '../../lib/db/batcher.ts'
import { createFairBatcher } from '../../lib/db/fair-batcher.ts'
import type { Parts } from '../../runtime/parts.ts'
import type { AttemptResult } from './attempt.ts'
import { changeStatus, holdBacklog } from '../endpoint-status.ts'
import type { EndpointId } from '../endpoints.ts'
import { lockSettings } from '../update.ts'
import { MAX_RELEASE_FAILURES } from './release.ts'
import { FAILING_DISABLES_AFTER_MS } from './schedule.ts'

/** Attempts that are stored in one statement. */
const MAX_BATCH = 200
/** One statement at a time: attempts that end meanwhile make the next one larger. */
const CONCURRENCY = 1
/** An attempt counts against its endpoint's limit until its result is stored. */
const INTERVAL_MS = 20
/**
 * For a success at an endpoint far from its limit. Kept short because after a crash a delivery without a stored result is repeated.
 */
const SUCCESS_INTERVAL_MS = 50

type FinisherOptions = {
  /** See createConcurrency. */
  isNearLimit?: (endpointId: string) => boolean
  /** Holds what is left of a disabled endpoint's backlog. It may take minutes: a loop does not wait for it. */
  hold?: (endpoint: EndpointId) => Promise<void> | void
}

/**
 * Stores ended attempts in batches: the attempt, the delivery's next state and the endpoint's health. A row that another
 * session has locked delays only the results of its own endpoint.
 */
export const createFinisher = (
  { db, clock, live }: Pick<Parts, 'db' | 'clock' | 'live'>,
  { isNearLimit = () => true, hold = (endpoint) => holdBacklog(db, endpoint) }: FinisherOptions = {},
): Batcher<AttemptResult, void> =>
  createFairBatcher(
    async (results) => {
      const now = clock.now()
      const disable = async ({ workspaceId, endpointId, url }: Attempted, reason: CodedText) => {
        const outcome = await db.transaction(async (tx) => {
          const settings = await tx.row(lockSettings, [workspaceId, endpointId])
          if (settings && settings.url !== url) return 'moved'
          const change = { workspaceId, endpointId, from: 'enabled', to: 'disabled', reason, now } as const
          return (await changeStatus(tx, change)) ? 'disabled' : 'unchanged'
        })
        if (outcome === 'disabled') await hold({ workspaceId, endpointId })
        return outcome
      }
      const settled: AttemptResult[] = []
      // This must come before the result is stored, so that nothing more is claimed in between.
      for (const result of await withPresentUrls(db, results)) {
        const isGone = result.decision.outcome === 'gone'
        const isMoved = isGone && (await disable({ ...result.delivery, url: result.url }, ENDPOINT_GONE)) === 'moved'
        settled.push(isMoved ? againAtNewUrl(result) : result)
      }
      const groups = withEachDeliveryOnce(settled)
      // The endpoints' health follows from all results in their order, and is stored with the last group.
      for (const group of groups)
        for (const endpoint of await store(db, group, { health: group === groups.at(-1) ? settled : [], now }))
          await disable(endpoint, FAILED_TOO_LONG)
      live.changed(results.map(({ delivery }) => delivery.workspaceId))
    },
    {
      maxItems: MAX_BATCH,
      concurrency: CONCURRENCY,
      intervalMs: ({ decision, delivery: { endpointId } }) =>
        decision.outcome === 'succeeded' && !isNearLimit(endpointId) ? SUCCESS_INTERVAL_MS : INTERVAL_MS,
      ownerOf: ({ delivery }) => delivery.endpointId,
    },
  )

/** An endpoint, and the URL at which an attempt was made. */
type Attempted = EndpointId & { url: string }

const againAtNewUrl = (result: AttemptResult): AttemptResult => ({ ...result, decision: { outcome: 'interrupted' } })

/** What failed at a URL that was changed meanwhile is due at the new one. */
async function withPresentUrls(db: Sql, results: readonly AttemptResult[]): Promise<readonly AttemptResult[]> {
  const failed = results.filter(({ decision: { outcome } }) => outcome !== 'succeeded' && outcome !== 'interrupted')
  if (failed.length === 0) return results
  const [workspaceIds, ids] = [
    failed.map(({ delivery }) => delivery.workspaceId),
    failed.map(({ delivery }) => delivery.endpointId),
  ]
  const present = new Map((await db.rows(selectUrls, [workspaceIds, ids])).map(({ id, url }) => [id, url]))
  const moved = new Set(failed.filter(({ delivery, url }) => (present.get(delivery.endpointId) ?? url) !== url))
  return results.map((result) => (moved.has(result) ? againAtNewUrl(result) : result))
}

const selectUrls = statement<{ id: string; url: string }>(
  'select_urls_of_endpoints',
  `select distinct endpoint.id, endpoint.url from unnest($1::uuid[], $2::uuid[]) as r (workspace_id, id)
   cross join lateral (
     select id, url from webhook_endpoints where workspace_id = r.workspace_id and id = r.id limit 1) endpoint`,
)

/** Groups for one statement each. A delivery that is sent again during an attempt has a second attempt, and both may end together. */
function withEachDeliveryOnce(results: readonly AttemptResult[]): AttemptResult[][] {
  const ofDeliveries = [...Map.groupBy(results, ({ delivery }) => delivery.deliveryId).values()]
  const mostAttempts = Math.max(0, ...ofDeliveries.map(({ length }) => length))
  return Array.from({ length: mostAttempts }, (_, index) => ofDeliveries.flatMap((attempts) => attempts[index] ?? []))
}

const ENDPOINT_GONE: CodedText = { code: 'webhooks.endpoint_gone' }

const FAILED_TOO_LONG: CodedText = {
  code: 'webhooks.endpoint_failed_too_long',
  days: FAILING_DISABLES_AFTER_MS / DAY_MS,
}

/** Returns the endpoints that have failed too long. `health`: the results that change it. */
function store(
  db: Sql,
  results: readonly AttemptResult[],
  { health, now }: { health: readonly AttemptResult[]; now: Date },
): Promise<Attempted[]> {
  return db.rows(storeResults, [
    changes(results.map((result) => resultRow(result, now))),
    changes(endpointResults(health)),
    later(now, -FAILING_DISABLES_AFTER_MS),
    now,
    MAX_RELEASE_FAILURES,
  ])
}

function resultRow(result: AttemptResult, now: Date) {
  const { delivery, decision, startedAt, endedAt, durationMs, httpStatus, error, response } = result
  const retry = decision.outcome === 'retry' ? decision : undefined
  const interrupted = decision.outcome === 'interrupted'
  const dueAt = interrupted ? endedAt : retry?.dueAt
  return {
    workspace_id: delivery.workspaceId,
    id: delivery.deliveryId,
    lease: delivery.lease,
    status: STATUS[decision.outcome],
    step: retry?.step ?? delivery.step,
    // never in the past, as for messages (messages/queue/finish.ts)
    due_at: dueAt && notBefore(now, dueAt),
    ended_at: decision.outcome === 'succeeded' || decision.outcome === 'failed' ? endedAt : null,
    waits: retry !== undefined,
    scheduled_at: interrupted ? delivery.scheduledAt : null, // it is made again as it was
    early_at: retry?.earlyAt,
    early_attempts: retry?.earlyAttempts ?? delivery.earlyAttempts,
    attempt: delivery.attempt,
    started_at: startedAt,
    duration_ms: durationMs,
    http_status: httpStatus,
    error,
    response,
  }
}

/** `gone`: held like everything else of its endpoint, until it is sent again. */
const STATUS = {
  succeeded: 'succeeded',
  retry: 'pending',
  failed: 'failed',
  gone: 'held',
  interrupted: 'pending',
} as const satisfies Record<AttemptResult['decision']['outcome'], string>

type EndpointResult = {
  id: string
  /** Failures of another URL say nothing about this one. */
  url: string
  succeeded: boolean
  /**
   * The count of days with only failures starts again after a success, and while Doorcode cannot read the endpoint's
   * secret.
   */
  restarted: boolean
  /** A success after a failure. */
  recovered: boolean
  failed_at: Date | null
  /** Failures after the last success, not counting answers with a Retry-After. */
  failures: number
  /** The time from a Retry-After header. */
  retry_after_until: Date | null
}

function endpointResults(results: readonly AttemptResult[]): EndpointResult[] {
  const byEndpoint = new Map<string, EndpointResult>()
  for (const { delivery, url, decision, endedAt, error } of results) {
    if (decision.outcome === 'interrupted') continue
    const id = delivery.endpointId
    const earlier = byEndpoint.get(id)
    const result = earlier?.url === url ? earlier : { id, url, ...NO_RESULTS }
    byEndpoint.set(id, result)
    if (decision.outcome === 'succeeded') {
      result.recovered ||= result.failed_at !== null
      Object.assign(result, { succeeded: true, restarted: true, failed_at: null, failures: 0 })
      continue
    }
    const retryAfterUntil = decision.outcome === 'retry' ? decision.retryAfterUntil : null
    // The endpoint still counts as failing: its first success brings forward what waits.
    if (error?.code === 'webhooks.secret_lost') Object.assign(result, { restarted: true, failed_at: endedAt })
    else result.failed_at ??= endedAt
    if (!retryAfterUntil) result.failures += 1
    else if (!result.retry_after_until || retryAfterUntil > result.retry_after_until)
      result.retry_after_until = retryAfterUntil
  }
  return [...byEndpoint.values()]
}

const NO_RESULTS = {
  succeeded: false,
  restarted: false,
  recovered: false,
  failed_at: null,
  failures: 0,
  retry_after_until: null,
}

/** The first success after failures begins a release; Retry-After delays its next step; consecutive failures end it. */
const NEXT_HEALTH = `
  select failing_since,
    case when failures < $5 then release_at end as release_at,
    case when failures < $5 and release_at is not null then failures else 0 end as release_failures
  from (
    select case when result.restarted then result.failed_at else coalesce(endpoint.failing_since, result.failed_at) end
        as failing_since,
      case when begun.release_at is not null then greatest(begun.release_at, result.retry_after_until) end as release_at,
      case when result.succeeded then 0 else endpoint.release_failures end + result.failures as failures
    from jsonb_to_record($2::jsonb -> endpoint.id::text) as result
        (succeeded boolean, restarted boolean, recovered boolean, failed_at timestamptz, failures integer,
         retry_after_until timestamptz),
      lateral (
        select case when result.recovered or (result.succeeded and endpoint.failing_since is not null)
          then coalesce(endpoint.release_at, $4) else endpoint.release_at end as release_at
      ) begun
  ) health`

/**
 * The lease is a fence: a delivery that was claimed or sent again keeps its state, but the attempt was made and is stored, without the
 * response: the recipient may have been erased. A delivery may be gone by now: removed with its workspace, by emptying its sandbox or, if it
 * was held, by retention. Then its attempt is not stored. A delivery that was held while in flight stays held, unless it succeeded. The endpoint
 * is written only when something changes: most endpoints succeed all the time.
 */
const storeResults = statement<Attempted>(
  'finish_deliveries',
  `with health as (
     update webhook_endpoints endpoint
     set (failing_since, release_at, release_failures) = (${NEXT_HEALTH})
     where endpoint.id = any (array (select jsonb_object_keys($2::jsonb)::uuid))
       and endpoint.url = $2::jsonb -> endpoint.id::text ->> 'url'
       and exists (
         select from (${NEXT_HEALTH}) next
         where (next.failing_since, next.release_at, next.release_failures)
           is distinct from (endpoint.failing_since, endpoint.release_at, endpoint.release_failures::integer))
   ),
   ended as (
     update webhook_deliveries delivery
     set (status, due_at, step, ended_at, lease, scheduled_at, early_at, early_attempts) = (
       select case when delivery.status = 'held' and r.status = 'pending' then 'held' else r.status end,
              case when delivery.status = 'held' then null else r.due_at end,
              r.step, r.ended_at, null::uuid, r.scheduled_at,
              case when r.waits and delivery.status <> 'held' then coalesce(r.early_at, delivery.created_at) end,
              r.early_attempts
       from jsonb_to_record($1::jsonb -> delivery.id::text) as r
         (status text, step smallint, due_at timestamptz, ended_at timestamptz, waits boolean,
          scheduled_at timestamptz, early_at timestamptz, early_attempts smallint))
     where delivery.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))
       and delivery.lease = ($1::jsonb -> delivery.id::text ->> 'lease')::uuid
     returning delivery.id
   ),
   attempted as (
     insert into webhook_attempts (workspace_id, delivery_id, attempt, started_at, duration_ms, http_status, error, response)
     select r.workspace_id, r.id, r.attempt, r.started_at, r.duration_ms, r.http_status, r.error,
       case when r.id = any (array (select id from ended)) then r.response end
     from jsonb_each($1::jsonb) as result
     cross join lateral jsonb_to_record(result.value) as r (workspace_id uuid, id uuid, attempt integer,
       started_at timestamptz, duration_ms integer, http_status smallint, error jsonb, response text)
     where (select 1 from webhook_deliveries delivery where delivery.id = r.id limit 1) is not null
     on conflict do nothing
   )
   select endpoint.workspace_id as "workspaceId", endpoint.id as "endpointId", result.value ->> 'url' as url
   from jsonb_each($2::jsonb) as result
   cross join lateral (select * from webhook_endpoints where id = result.key::uuid limit 1) endpoint
   where not (result.value ->> 'restarted')::boolean and endpoint.failing_since <= $3 and endpoint.status = 'enabled'`,
)
