import { z } from 'zod'
import { ControlError } from '../errors.ts'
import { metadataOf } from '../messages/delivery.ts'
import { actionShape, delay, exactlyOne } from '../messages/script.ts'
import { readUserAction } from './user-actions.ts'
import { parseWaId, userIdOf } from '../messages/phones.ts'
import { type Account, type NumberOfAccount, messagesPerSecond } from '../accounts/accounts.ts'
import { type Message, makeWamid } from '../messages/messages.ts'
import type { Parts } from '../parts.ts'
import type { InboundMessage, Update } from '../webhooks/webhook-body.ts'
import type { WebhookPost } from '../wire/chats.ts'

/** What a customer does on the phone. Exactly one of text, tap, choose, raw and again. */
const inboundSchema = z
  .strictObject({
    from: z.string().min(1),
    /** The business number, by id or display number; without it the number that wrote last, or the only one. */
    to: z.string().optional(),
    ...actionShape,
    /** The id of an earlier message of this customer: its webhook is posted again, byte for byte. */
    again: z.string().optional(),
    /** The wamid that is quoted, known or not. Taps and choices always quote their message. */
    quote: z.string().optional(),
    /** How long the customer waits before acting; the call is answered afterwards. */
    afterMs: delay.optional(),
    /** Unix seconds that the message claims, instead of the present. */
    timestamp: z.int().min(0).optional(),
    id: z.string().min(1).optional(),
  })
  .refine(...exactlyOne('text', 'tap', 'choose', 'raw', 'again'))

export type InboundSeed = z.input<typeof inboundSchema>
type Inbound = z.output<typeof inboundSchema>
type ReceivedMessage = { id: string; posts: WebhookPost[] }

/** A later action of a customer. `done` gets its result; after a restart no caller waits. */
type LaterInbound = { inbound: Inbound; done?: (received: Promise<ReceivedMessage>) => void }

export function defineInbound(parts: Parts): void {
  parts.timers.define<LaterInbound>('inbound', {
    run: ({ inbound, done = (received) => void received.catch(() => {}) }) => done(receiveNow(parts, inbound)),
    due: ({ inbound }) => ({ kind: 'answer', what: '', phone: `+${parseWaId(inbound.from, 'from')}`, number: null }),
  })
}

/** Opens the service window and posts the webhook. Resolves when it was answered. */
export async function receive(parts: Parts, seed: InboundSeed, script?: string): Promise<ReceivedMessage> {
  const { afterMs, ...inbound } = inboundSchema.parse(seed)
  parseWaId(inbound.from, 'from')
  if (afterMs === undefined) return await receiveNow(parts, inbound, script)
  return await new Promise((done) => {
    parts.timers.after(afterMs, { kind: 'inbound', data: { inbound, done } satisfies LaterInbound }, 'answer')
  })
}

async function receiveNow(parts: Parts, inbound: Inbound, script?: string): Promise<ReceivedMessage> {
  const waId = parseWaId(inbound.from, 'from')
  if (inbound.again !== undefined) return await repeatWebhook(parts, inbound, inbound.again, waId)
  const to = inbound.to === undefined ? undefined : parts.accounts.getNumberByName(inbound.to, 'to')
  const { fields, answers, ...bubble } = readUserAction(parts, inbound, { waId, phoneNumberId: to?.number.id })
  const row = to ?? findWriter(parts, answers, waId) ?? parts.accounts.findOnlyNumber()
  if (row === undefined) throw new ControlError('say by "to" which business number the customer writes to')
  const phone = parts.phones.get(waId)
  if (phone.blocked.includes(row.number.id))
    throw new ControlError(`${inbound.from} has blocked ${row.number.displayPhoneNumber}; unblock it first`, 409)
  const { account, number } = row
  const shownWaId = (inbound.hidePhone ?? phone.username !== undefined) ? undefined : waId
  const userId = account.userIds ? userIdOf(account.businessId, waId) : undefined
  const quotes = inbound.quote ?? answers?.id
  const showsContext = quotes !== undefined && inbound.omitContext !== true
  const message: InboundMessage = {
    from: shownWaId,
    from_user_id: userId,
    id: inbound.id ?? makeWamid(waId),
    timestamp: String(inbound.timestamp ?? Math.floor(parts.now() / 1000)),
    context: showsContext ? { from: number.digits, id: quotes } : undefined,
    ...fields,
  }
  const profile = { name: inbound.name ?? phone.name, username: phone.username }
  const contact = inbound.omitContacts === true ? undefined : { profile, wa_id: shownWaId, user_id: userId }
  const update: Update = { kind: 'message', metadata: metadataOf(number), message, contact }
  // More precise than the webhook, so that chats keep the order of what a business and its customer write within a second.
  const writtenAt = inbound.timestamp === undefined ? parts.now() : inbound.timestamp * 1000
  parts.windows.open(number.id, waId, writtenAt)
  if (userId !== undefined) parts.phones.rememberUserId(userId, waId)
  const record = {
    id: message.id,
    order: parts.nextIds.order++,
    phoneNumberId: number.id,
    from: waId,
    type: message.type,
    ...bubble,
    quotes,
    script,
    at: writtenAt,
    readByBusiness: false,
  }
  parts.inbox.add({ record, accountId: account.id, update })
  parts.counts.inbound++
  // Inbound messages use the number's throughput, too, but are never rejected.
  const perSecond = messagesPerSecond(number)
  parts.throughput.take(number.id, 1000 / perSecond, perSecond, parts.now())
  return { id: message.id, posts: await post(parts, account, update, inbound.copies) }
}

async function repeatWebhook(parts: Parts, { copies }: Inbound, id: string, waId: string): Promise<ReceivedMessage> {
  const stored = parts.inbox.find(id)
  if (stored === undefined) throw new ControlError(`again: no customer wrote ${id}; GET /control/inbound lists them`)
  if (stored.record.from !== waId) throw new ControlError(`again: ${id} was written by ${stored.record.from}`)
  const account = parts.accounts.find(stored.accountId)
  return { id, posts: account === undefined ? [] : await post(parts, account, stored.update, copies) }
}

async function post(parts: Parts, account: Account, update: Update, copies = 1): Promise<WebhookPost[]> {
  const posts = await Promise.all(Array.from({ length: copies }, () => parts.outbox.sendNow(account, update)))
  return posts.filter((post) => post !== undefined)
}

/** The number of the answered message, or the one that wrote last to this phone. */
function findWriter(parts: Parts, answers: Message | undefined, waId: string): NumberOfAccount | undefined {
  const message = answers ?? parts.messages.list((message) => message.waId === waId).at(-1)
  return message === undefined ? undefined : parts.accounts.findNumber(message.phoneNumberId)
}
