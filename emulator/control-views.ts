import type { Account, PhoneNumber } from './accounts.ts'
import type { Conversation, Entry } from './conversations.ts'
import type { Message } from './messages.ts'
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

function showEntry(entry: Entry) {
  if (entry.by === 'customer') {
    const { id, at, did, text, payload, quotes, customer, readByBusiness } = entry.record
    return { by: entry.by, id, at: instant(at), did, text, payload, quotes, customer, readByBusiness }
  }
  const { id, acceptedAt, arrivedAt, type, template, shown, code, quotes, statuses } = entry.message
  return {
    by: entry.by,
    id,
    at: instant(acceptedAt),
    arrivedAt: instant(arrivedAt),
    status: statuses.at(-1)?.status ?? 'accepted',
    type,
    template: template?.name,
    ...shown,
    code,
    quotes,
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
