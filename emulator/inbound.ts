import { z } from 'zod'
import { TWIN_LIMITS } from './limits.ts'
import { ControlError } from './control-error.ts'
import { metadataOf } from './delivery.ts'
import { choiceSchema, rawSchema, readGesture, textSchema } from './gestures.ts'
import { digitsOf, userIdOf, waIdOf } from './phones.ts'
import { makeWamid, messagesPerSecond } from './send.ts'
import type { NumberOfAccount } from './accounts.ts'
import type { Content } from './gestures.ts'
import type { Message } from './messages.ts'
import type { Parts } from './parts.ts'
import type { Phone } from './phones.ts'
import type { Contact, InboundMessage, Update } from './webhook-body.ts'
import type { WebhookPost } from './webhooks.ts'

/** How the webhook of a customer's message looks, whatever the message is. */
export const lookShape = {
  name: z.string().optional(),
  /** Leaves `from` and `wa_id` out, as for a user with a username. */
  hidePhone: z.boolean().optional(),
  omitContext: z.boolean().optional(),
  omitContacts: z.boolean().optional(),
  /** Posts the very same payload this many times at once. */
  copies: z.int().min(1).max(100).optional(),
}

/** What a customer does on the phone. Exactly one of text, tap, choose, raw and again. */
export const inboundSchema = z
  .strictObject({
    /** The customer's phone number. */
    from: z.string().min(1),
    /** The business number, by id or display number; without it the one that wrote last, else the only one. */
    to: z.string().optional(),
    text: textSchema.optional(),
    /** Presses a button of the latest message with buttons, unless `message` names any other, old ones too. */
    tap: z.strictObject({ button: choiceSchema, message: z.string().optional() }).optional(),
    /** Picks a row of the latest list, unless `message` names another. */
    choose: z.strictObject({ row: choiceSchema, message: z.string().optional() }).optional(),
    raw: rawSchema.optional(),
    /** The id of an earlier message of this customer: its webhook comes once more, byte for byte. */
    again: z.string().optional(),
    /** The wamid that is quoted, known or not; taps and choices quote their message by themselves. */
    quote: z.string().optional(),
    /** The customer waits so long before doing it, and the call is answered only then. */
    afterMs: z.number().min(0).max(TWIN_LIMITS.scriptDelayMs).optional(),
    /** Unix seconds that the message claims, instead of the present. */
    timestamp: z.int().min(0).optional(),
    /** The message's id, instead of a new one. */
    id: z.string().min(1).optional(),
    ...lookShape,
  })
  .refine(({ text, tap, choose, raw, again }) => isOne([text, tap, choose, raw, again]), {
    message: 'give exactly one of text, tap, choose, raw and again',
  })

export function isOne(parts: readonly unknown[]): boolean {
  return parts.filter((part) => part !== undefined).length === 1
}

export type InboundSeed = z.input<typeof inboundSchema>
export type Inbound = z.output<typeof inboundSchema>
export type Received = { id: string; posts: WebhookPost[] }

/** From here on what was ordered for later is done when it is due. */
export function receiveDelayed(parts: Parts): void {
  parts.timers.handle('inbound', ({ inbound, done = ignoreFaults }) => done(receiveNow(parts, inbound)))
}

/** Whoever ordered it has gone with an earlier process. */
const ignoreFaults = (received: Promise<unknown>): void => void received.catch(() => {})

/** Writes to the business: opens the service window and posts the webhook. Resolves when that was answered. */
export async function receive(parts: Parts, seed: InboundSeed, customer?: string): Promise<Received> {
  const { afterMs, ...inbound } = inboundSchema.parse(seed)
  waIdOfWriter(inbound)
  if (afterMs === undefined) return await receiveNow(parts, inbound, customer)
  return await new Promise((resolve) => {
    parts.timers.after(afterMs, { kind: 'inbound', inbound, done: resolve }, 'answer')
  })
}

function waIdOfWriter({ from }: Inbound): string {
  const digits = digitsOf(from)
  if (digits === undefined) throw new ControlError(`from: ${from} is no phone number`)
  return waIdOf(digits)
}

async function receiveNow(parts: Parts, inbound: Inbound, customer?: string): Promise<Received> {
  const waId = waIdOfWriter(inbound)
  if (inbound.again !== undefined) return await tellAgain(parts, inbound, inbound.again, waId)
  const to = inbound.to === undefined ? undefined : findNumber(parts, inbound.to)
  if (inbound.to !== undefined && to === undefined)
    throw new ControlError(`to: there is no business number ${inbound.to}`)
  const content = readGesture(parts, inbound, { waId, phoneNumberId: to?.number.id })
  const row = to ?? findWriter(parts, content.answers, waId) ?? onlyNumber(parts)
  if (row === undefined) throw new ControlError('say by "to" which business number the customer writes to')
  if (parts.phones.get(waId).blocked.includes(row.number.id))
    throw new ControlError(`${inbound.from} has blocked ${row.number.displayPhoneNumber}; unblock it first`, 409)
  const phone = parts.phones.find(waId)
  const message = makeMessage(parts, row, inbound, content, waId, phone)
  const writtenAt = Number(message.timestamp) * 1000
  const contact = inbound.omitContacts === true ? undefined : contactOf(row, inbound, waId, phone)
  const update: Update = { kind: 'message', metadata: metadataOf(row.number), message, contact }
  parts.windows.open(row.number.id, waId, writtenAt)
  const record = {
    id: message.id,
    order: parts.conversations.takePlace(),
    phoneNumberId: row.number.id,
    from: waId,
    type: message.type,
    did: content.did,
    text: content.text,
    payload: content.payload,
    quotes: quotedBy(inbound, content),
    customer,
    at: writtenAt,
    readByBusiness: false,
  }
  parts.inbox.add({ record, account: row.account, update })
  parts.counts.inbound++
  // What comes in uses up the number's throughput as well, but is never refused.
  const perSecond = messagesPerSecond(row.number)
  parts.throughput.take(row.number.id, 1000 / perSecond, perSecond, parts.now())
  return { id: message.id, posts: await post(parts, row.account, update, inbound.copies) }
}

async function tellAgain(parts: Parts, { copies }: Inbound, id: string, waId: string): Promise<Received> {
  const letter = parts.inbox.findLetter(id)
  if (letter === undefined) throw new ControlError(`again: no customer wrote ${id}; GET /control/inbound lists them`)
  if (letter.record.from !== waId) throw new ControlError(`again: ${id} was written by ${letter.record.from}`)
  return { id, posts: await post(parts, letter.account, letter.update, copies) }
}

async function post(
  parts: Parts,
  account: NumberOfAccount['account'],
  update: Update,
  copies = 1,
): Promise<WebhookPost[]> {
  const posts = await Promise.all(Array.from({ length: copies }, () => parts.outbox.sendNow(account, [update])))
  return posts.filter((post) => post !== undefined)
}

/** The number of the message that is answered, else the one that wrote last to this phone. */
function findWriter(parts: Parts, answers: Message | undefined, waId: string): NumberOfAccount | undefined {
  const message = answers ?? parts.messages.findLast((message) => message.waId === waId)
  return message === undefined ? undefined : parts.accounts.findNumber(message.phoneNumberId)
}

export function findNumber(parts: Parts, name: string): NumberOfAccount | undefined {
  return parts.accounts.findNumber(name) ?? parts.accounts.findNumberByDigits(name.replace(/\D/g, ''))
}

function onlyNumber(parts: Parts): NumberOfAccount | undefined {
  const numbers = parts.accounts
    .list()
    .flatMap((account) => [...account.numbers.values()].map((number) => ({ account, number })))
  return numbers.length === 1 ? numbers[0] : undefined
}

function makeMessage(
  parts: Parts,
  { account, number }: NumberOfAccount,
  inbound: Inbound,
  content: Content,
  waId: string,
  phone: Phone | undefined,
): InboundMessage {
  const quoted = quotedBy(inbound, content)
  const hidden = isHidden(inbound, phone)
  return {
    ...(hidden ? {} : { from: waId }),
    ...(account.userIds ? { from_user_id: userIdOf(account.businessId, waId) } : {}),
    id: inbound.id ?? makeWamid(waId),
    timestamp: String(inbound.timestamp ?? Math.floor(parts.now() / 1000)),
    ...(quoted === undefined || inbound.omitContext === true ? {} : { context: { from: number.digits, id: quoted } }),
    ...content.fields,
  }
}

function quotedBy(inbound: Inbound, content: Content): string | undefined {
  return inbound.quote ?? content.answers?.id
}

function contactOf({ account }: NumberOfAccount, inbound: Inbound, waId: string, phone: Phone | undefined): Contact {
  const username = phone?.username
  return {
    profile: { name: inbound.name ?? phone?.name ?? 'Customer', ...(username === undefined ? {} : { username }) },
    ...(isHidden(inbound, phone) ? {} : { wa_id: waId }),
    ...(account.userIds ? { user_id: userIdOf(account.businessId, waId) } : {}),
  }
}

function isHidden(inbound: Inbound, phone: Phone | undefined): boolean {
  return inbound.hidePhone ?? phone?.username !== undefined
}
