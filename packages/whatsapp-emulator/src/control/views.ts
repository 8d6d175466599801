import type { Account, PhoneNumber } from '../accounts/accounts.ts'
import type { Conversation, Entry } from '../messages/conversations.ts'
import type { Message } from '../messages/messages.ts'
import type { Parts } from '../parts.ts'
import type { EmulatorTime, BusinessEntry, Entry as ShownEntry, PhoneState, WebhookPost } from '../wire/chats.ts'
import type { Template } from '../accounts/templates.ts'

/** What the control API shows of the emulator's objects, without secrets. */

export function showAccount(account: Account) {
  const { id, name, callbackUrl, overrideCallbackUrl, subscribed, blockedBy, hurried, otpButtons, userIds } = account
  const numbers = [...account.numbers.values()].map(showNumber)
  const templates = [...account.templates.values()].map(showTemplate)
  const access = { callbackUrl, overrideCallbackUrl, subscribed, blockedBy, hurried }
  return { id, name, ...access, otpButtons, userIds, numbers, templates }
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

export function timeOf({ clock, settings }: Parts): EmulatorTime {
  const { timeMachineAt } = settings
  return { now: new Date(clock.now()).toISOString(), aheadMs: clock.aheadMs, movedAt: timeMachineAt?.() ?? null }
}

/** A chat as a phone shows it, with the ids and indexes that taps and choices need. */
export function showConversation({ waId, phoneNumberId, entries }: Conversation, limit: number) {
  return { phone: `+${waId}`, number: phoneNumberId, entries: entries.slice(-limit).map(showEntry) }
}

export function showEntry(entry: Entry): ShownEntry {
  const { order } = entry
  if (entry.by === 'customer') {
    const { id, at, did, text, payload, quotes, script, readByBusiness } = entry.record
    return { order, by: entry.by, id, at: instant(at), did, text, payload, quotes, script, readByBusiness }
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

/** The highest status that the business got, in any order. */
function ticksOf({ statuses }: Message): BusinessEntry['ticks'] {
  const reported = statuses.map(({ status }) => (status === 'played' ? 'read' : status))
  const furthest = TICKS.findLast((ticks) => reported.some((status) => status === ticks)) ?? 'accepted'
  return reported.includes('failed') && furthest !== 'delivered' && furthest !== 'read' ? 'failed' : furthest
}

function lossOf({ arrivedAt, expired, blocked, statuses }: Message): BusinessEntry['lost'] {
  if (arrivedAt !== undefined) return undefined
  if (expired) return 'expired'
  if (blocked) return 'blocked'
  return statuses.some(({ status }) => status === 'failed') ? 'failed' : undefined
}

/** `numbers`: the numbers whose blocks may be shown. */
export function showPhone(parts: Parts, waId: string, numbers?: ReadonlySet<string>): PhoneState {
  const { online, readReceipts, blocked } = parts.phones.get(waId)
  return { phone: `+${waId}`, online, readReceipts, blocked: blocked.filter((number) => numbers?.has(number) ?? true) }
}

function instant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}

/** Returns null if the account had no callback. */
export function showPost(post: WebhookPost | undefined) {
  if (post === undefined) return null
  const { id, url, state, attempts } = post
  return { id, url, state, attempts }
}
