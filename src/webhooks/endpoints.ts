import { DAY_MS, later } from '../clock.ts'
import { type Sql, statement } from '../db.ts'
import { recordEvents, transactionWithEvents } from '../events/record.ts'
import { newId, newWebhookSecret } from '../ids.ts'
import type { Parts } from '../parts.ts'
import { findWorkspaceTime } from '../sandbox/workspace-time.ts'
import { keptSentences, sentences } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import type { EndpointStatus } from './claim.ts'
import { AddressRefused, checkHost } from './connector.ts'
import { secretContext } from './courier.ts'
import { type Alongside, changeStatus, commandToEnable } from './endpoint-status.ts'

/** Each event is sent to every endpoint: a limit on what one event may cost. */
export const ENDPOINTS_PER_WORKSPACE = 20
export const URL_LENGTH_MOST = 2_048
/** After a rotation the previous secret signs for so long (contract §5). */
export const PREVIOUS_SECRET_VALID_MS = DAY_MS

type MoveParts = Pick<Parts, 'db' | 'clock'>

/** One endpoint of one workspace: another workspace's is answered like a missing one. */
export type EndpointId = { workspaceId: string; endpointId: string }

/** Registers an endpoint, enabled from now on. The secret is shown this once. `alongside` runs in the same transaction. */
export async function addEndpoint(
  { db, clock, seal, config }: Pick<Parts, 'db' | 'clock' | 'seal' | 'config'>,
  { workspaceId, url }: { workspaceId: string; url: string },
  alongside?: (tx: Sql, added: { endpointId: string; url: string }) => Promise<void>,
): Promise<{ endpointId: string; secret: string }> {
  const checked = await checkUrl(url, config.allowPrivateWebhooks)
  const endpointId = newId()
  const secret = newWebhookSecret()
  const now = clock.now()
  await db.transaction(async (tx) => {
    if (!(await tx.row(lockWorkspace, [workspaceId])))
      throw new SetupRefused(says.noWorkspace({ workspaceId }), 'NOT_FOUND')
    const { length } = await listEndpoints(tx, workspaceId)
    if (length >= ENDPOINTS_PER_WORKSPACE) throw new SetupRefused(says.tooMany({ count: length }))
    await tx.rows(insertEndpoint, [
      endpointId,
      workspaceId,
      checked,
      seal.close(secret, secretContext(endpointId)),
      now,
    ])
    await alongside?.(tx, { endpointId, url: checked })
  })
  return { endpointId, secret }
}

/** The URL as it will be requested; throws SetupRefused with what is wrong. */
async function checkUrl(text: string, allowPrivate: boolean): Promise<string> {
  if (text.length > URL_LENGTH_MOST) throw new SetupRefused(urlTooLong)
  if (!URL.canParse(text)) throw new SetupRefused(says.incomplete({ example: 'https://example.com/path' }))
  const url = new URL(text)
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol)) throw new SetupRefused(says.scheme({ scheme: 'https://' }))
  if (url.username || url.password) throw new SetupRefused(says.credentials)
  if (url.hash) throw new SetupRefused(says.fragment)
  if (url.href.length > URL_LENGTH_MOST) throw new SetupRefused(says.encodedTooLong({ most: URL_LENGTH_MOST }))
  if (!allowPrivate) await checkPublic(url.hostname)
  return url.href
}

/** Only so that a mistake shows early: what counts is the check at each connection. */
async function checkPublic(hostname: string): Promise<void> {
  try {
    await checkHost(hostname)
  } catch (error) {
    throw new SetupRefused(
      error instanceof AddressRefused ? says.notPublic({ address: error.address }) : says.notFound({ hostname }),
    )
  }
}

/** Two endpoints added at once must not pass the limit: who waits for this lock counts only after it. */
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
  statusReason: string | null
  statusAt: Date
  failingSince: Date | null
  previousSecretUntil: Date | null
  createdAt: Date
}

/** Every endpoint of the workspace, the oldest first. At most ENDPOINTS_PER_WORKSPACE. */
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

/** For the command line, which names an endpoint alone. */
export async function findWorkspaceOf(db: Sql, endpointId: string): Promise<string | undefined> {
  return (await db.row(selectWorkspaceOf, [endpointId]))?.workspaceId
}

const selectWorkspaceOf = statement<{ workspaceId: string }>(
  'select_workspace_of_endpoint',
  'select workspace_id as "workspaceId" from webhook_endpoints where id = $1',
)

/** A new secret, shown this once. The present one signs as well for a day; one that was still in that day ends at once. */
export async function rotateSecret(
  { db, clock, seal }: Pick<Parts, 'clock' | 'seal'> & { db: Sql },
  id: EndpointId,
): Promise<{ secret: string; previousSecretUntil: Date }> {
  const { workspaceId, endpointId } = id
  const secret = newWebhookSecret()
  const until = later(clock.now(), PREVIOUS_SECRET_VALID_MS)
  const sealed = seal.close(secret, secretContext(endpointId))
  const rotated = await db.row(replaceSecret, [workspaceId, endpointId, sealed, until])
  if (!rotated) throw missing(endpointId)
  return { secret, previousSecretUntil: until }
}

const replaceSecret = statement<{ id: string }>(
  'rotate_endpoint_secret',
  `update webhook_endpoints set previous_secret = secret, previous_secret_until = $4, secret = $3
   where workspace_id = $1 and id = $2 returning id`,
)

/** Stops deliveries to the endpoint. What waits, and what happens from now on, is held. */
export const pauseEndpoint = (parts: MoveParts, id: EndpointId, alongside?: Alongside): Promise<void> =>
  move(parts, id, { alongside, from: 'enabled', to: 'paused' })

/** New events are delivered again. What was held stays held until it is sent again: see resend.ts. */
export const resumeEndpoint = (parts: MoveParts, id: EndpointId, alongside?: Alongside): Promise<void> =>
  move(parts, id, { alongside, from: 'paused', to: 'enabled' })

/** As resume, for an endpoint that was disabled for its failures; they are counted from the beginning. */
export const enableEndpoint = (parts: MoveParts, id: EndpointId, alongside?: Alongside): Promise<void> =>
  move(parts, id, { alongside, from: 'disabled', to: 'enabled' })

async function move(
  { db, clock }: MoveParts,
  { workspaceId, endpointId }: EndpointId,
  { from, to, alongside }: { from: EndpointStatus; to: EndpointStatus; alongside: Alongside | undefined },
): Promise<void> {
  const now = clock.now()
  if (await changeStatus(db, { workspaceId, endpointId, from, to, reason: null, now, alongside })) return
  const { status } = await getEndpoint(db, { workspaceId, endpointId })
  if (status === 'enabled' || to === 'paused') throw new SetupRefused(says.already({ status }))
  throw new SetupRefused(says.isNot({ status, from, command: commandToEnable(status, endpointId) }))
}

async function getEndpoint(db: Sql, id: EndpointId): Promise<Endpoint> {
  const endpoint = await findEndpoint(db, id)
  if (!endpoint) throw missing(id.endpointId)
  return endpoint
}

const missing = (endpointId: string): SetupRefused => new SetupRefused(says.missing({ endpointId }), 'NOT_FOUND')

const STATUSES = { enabled: 'مفعّلة', paused: 'موقوفة مؤقتًا', disabled: 'معطّلة' }

const says = sentences({
  noWorkspace: { en: 'There is no workspace {workspaceId}.', ar: 'لا توجد مساحة عمل {workspaceId}.' },
  tooMany: {
    en: 'The workspace has {count} endpoints, the most that it may have.',
    ar: 'بلغت نقاط مساحة العمل {count}، وهو أكثر ما يُسمح به.',
  },
  encodedTooLong: {
    en: 'The URL, once encoded, is longer than {most} characters.',
    ar: 'العنوان بعد ترميزه أطول من {most} حرفًا.',
  },
  incomplete: {
    en: 'The URL is not complete: give it as {example}.',
    ar: 'العنوان غير كامل: اكتبه على هذا الشكل {example}.',
  },
  scheme: { en: 'The URL must start with {scheme}.', ar: 'يجب أن يبدأ العنوان بـ {scheme}.' },
  credentials: {
    en: 'The URL must not hold a user name or password: webhooks are verified by their signature.',
    ar: 'يجب ألا يحتوي العنوان على اسم مستخدم أو كلمة مرور: تُعرف صحة الإشعارات من توقيعها.',
  },
  fragment: {
    en: 'The URL must not have a fragment (#…): it would never be sent.',
    ar: 'يجب ألا ينتهي العنوان بجزء يلي العلامة (#…): فلن يُرسل أبدًا.',
  },
  notPublic: {
    en: 'The URL must lead to the public Internet: {address} is not a public address.',
    ar: 'يجب أن يؤدي العنوان إلى الإنترنت العام: {address} ليس عنوانًا عامًا.',
  },
  notFound: {
    en: 'The host {hostname} cannot be found at present: check its name and its DNS records.',
    ar: 'تعذّر العثور على المضيف {hostname} حاليًا: تحقّق من اسمه ومن سجلاته في نظام أسماء النطاقات.',
  },
  already: { en: 'The endpoint is {status} already.', ar: 'النقطة {status} من قبل.', words: { status: STATUSES } },
  isNot: {
    en: 'The endpoint is {status}, not {from}: run {command}.',
    ar: 'النقطة {status} وليست {from}: نفّذ {command}.',
    words: { status: STATUSES, from: STATUSES },
  },
  missing: { en: 'There is no endpoint {endpointId}.', ar: 'لا توجد نقطة {endpointId}.' },
  notPinged: {
    en: 'The endpoint is {status}: run {command}, then ping it.',
    ar: 'النقطة {status}: نفّذ {command} ثم أرسل إليها اختبارًا.',
    words: { status: STATUSES },
  },
})

/** Also of the form in which it is given. */
export const urlTooLong = keptSentences({
  urlTooLong: { en: 'The URL is longer than {most} characters.', ar: 'العنوان أطول من {most} حرفًا.' },
}).urlTooLong({ most: URL_LENGTH_MOST })

/** Sends a test event to this endpoint alone. `deliverNow` waits for what comes of it. */
export async function pingEndpoint(
  { db, clock, metrics, wake }: Pick<Parts, 'db' | 'clock' | 'metrics' | 'wake'>,
  { workspaceId, endpointId }: EndpointId,
  alongside?: Alongside,
): Promise<{ eventId: string; deliveryId: string }> {
  const eventId = newId()
  const deliveryId = await transactionWithEvents({ db, metrics }, async (tx) => {
    const { status } = await getEndpoint(tx, { workspaceId, endpointId })
    if (status !== 'enabled')
      throw new SetupRefused(says.notPinged({ status, command: commandToEnable(status, endpointId) }))
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

/** The id of an event's delivery to an endpoint. */
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
