import type { CodedText } from '../../locales/text.ts'
import { DAY_MS, later } from '../clock.ts'
import { type Sql, statement } from '../db/pool.ts'
import { recordEvents, transactionWithEvents } from '../events/record.ts'
import { newId, newWebhookSecret } from '../ids.ts'
import type { Parts } from '../parts.ts'
import { findWorkspaceTime } from '../workspaces/workspace-time.ts'
import { unknownWorkspace } from '../workspaces/workspaces.ts'
import { UserError } from '../user-error.ts'
import type { EndpointStatus } from './delivery/claim.ts'
import { AddressRefused, checkHost } from './delivery/connector.ts'
import { secretContext } from './delivery/attempt.ts'
import {
  type InTransaction,
  changeStatus,
  commandToEnable,
  rejectUnlessEnabled,
  statusText,
} from './endpoint-status.ts'

/** Of a workspace. Each event is sent to every endpoint, so this limits the cost of one event. */
export const MAX_ENDPOINTS = 20
export const MAX_URL_LENGTH = 2_048
/** After a rotation both secrets sign for this long (docs/webhooks.md#a-new-secret). */
export const PREVIOUS_SECRET_VALID_MS = DAY_MS

/** An endpoint of another workspace is answered like a missing one. */
export type EndpointId = { workspaceId: string; endpointId: string }

/** Adds an enabled endpoint. The secret is shown only this once. `alongside` runs in the same transaction. */
export async function addEndpoint(
  { db, clock, seal, config }: Pick<Parts, 'db' | 'clock' | 'seal' | 'config'>,
  { workspaceId, url }: { workspaceId: string; url: string },
  alongside?: (tx: Sql, added: { endpointId: string; url: string }) => Promise<void>,
): Promise<{ endpointId: string; secret: string }> {
  const checked = await checkUrl(url, config.allowPrivateWebhooks)
  const endpointId = newId()
  const secret = newWebhookSecret()
  const sealed = seal.close(secret, secretContext(endpointId))
  await db.transaction(async (tx) => {
    if (!(await tx.row(lockWorkspace, [workspaceId]))) throw unknownWorkspace(workspaceId)
    const { length } = await listEndpoints(tx, workspaceId)
    if (length >= MAX_ENDPOINTS) throw new UserError({ code: 'webhooks.too_many', count: length })
    await tx.rows(insertEndpoint, [endpointId, workspaceId, checked, sealed, clock.now()])
    await alongside?.(tx, { endpointId, url: checked })
  })
  return { endpointId, secret }
}

/** Returns the URL as it will be requested. */
async function checkUrl(text: string, allowPrivate: boolean): Promise<string> {
  if (text.length > MAX_URL_LENGTH) throw new UserError(URL_TOO_LONG)
  if (!URL.canParse(text)) throw new UserError({ code: 'webhooks.incomplete', example: 'https://example.com/path' })
  const url = new URL(text)
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol)) throw new UserError({ code: 'webhooks.scheme', scheme: 'https://' })
  if (url.username || url.password) throw new UserError({ code: 'webhooks.credentials' })
  if (url.hash) throw new UserError({ code: 'webhooks.fragment' })
  if (url.href.length > MAX_URL_LENGTH) throw new UserError({ code: 'webhooks.encoded_too_long', max: MAX_URL_LENGTH })
  if (!allowPrivate) await checkPublic(url.hostname)
  return url.href
}

/** To show a mistake early; the check that protects is the one at each connection. */
async function checkPublic(hostname: string): Promise<void> {
  try {
    await checkHost(hostname)
  } catch (error) {
    throw new UserError(
      error instanceof AddressRefused
        ? { code: 'webhooks.endpoints_not_public', address: error.address }
        : { code: 'webhooks.not_found', hostname },
    )
  }
}

/** Serializes additions: two concurrent ones must not exceed the limit. */
const lockWorkspace = statement<{ workspace_id: string }>(
  'lock_workspace_for_endpoint',
  'select id as workspace_id from workspaces where id = $1 for no key update',
)

const insertEndpoint = statement(
  'insert_endpoint',
  `insert into webhook_endpoints (id, workspace_id, url, secret, status, status_at, created_at)
   values ($1, $2, $3, $4, 'enabled', $5, $5)`,
)

export type Endpoint = {
  endpointId: string
  url: string
  status: EndpointStatus
  statusReason: CodedText | null
  statusAt: Date
  failingSince: Date | null
  previousSecretUntil: Date | null
  createdAt: Date
}

/** All endpoints of the workspace, the oldest first. */
export const listEndpoints = (db: Sql, workspaceId: string): Promise<Endpoint[]> =>
  db.rows(selectEndpoints, [workspaceId, null])

export const findEndpoint = (db: Sql, { workspaceId, endpointId }: EndpointId): Promise<Endpoint | undefined> =>
  db.row(selectEndpoints, [workspaceId, endpointId])

const selectEndpoints = statement<Endpoint>(
  'select_endpoints',
  `select id as "endpointId", url, status, status_reason as "statusReason", status_at as "statusAt",
     failing_since as "failingSince", previous_secret_until as "previousSecretUntil", created_at as "createdAt"
   from webhook_endpoints where workspace_id = $1 and id = coalesce($2, id)
   order by id`,
)

/** For the command line, which names only the endpoint. */
export async function findWorkspaceOf(db: Sql, endpointId: string): Promise<string | undefined> {
  return (await db.row(selectWorkspaceOf, [endpointId]))?.workspaceId
}

const selectWorkspaceOf = statement<{ workspaceId: string }>(
  'select_workspace_of_endpoint',
  'select workspace_id as "workspaceId" from webhook_endpoints where id = $1',
)

/** The new secret is shown only this once. The current one signs for another day; an older one ends at once. */
export async function rotateSecret(
  { db, clock, seal }: Pick<Parts, 'clock' | 'seal'> & { db: Sql },
  { workspaceId, endpointId }: EndpointId,
): Promise<{ secret: string; previousSecretUntil: Date }> {
  const secret = newWebhookSecret()
  const until = later(clock.now(), PREVIOUS_SECRET_VALID_MS)
  const sealed = seal.close(secret, secretContext(endpointId))
  if (!(await db.row(replaceSecret, [workspaceId, endpointId, sealed, until]))) throw missing(endpointId)
  return { secret, previousSecretUntil: until }
}

const replaceSecret = statement<{ id: string }>(
  'rotate_endpoint_secret',
  `update webhook_endpoints set previous_secret = secret, previous_secret_until = $4, secret = $3
   where workspace_id = $1 and id = $2 returning id`,
)

const statusChange =
  (from: EndpointStatus, to: EndpointStatus) =>
  async ({ db, clock }: Pick<Parts, 'db' | 'clock'>, id: EndpointId, alongside?: InTransaction): Promise<void> => {
    if (await changeStatus(db, { ...id, from, to, reason: null, now: clock.now(), alongside })) return
    const { status } = await getEndpoint(db, id)
    if (status === 'enabled' || to === 'paused')
      throw new UserError({ code: 'webhooks.already', status: statusText(status) })
    throw new UserError({
      code: 'webhooks.is_not',
      status: statusText(status),
      from: statusText(from),
      command: commandToEnable(status, id.endpointId),
    })
  }

/** Stops deliveries to the endpoint: waiting and new ones are held. */
export const pauseEndpoint = statusChange('enabled', 'paused')

/** New events are delivered again. Held deliveries stay held until they are resent (resend.ts). */
export const resumeEndpoint = statusChange('paused', 'enabled')

/** Like resumeEndpoint, for an endpoint that was disabled for its failures. */
export const enableEndpoint = statusChange('disabled', 'enabled')

export async function getEndpoint(db: Sql, id: EndpointId): Promise<Endpoint> {
  const endpoint = await findEndpoint(db, id)
  if (!endpoint) throw missing(id.endpointId)
  return endpoint
}

const missing = (endpointId: string): UserError => new UserError({ code: 'webhooks.missing', endpointId }, 'NOT_FOUND')

/** The dashboard's form checks it too. */
export const URL_TOO_LONG: CodedText = { code: 'webhooks.url_too_long', max: MAX_URL_LENGTH }

/** Sends a test event to this endpoint only. `deliverNow` waits for its outcome. */
export async function pingEndpoint(
  { db, clock, metrics, wake }: Pick<Parts, 'db' | 'clock' | 'metrics' | 'wake'>,
  { workspaceId, endpointId }: EndpointId,
  alongside?: InTransaction,
): Promise<{ eventId: string; deliveryId: string }> {
  const eventId = newId()
  const deliveryId = await transactionWithEvents({ db, metrics }, async (tx) => {
    rejectUnlessEnabled(await getEndpoint(tx, { workspaceId, endpointId }), 'webhooks.not_pinged')
    const now = clock.now()
    const { at } = await findWorkspaceTime(tx, workspaceId)
    const data = { endpointId, occurredAt: at(now).toISOString() }
    await recordEvents(tx, now, [{ id: eventId, workspaceId, type: 'ping', endpointId, data }])
    await alongside?.(tx)
    return (await findDelivery(tx, { workspaceId, eventId, endpointId })) ?? ''
  })
  wake('deliver')
  return { eventId, deliveryId }
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
