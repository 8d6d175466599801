import { type CodedText, commandText, plainText } from '../../locales/text.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import { UserError } from '../lib/errors.ts'
import type { EndpointStatus } from './delivery/claim.ts'

type Change = { workspaceId: string; endpointId: string; now: Date }

type StatusChange = Change & {
  from: EndpointStatus
  to: EndpointStatus
  reason: CodedText | null
}

export const statusText = (status: EndpointStatus | 'deleted'): CodedText => plainText(`webhooks.status_${status}`)

/** The command that an operator must run. */
export const commandToEnable = (status: Exclude<EndpointStatus, 'enabled'>, endpointId: string): CodedText =>
  commandText(`endpoint ${status === 'paused' ? 'resume' : 'enable'} ${endpointId}`)

/** `code` says what an endpoint in another status cannot do. */
export function rejectUnlessEnabled(
  { status, endpointId }: { status: EndpointStatus; endpointId: string },
  code: 'webhooks.not_enabled' | 'webhooks.not_pinged' | 'webhooks.not_retried',
): void {
  if (status === 'enabled') return
  throw new UserError({ code, status: statusText(status), command: commandToEnable(status, endpointId) })
}

/** With a large backlog, one statement for all would exceed the statement timeout. */
export const MAX_HELD_PER_BATCH = 2_000

/**
 * Changes the status and, unless the new one is `enabled`, holds the first batch of what waits. After the commit the caller
 * holds the rest with `holdBacklog`. False: the status was not `from`.
 */
export async function changeStatus(
  tx: Sql,
  { workspaceId, endpointId, from, to, reason, now }: StatusChange,
): Promise<boolean> {
  if (!(await tx.row(setStatus, [workspaceId, endpointId, from, to, reason, now]))) return false
  await holdDeliveries(tx, workspaceId, endpointId)
  return true
}

/** Like changeStatus. False: there is no such endpoint, or it was deleted before. */
export async function markDeleted(tx: Sql, { workspaceId, endpointId, now }: Change): Promise<boolean> {
  if (!(await tx.row(setDeleted, [workspaceId, endpointId, now, DELETED]))) return false
  await holdDeliveries(tx, workspaceId, endpointId)
  return true
}

const DELETED: CodedText = plainText('webhooks.endpoint_deleted')

/**
 * Holds everything that waits for an endpoint that is not enabled. Batches commit one by one. After `stop` aborts, each of the others is held
 * when it falls due.
 */
export async function holdBacklog(
  db: Sql,
  { workspaceId, endpointId }: Pick<Change, 'workspaceId' | 'endpointId'>,
  stop?: AbortSignal,
): Promise<void> {
  let held: number
  do held = await holdDeliveries(db, workspaceId, endpointId)
  while (held === MAX_HELD_PER_BATCH && !stop?.aborted)
}

/** Enabling restarts the count of failures. */
const setStatus = statement<{ id: string }>(
  'set_endpoint_status',
  `update webhook_endpoints
   set status = $4, status_reason = $5, status_at = $6,
     failing_since = case when $4 = 'enabled' then null else failing_since end,
     release_at = null, release_failures = 0
   where workspace_id = $1 and id = $2 and status = $3 and deleted_at is null
   returning id`,
)

/** Nothing can be signed for it any more. */
const setDeleted = statement<{ id: string }>(
  'delete_endpoint',
  `update webhook_endpoints
   set status = 'disabled', status_reason = $4, status_at = $3, deleted_at = $3, failing_since = null,
     release_at = null, release_failures = 0, secret = '', previous_secret = null, previous_secret_until = null
   where workspace_id = $1 and id = $2 and deleted_at is null
   returning id`,
)

/**
 * Holds one batch of what waits for an endpoint that is not enabled, and returns how many. An attempt in flight keeps its
 * lease and may still succeed; a delivery whose result is being stored at this moment is held when it is due again.
 */
export const holdDeliveries = async (sql: Sql, workspaceId: string, endpointId: string): Promise<number> =>
  (await sql.rows(holdPending, [workspaceId, endpointId, MAX_HELD_PER_BATCH])).length

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
   update webhook_deliveries set status = 'held', due_at = null
   where workspace_id = $1 and id = any (array (select id from pending))
   returning id`,
)
