import { type Db, type Sql, statement } from '../db.ts'
import type { EndpointStatus } from './claim.ts'

export type Change = {
  workspaceId: string
  endpointId: string
  from: EndpointStatus
  to: EndpointStatus
  /** Shown with the status. */
  reason: string | null
  now: Date
  /** What else belongs into the transaction of the change, if there is one. */
  alongside?: Alongside | undefined
}

export type Alongside = (tx: Sql) => Promise<void>

/** What the operator runs, in quotes, so that the endpoint gets new events again. */
export const commandToEnable = (status: Exclude<EndpointStatus, 'enabled'>, endpointId: string): string =>
  `"endpoint ${status === 'paused' ? 'resume' : 'enable'} ${endpointId}"`

/** Held in one statement: with a great backlog a single one would take longer than any may. */
export const HOLD_BATCH = 2_000

/** Changes the status and, unless it is enabled now, holds what waits. False when the endpoint does not have the status `from`. */
export async function changeStatus(db: Db, change: Change): Promise<boolean> {
  const { workspaceId, endpointId } = change
  const { changed, held } = await db.transaction(async (tx) => {
    const row = await tx.row(setStatus, [workspaceId, endpointId, change.from, change.to, change.reason, change.now])
    if (!row) return { changed: false, held: 0 }
    await change.alongside?.(tx)
    return { changed: true, held: await hold(tx, workspaceId, endpointId) }
  })
  let last = held
  while (last === HOLD_BATCH) last = await hold(db, workspaceId, endpointId)
  return changed
}

/** Enabling starts a new count of failures. */
const setStatus = statement<{ id: string }>(
  'set_endpoint_status',
  `update webhook_endpoints
   set status = $4, status_reason = $5, status_at = $6,
     failing_since = case when $4 = 'enabled' then null else failing_since end
   where workspace_id = $1 and id = $2 and status = $3
   returning id`,
)

/**
 * What waits for an endpoint that takes nothing at present, a batch of it. Returns how many. An attempt under way keeps
 * its lease and may still succeed; one whose result is being stored just now is held when it is due again.
 */
export const hold = async (sql: Sql, workspaceId: string, endpointId: string): Promise<number> =>
  (await sql.rows(holdPending, [workspaceId, endpointId, HOLD_BATCH])).length

const holdPending = statement<{ id: string }>(
  'hold_deliveries',
  `with pending as (
     select waiting.id
     from webhook_endpoints endpoint cross join lateral (
       select id from webhook_deliveries
       where workspace_id = $1 and endpoint_id = endpoint.id and due_at is not null
       order by due_at limit $3
       for update skip locked
     ) waiting
     where endpoint.workspace_id = $1 and endpoint.id = $2 and endpoint.status <> 'enabled'
   )
   update webhook_deliveries delivery set status = 'held', due_at = null
   from pending where delivery.id = pending.id and delivery.workspace_id = $1
   returning delivery.id`,
)
