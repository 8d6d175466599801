import type { Clock } from '../lib/clock.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import type { Parts } from '../runtime/parts.ts'
import { rejectUnlessEnabled } from './endpoint-status.ts'
import { type EndpointId, getEndpoint } from './endpoints.ts'

/** In one statement, so that its locks are short. */
const MAX_BATCH = 2_000

/** The first step of a retry: `endAllPauses` of an enabled endpoint. */
export async function endPauses(parts: Pick<Parts, 'db' | 'clock'>, id: EndpointId): Promise<number> {
  rejectUnlessEnabled(await getEndpoint(parts.db, id), 'webhooks.not_retried')
  return endAllPauses(parts, id)
}

/**
 * Ends the pauses that earlier attempts, brought forward and failed, imposed on the deliveries that wait for the endpoint.
 * Batches commit one by one. Returns how many wait.
 */
export async function endAllPauses({ db, clock }: Pick<Parts, 'db' | 'clock'>, id: EndpointId): Promise<number> {
  const { workspaceId, endpointId } = id
  const now = clock.now()
  // In transactions, since after a long outage each statement may take longer than a single one may.
  const waiting = await db.transaction((tx) => countWaiting(tx, id, now))
  for (const end of [endPausesOfAttempted, endPausesOfOthers])
    for (let left = waiting; left > 0; left -= MAX_BATCH) {
      const ended = await db.transaction((tx) => tx.rows(end, [workspaceId, endpointId, now, MAX_BATCH]))
      if (ended.length < MAX_BATCH) break
    }
  return waiting
}

/**
 * The second step: begins a release (delivery/release.ts) of everything that waits, as if the endpoint had just succeeded. It
 * overrides Retry-After and costs no step of the schedule: while the endpoint still fails, the release ends after a few
 * attempts. False: the endpoint was not enabled, but now is.
 */
export async function beginRetry(tx: Sql, clock: Clock, id: EndpointId): Promise<boolean> {
  if (await tx.row(beginRelease, [id.workspaceId, id.endpointId, clock.now()])) return true
  rejectUnlessEnabled(await getEndpoint(tx, id), 'webhooks.not_retried')
  return false
}

/** Deliveries whose next attempt is later than `now`. */
export async function countWaiting(sql: Sql, { workspaceId, endpointId }: EndpointId, now: Date): Promise<number> {
  return (await sql.row(selectWaiting, [workspaceId, endpointId, now]))?.waiting ?? 0
}

/** What was recorded while the clock was ahead has no `early_at` before its first attempt, or one that is ahead too. */
const WAITING = `workspace_id = $1 and endpoint_id = $2 and lease is null and due_at > $3`

const selectWaiting = statement<{ waiting: number }>(
  'count_waiting_deliveries',
  `select count(*) as waiting from webhook_deliveries where ${WAITING}`,
)

/** SQL: a release takes the oldest first, by early_at. */
const endPausesOf = (condition: string, order: string): string =>
  `with paused as (
     select id from webhook_deliveries where ${WAITING} and ${condition}
     order by ${order} limit $4
     for no key update skip locked
   )
   update webhook_deliveries set early_at = least(created_at, $3), early_attempts = 0
   where workspace_id = $1 and id = any (array (select id from paused))
   returning id`

const endPausesOfAttempted = statement<{ id: string }>(
  'end_pauses_of_deliveries',
  endPausesOf('early_at > $3', 'early_at'),
)

const endPausesOfOthers = statement<{ id: string }>(
  'end_pauses_of_unattempted_deliveries',
  endPausesOf('early_at is null', 'due_at'),
)

const beginRelease = statement<{ id: string }>(
  'begin_release_of_endpoint',
  `update webhook_endpoints set release_at = $3, release_failures = 0
   where workspace_id = $1 and id = $2 and status = 'enabled' and deleted_at is null
   returning id`,
)
