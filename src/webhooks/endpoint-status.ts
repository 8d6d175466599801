import { type Db, type Sql, statement } from '../db.ts'
import type { EndpointStatus } from './claim.ts'

export type Ending = { workspaceId: string; endpointId: string; now: Date; reason: string }

/** Ends deliveries to an endpoint that is gone or has failed too long. What waits is held. */
export const disable = (db: Db, { workspaceId, endpointId, now, reason }: Ending): Promise<void> =>
  db.transaction(async (tx) => {
    const changed = await tx.row(setStatus, [workspaceId, endpointId, 'disabled', reason, now, ['enabled']])
    if (changed) await hold(tx, workspaceId, endpointId)
  })

/** Undefined when the endpoint does not exist or has none of the statuses that may change. */
export async function changeStatus(
  tx: Sql,
  { workspaceId, endpointId, now, from, to }: Omit<Ending, 'reason'> & { from: EndpointStatus; to: EndpointStatus },
): Promise<boolean> {
  const changed = await tx.row(setStatus, [workspaceId, endpointId, to, null, now, [from]])
  if (changed && to !== 'enabled') await hold(tx, workspaceId, endpointId)
  return changed !== undefined
}

/** Enabling starts a new count of failures. */
const setStatus = statement<{ id: string }>(
  'set_endpoint_status',
  `update webhook_endpoints
   set status = $3, status_reason = $4, status_at = $5,
     failing_since = case when $3 = 'enabled' then null else failing_since end
   where workspace_id = $1 and id = $2 and status = any ($6)
   returning id`,
)

/** What waits for an endpoint that takes nothing at present. An attempt under way keeps its lease and may still succeed. */
export const hold = async (tx: Sql, workspaceId: string, endpointId: string): Promise<void> => {
  await tx.rows(holdPending, [workspaceId, endpointId])
}

const holdPending = statement(
  'hold_deliveries',
  `with pending as (
     select id from webhook_deliveries
     where workspace_id = $1 and endpoint_id = $2 and due_at is not null
     order by id
     for update
   )
   update webhook_deliveries delivery set status = 'held', due_at = null
   from pending where delivery.id = pending.id and delivery.workspace_id = $1`,
)
