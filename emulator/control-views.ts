import type { Account, PhoneNumber } from './accounts.ts'
import type { Conversation, Entry } from './conversations.ts'
import type { Message } from './messages.ts'
import type { Parts } from './parts.ts'
import type { BusinessEntry, Entry as ShownEntry, PhoneState, Post } from './phone/chats.ts'
import type { Template } from './templates.ts'
import type { WebhookPost } from './webhooks.ts'

/** What the control API shows of the twin's objects. Secrets stay in. */

export function showAccount(account: Account) {
  const { id, name, callbackUrl, overrideCallbackUrl, subscribed, blockedBy, otpButtons, userIds } = account
  return {
    id,
    name,
    callbackUrl,
    overrideCallbackUrl,
    subscribed,
    blockedBy,
    otpButtons,
    userIds,
    numbers: [...account.numbers.values()].map(showNumber),
    templates: [...account.templates.values()].map(showTemplate),
  }
}

export function showNumber(number: PhoneNumber) {
  return { ...number, pin: undefined }
}

export function showTemplate({ id, name, language, category, status, qualityScore, rejectedReason }: Template) {
  return { id, name, language, category, status, qualityScore, rejectedReason }
}

export function showMessage(message: Message) {
  const { statuses, acceptedAt, expiresAt, arrivedAt, ...rest } = message
  return {
    ...rest,
    acceptedAt: new Date(acceptedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    arrivedAt: instant(arrivedAt),
    statuses: statuses.map(({ post, ...status }) => ({ ...status, webhook: showPost(post) })),
  }
}

/** A chat as a phone shows it, with what is needed to tap and choose: ids, and the places of buttons and rows. */
export function showConversation({ waId, phoneNumberId, entries }: Conversation, limit: number) {
  return { phone: `+${waId}`, number: phoneNumberId, entries: entries.slice(-limit).map(showEntry) }
}

export function showEntry(entry: Entry): ShownEntry {
  const { order } = entry
  if (entry.by === 'customer') {
    const { id, at, did, text, payload, quotes, customer, readByBusiness } = entry.record
    return { order, by: entry.by, id, at: instant(at), did, text, payload, quotes, customer, readByBusiness }
  }
  const { id, acceptedAt, arrivedAt, type, template, shown, code, quotes, statuses } = entry.message
  return {
    order,
    by: entry.by,
    id,
    at: instant(acceptedAt),
    arrivedAt: instant(arrivedAt),
    status: statuses.at(-1)?.status ?? 'accepted',
    ticks: ticksOf(entry.message),
    lost: lossOf(entry.message),
    type,
    template: template?.name,
    ...shown,
    code,
    quotes,
  }
}

const TICKS = ['accepted', 'sent', 'delivered', 'read'] as const

/** The furthest that the business was told, in whatever order. */
function ticksOf({ statuses }: Message): BusinessEntry['ticks'] {
  const told = statuses.map(({ status }) => (status === 'played' ? 'read' : status))
  const furthest = TICKS.findLast((ticks) => told.some((status) => status === ticks)) ?? 'accepted'
  return told.includes('failed') && furthest !== 'delivered' && furthest !== 'read' ? 'failed' : furthest
}

function lossOf({ arrivedAt, expired, blocked, statuses }: Message): BusinessEntry['lost'] {
  if (arrivedAt !== undefined) return undefined
  if (expired) return 'expired'
  if (blocked) return 'blocked'
  return statuses.some(({ status }) => status === 'failed') ? 'failed' : undefined
}

/** `numbers`: those whose blocks may be told. */
export function showPhone(parts: Parts, waId: string, numbers?: ReadonlySet<string>): PhoneState {
  const { online, readReceipts, blocked } = parts.phones.get(waId)
  return { phone: `+${waId}`, online, readReceipts, blocked: blocked.filter((number) => numbers?.has(number) ?? true) }
}

/** A post as the phone's page lists it. */
export function showTold({ id, sealedAt, tells, state, attempts, body }: WebhookPost): Post {
  const last = attempts.at(-1)
  return {
    id,
    at: new Date(sealedAt).toISOString(),
    tells,
    state,
    httpStatus: last?.httpStatus ?? null,
    fault: last?.fault ?? null,
    tookMs: last?.tookMs ?? null,
    attempts: attempts.length,
    body: body === '' ? null : body,
  }
}

function instant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}

/** Null where there was nobody to post to. */
export function showPost(post: WebhookPost | undefined) {
  if (post === undefined) return null
  const { id, url, state, attempts } = post
  return { id, url, state, attempts }
}
