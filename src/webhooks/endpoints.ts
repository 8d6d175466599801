import type { CodedText } from '../../locales/text.ts'
import { type Clock, DAY_MS, later } from '../lib/clock.ts'
import { workspaceStatement } from '../lib/db/workspace-batch.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import { recordEvents } from '../events/record.ts'
import { newId, newWebhookSecret } from '../lib/ids.ts'
import type { Parts } from '../runtime/parts.ts'
import { type Seal, keyOf } from '../lib/seal.ts'
import { lockSealingKey } from '../operations/secrets/instance.ts'
import { findWorkspaceTime } from '../workspaces/workspace-time.ts'
import { lockWorkspace } from '../workspaces/workspaces.ts'
import { UserError } from '../lib/errors.ts'
import type { EndpointStatus } from './delivery/claim.ts'
import { secretContext } from './delivery/attempt.ts'
import { changeStatus, commandToEnable, rejectUnlessEnabled, statusText, markDeleted } from './endpoint-status.ts'
import type { EndpointSettings } from './settings.ts'

/** Endpoints of a workspace. Each event is sent to every endpoint, so this limits the cost of one event. */
export const MAX_ENDPOINTS = 20
/** After a rotation both secrets sign for this long (docs/webhooks.md#a-new-secret). */
export const PREVIOUS_SECRET_VALID_MS = DAY_MS

/** An endpoint of another workspace is answered like a missing one. */
export type EndpointId = { workspaceId: string; endpointId: string }

/** Adds an enabled endpoint with settings of `checkNewSettings`. The secret is shown only this once. */
export async function addEndpoint(
  tx: Sql,
  { clock, seal }: Pick<Parts, 'clock' | 'seal'>,
  { workspaceId, url, description, eventTypes }: { workspaceId: string } & EndpointSettings,
): Promise<{ endpointId: string; secret: string }> {
  const endpointId = newId()
  const secret = newWebhookSecret()
  await lockWorkspace(tx, workspaceId) // two concurrent additions must not exceed the limit
  const { length } = await listEndpoints(tx, workspaceId)
  if (length >= MAX_ENDPOINTS) throw new UserError({ code: 'webhooks.too_many', count: length })
  const sealed = (await lockSealingKey(tx, seal)).close(secret, secretContext(endpointId))
  await tx.rows(insertEndpoint, [endpointId, workspaceId, url, sealed, clock.now(), description, eventTypes])
  return { endpointId, secret }
}

const insertEndpoint = statement(
  'insert_endpoint',
  `insert into webhook_endpoints (id, workspace_id, url, secret, status, status_at, created_at, description, event_types)
   values ($1, $2, $3, $4, 'enabled', $5, $5, $6, $7)`,
)

export type Endpoint = EndpointSettings & {
  endpointId: string
  status: EndpointStatus
  statusReason: CodedText | null
  statusAt: Date
  failingSince: Date | null
  previousSecretUntil: Date | null
  createdAt: Date
}

/** All endpoints of the workspace, the oldest first. */
export const listEndpoints = (db: Sql, workspaceId: string): Promise<Endpoint[]> =>
  db.rows(selectEndpoints, [workspaceId])

/** Finds deleted endpoints too: their deliveries can still be read. */
export const findEndpoint = (db: Sql, { workspaceId, endpointId }: EndpointId): Promise<FoundEndpoint | undefined> =>
  db.row(selectEndpoint, [workspaceId, endpointId])

export type FoundEndpoint = Endpoint & { urlChangedAt: Date | null; deletedAt: Date | null }

const COLUMNS = `id as "endpointId", url, description, event_types as "eventTypes", status,
     status_reason as "statusReason", status_at as "statusAt", failing_since as "failingSince",
     previous_secret_until as "previousSecretUntil", created_at as "createdAt"`

const selectEndpoints = workspaceStatement<Endpoint>(
  'list_endpoints',
  `select ${COLUMNS} from webhook_endpoints where workspace_id = $1 and deleted_at is null order by id`,
)

const selectEndpoint = statement<FoundEndpoint>(
  'find_endpoint',
  `select ${COLUMNS}, url_changed_at as "urlChangedAt", deleted_at as "deletedAt"
   from webhook_endpoints where workspace_id = $1 and id = $2`,
)

/** The endpoints whose secret no known key opens: nothing can be signed for them. */
export async function listUnreadableEndpoints(
  db: Sql,
  { seal, workspaceId }: { seal: Seal; workspaceId: string },
): Promise<string[]> {
  const sealed = await db.rows(selectSecrets, [workspaceId])
  return sealed
    .filter(({ endpointId, secret }) => !keyOf(seal.keys, secret, secretContext(endpointId)))
    .map(({ endpointId }) => endpointId)
}

const selectSecrets = workspaceStatement<{ endpointId: string; secret: Buffer }>(
  'list_endpoint_secrets',
  'select id as "endpointId", secret from webhook_endpoints where workspace_id = $1 and deleted_at is null',
)

/** For the command line, which names only the endpoint. */
export async function findWorkspaceOf(db: Sql, endpointId: string): Promise<string | undefined> {
  return (await db.row(selectWorkspaceOf, [endpointId]))?.workspaceId
}

const selectWorkspaceOf = statement<{ workspaceId: string }>(
  'select_workspace_of_endpoint',
  'select workspace_id as "workspaceId" from webhook_endpoints where id = $1 and deleted_at is null',
)

/** `db` is a transaction. The new secret is shown only this once. The current one signs for another day; an older one ends immediately. */
export async function rotateSecret(
  { db, clock, seal }: Pick<Parts, 'clock' | 'seal'> & { db: Sql },
  { workspaceId, endpointId }: EndpointId,
): Promise<{ secret: string; previousSecretUntil: Date }> {
  const secret = newWebhookSecret()
  const until = later(clock.now(), PREVIOUS_SECRET_VALID_MS)
  const sealed = (await lockSealingKey(db, seal)).close(secret, secretContext(endpointId))
  if (!(await db.row(replaceSecret, [workspaceId, endpointId, sealed, until]))) throw missingEndpoint(endpointId)
  return { secret, previousSecretUntil: until }
}

const replaceSecret = statement<{ id: string }>(
  'rotate_endpoint_secret',
  `update webhook_endpoints set previous_secret = secret, previous_secret_until = $4, secret = $3
   where workspace_id = $1 and id = $2 and deleted_at is null returning id`,
)

const statusChange =
  (from: EndpointStatus, to: EndpointStatus) =>
  async (tx: Sql, clock: Clock, id: EndpointId): Promise<void> => {
    if (await changeStatus(tx, { ...id, from, to, reason: null, now: clock.now() })) return
    const { status } = await getEndpoint(tx, id)
    if (status === 'enabled' || to === 'paused')
      throw new UserError({ code: 'webhooks.already', status: statusText(status) })
    throw new UserError({
      code: 'webhooks.is_not',
      status: statusText(status),
      from: statusText(from),
      command: commandToEnable(status, id.endpointId),
    })
  }

/** Stops deliveries to the endpoint: waiting and new ones are held. After the commit the caller calls `holdBacklog`. */
export const pauseEndpoint = statusChange('enabled', 'paused')

/** New events are delivered again. Held deliveries stay held until they are resent (resend.ts). */
export const resumeEndpoint = statusChange('paused', 'enabled')

/** Like resumeEndpoint, for an endpoint that was disabled for its failures. */
export const enableEndpoint = statusChange('disabled', 'enabled')

/**
 * Ends the endpoint and erases its secrets. What waits for it is held for good; its deliveries can still be read.
 * After the commit the caller calls `holdBacklog`.
 */
export async function deleteEndpoint(tx: Sql, clock: Clock, id: EndpointId): Promise<void> {
  if (!(await markDeleted(tx, { ...id, now: clock.now() }))) throw missingEndpoint(id.endpointId)
}

/** A deleted endpoint counts as missing. */
export async function getEndpoint(db: Sql, id: EndpointId): Promise<Endpoint> {
  const endpoint = await findEndpoint(db, id)
  if (!endpoint || endpoint.deletedAt) throw missingEndpoint(id.endpointId)
  return endpoint
}

export const missingEndpoint = (endpointId: string): UserError =>
  new UserError({ code: 'webhooks.missing', endpointId }, 'NOT_FOUND')

/**
 * Sends a test event to this endpoint only, in a `transactionWithEvents`. `deliverNow` waits for its outcome.
 */
export async function pingEndpoint(
  tx: Sql,
  clock: Clock,
  { workspaceId, endpointId }: EndpointId,
): Promise<{ eventId: string; deliveryId: string }> {
  rejectUnlessEnabled(await getEndpoint(tx, { workspaceId, endpointId }), 'webhooks.not_pinged')
  const eventId = newId()
  const now = clock.now()
  const { at } = await findWorkspaceTime(tx, workspaceId)
  const data = { endpointId, occurredAt: at(now).toISOString() }
  await recordEvents(tx, now, [{ id: eventId, workspaceId, type: 'ping', endpointId, data }])
  return { eventId, deliveryId: (await findDelivery(tx, { workspaceId, eventId, endpointId })) ?? '' }
}

export async function findDelivery(
  db: Sql,
  { workspaceId, eventId, endpointId }: EndpointId & { eventId: string },
): Promise<string | undefined> {
  return (await db.row(selectDeliveryOf, [workspaceId, eventId, endpointId]))?.deliveryId
}

const selectDeliveryOf = statement<{ deliveryId: string }>(
  'select_delivery_of_event',
  'select id as "deliveryId" from webhook_deliveries where workspace_id = $1 and event_id = $2 and endpoint_id = $3',
)
