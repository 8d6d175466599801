import { type Sql, statement } from '../db/pool.ts'
import type { Parts } from '../parts.ts'
import { rejectUnlessEnabled } from './endpoint-status.ts'
import { type EndpointId, getEndpoint } from './endpoints.ts'

/** In one statement, so that its locks are short. */
const MAX_BATCH = 2_000

/**
 * Begins a release (delivery/release.ts) of everything that waits for the endpoint, as if it had just succeeded. It overrides
 * Retry-After and the pauses of attempts that were brought forward before, and it costs no step of the schedule: while the
 * endpoint still fails, the release ends after a few attempts. `alongside` runs in the transaction that begins it.
 * Returns how many wait.
 */
export async function retryWaiting(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  id: EndpointId,
  alongside?: (tx: Sql, waiting: number) => Promise<void>,
): Promise<number> {
  const { workspaceId, endpointId } = id
  const now = clock.now()
  rejectUnlessEnabled(await getEndpoint(db, id), 'webhooks.not_retried')
  const waiting = await countWaiting(db, id, now)
  if (waiting === 0) return 0
  for (let left = waiting; left > 0; left -= MAX_BATCH) {
    const ready = await db.rows(endPauses, [workspaceId, endpointId, now, MAX_BATCH])
    if (ready.length < MAX_BATCH) break
  }
  await db.transaction(async (tx) => {
    const begun = await tx.row(beginRelease, [workspaceId, endpointId, now])
    if (!begun) return rejectUnlessEnabled(await getEndpoint(tx, id), 'webhooks.not_retried')
    await alongside?.(tx, waiting)
  })
  return waiting
}

/** Deliveries whose next attempt is later than `now`. */
export async function countWaiting(sql: Sql, { workspaceId, endpointId }: EndpointId, now: Date): Promise<number> {
  return (await sql.row(selectWaiting, [workspaceId, endpointId, now]))?.waiting ?? 0
}

/** The same deliveries that the release chooses. */
const WAITING = `workspace_id = $1 and endpoint_id = $2 and early_at is not null and lease is null and due_at > $3`

const selectWaiting = statement<{ waiting: number }>(
  'count_waiting_deliveries',
  `select count(*) as waiting from webhook_deliveries where ${WAITING}`,
)

/** A release takes the oldest first, by early_at. */
const endPauses = statement<{ id: string }>(
  'end_pauses_of_deliveries',
  `with paused as (
     select id from webhook_deliveries where ${WAITING} and early_at > $3
     order by early_at limit $4
     for no key update skip locked
   )
   update webhook_deliveries delivery set early_at = delivery.created_at, early_attempts = 0
   from paused where delivery.workspace_id = $1 and delivery.endpoint_id = $2 and delivery.id = paused.id
   returning delivery.id`,
)

const beginRelease = statement<{ id: string }>(
  'begin_release_of_endpoint',
  `update webhook_endpoints set release_at = $3, release_failures = 0
   where workspace_id = $1 and id = $2 and status = 'enabled' and deleted_at is null
   returning id`,
)
