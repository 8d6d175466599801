import { z } from 'zod'
import { ControlError } from './control-error.ts'
import { metadataOf } from './delivery.ts'
import { digitsOf, userIdOf, waIdOf } from './phones.ts'
import { makeWamid, messagesPerSecond } from './send.ts'
import type { NumberOfAccount } from './accounts.ts'
import type { Message, ShownButton } from './messages.ts'
import type { Parts } from './parts.ts'
import type { Phone } from './phones.ts'
import type { Contact, InboundMessage, Update } from './webhook-body.ts'
import type { WebhookPost } from './webhooks.ts'

/** What a customer does on the phone. Exactly one of text, tap, choose and raw. */
export const inboundSchema = z
  .strictObject({
    /** The customer's phone number. */
    from: z.string().min(1),
    /** The business number, by id or display number; without it the one that wrote last, else the only one. */
    to: z.string().optional(),
    text: z.string().min(1).max(65_536).optional(),
    /** Presses a button: its index, label or payload. On the latest message with buttons, unless `message` names one. */
    tap: z.strictObject({ button: z.union([z.int().min(0), z.string()]), message: z.string().optional() }).optional(),
    /** Picks a row of a list: its index, title or id. */
    choose: z.strictObject({ row: z.union([z.int().min(0), z.string()]), message: z.string().optional() }).optional(),
    /** Any other message, in Meta's form: {"type":"image","image":{…}}. */
    raw: z.looseObject({ type: z.string() }).optional(),
    /** The wamid that is quoted; taps and choices quote their message by themselves. */
    quote: z.string().optional(),
    name: z.string().optional(),
    /** Leaves `from` and `wa_id` out, as for a user with a username. */
    hidePhone: z.boolean().optional(),
    omitContext: z.boolean().optional(),
    omitContacts: z.boolean().optional(),
    /** Unix seconds that the message claims, instead of the present. */
    timestamp: z.int().min(0).optional(),
    /** To send the same message again. */
    id: z.string().optional(),
    /** Posts the very same payload this many times. */
    copies: z.int().min(1).max(100).optional(),
  })
  .refine(
    (inbound) =>
      [inbound.text, inbound.tap, inbound.choose, inbound.raw].filter((part) => part !== undefined).length === 1,
    {
      message: 'give exactly one of text, tap, choose and raw',
    },
  )

export type InboundSeed = z.input<typeof inboundSchema>
type Inbound = z.output<typeof inboundSchema>

/** Writes to the business: opens the service window and posts the webhook. Resolves when that was answered. */
export async function receive(parts: Parts, seed: InboundSeed): Promise<{ id: string; posts: WebhookPost[] }> {
  const inbound = inboundSchema.parse(seed)
  const digits = digitsOf(inbound.from)
  if (digits === undefined) throw new ControlError(`from: ${inbound.from} is no phone number`)
  const waId = waIdOf(digits)
  const content = readContent(parts, inbound, waId)
  const row = findBusinessNumber(parts, inbound, content.answers, waId)
  const phone = parts.phones.find(waId)
  const message = makeMessage(parts, row, inbound, content, waId, phone)
  const writtenAt = Number(message.timestamp) * 1000
  parts.windows.open(row.number.id, waId, writtenAt)
  parts.inbox.add({
    id: message.id,
    phoneNumberId: row.number.id,
    from: waId,
    type: message.type,
    at: writtenAt,
    readByBusiness: false,
  })
  parts.counts.inbound++
  // What comes in uses up the number's throughput as well, but is never refused.
  const perSecond = messagesPerSecond(row.number)
  parts.throughput.take(row.number.id, 1000 / perSecond, perSecond, parts.now())
  const contact = inbound.omitContacts === true ? undefined : contactOf(row, inbound, waId, phone)
  const update: Update = { kind: 'message', metadata: metadataOf(row.number), message, contact }
  const posts = await Promise.all(
    Array.from({ length: inbound.copies ?? 1 }, () => parts.outbox.sendNow(row.account, [update])),
  )
  return { id: message.id, posts: posts.filter((post) => post !== undefined) }
}

type Content = { fields: { type: string; [field: string]: unknown }; answers: Message | undefined }

function readContent(parts: Parts, inbound: Inbound, waId: string): Content {
  const { text, tap, choose, raw } = inbound
  if (tap !== undefined) {
    const answers = findAnswered(parts, tap.message, waId, (message) => message.shown.buttons.some(isReply))
    return { fields: tapOf(answers, pick(answers.shown.buttons.filter(isReply), tap.button, 'button')), answers }
  }
  if (choose !== undefined) {
    const answers = findAnswered(parts, choose.message, waId, (message) => message.shown.list !== undefined)
    const rows = (answers.shown.list?.rows ?? []).map((row, index) => ({
      ...row,
      index,
      text: row.title,
      payload: row.id,
    }))
    const { id, title, description } = pick(rows, choose.row, 'row')
    const reply = { id, title, ...(description === undefined ? {} : { description }) }
    return { fields: { type: 'interactive', interactive: { type: 'list_reply', list_reply: reply } }, answers }
  }
  if (raw !== undefined) return { fields: raw, answers: undefined }
  return { fields: { type: 'text', text: { body: text } }, answers: undefined }
}

/** A tap on a template is a `button`, one on an interactive message is `interactive`. */
function tapOf(answers: Message, button: ShownButton): Content['fields'] {
  if (answers.type === 'template') return { type: 'button', button: { payload: button.payload, text: button.text } }
  const reply = { id: button.payload, title: button.text }
  return { type: 'interactive', interactive: { type: 'button_reply', button_reply: reply } }
}

function isReply(button: ShownButton): boolean {
  return button.payload !== undefined
}

function findAnswered(
  parts: Parts,
  id: string | undefined,
  waId: string,
  fits: (message: Message) => boolean,
): Message {
  const message = parts.messages.findLast((message) =>
    id === undefined ? message.waId === waId && fits(message) : message.id === id,
  )
  if (message !== undefined && fits(message)) return message
  if (message !== undefined) throw new ControlError(`message ${id} has nothing of that kind to press`)
  throw new ControlError(`no message on the phone ${waId} can be answered so; send one first, or name it by "message"`)
}

type Choice = { index: number; text: string; payload?: string }

function pick<Row extends Choice>(rows: readonly Row[], wanted: number | string, what: string): Row {
  const row = rows.find((row) =>
    typeof wanted === 'number' ? row.index === wanted : row.payload === wanted || row.text === wanted,
  )
  if (row !== undefined) return row
  const choices = rows.map((row) => `${row.index} "${row.text}"`).join(', ')
  throw new ControlError(`there is no ${what} ${JSON.stringify(wanted)}; choose from ${choices}`)
}

function findBusinessNumber(
  parts: Parts,
  inbound: Inbound,
  answers: Message | undefined,
  waId: string,
): NumberOfAccount {
  const byName = inbound.to === undefined ? undefined : findNumber(parts, inbound.to)
  if (inbound.to !== undefined && byName === undefined)
    throw new ControlError(`to: there is no business number ${inbound.to}`)
  const writer = answers ?? parts.messages.findLast((message) => message.waId === waId)
  const byWriter = writer === undefined ? undefined : parts.accounts.findNumber(writer.phoneNumberId)
  const row = byName ?? byWriter ?? onlyNumber(parts)
  if (row === undefined) throw new ControlError('say by "to" which business number the customer writes to')
  return row
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
  { fields, answers }: Content,
  waId: string,
  phone: Phone | undefined,
): InboundMessage {
  const quoted = inbound.quote ?? answers?.id
  const hidden = isHidden(inbound, phone)
  return {
    ...(hidden ? {} : { from: waId }),
    ...(account.userIds ? { from_user_id: userIdOf(account.businessId, waId) } : {}),
    id: inbound.id ?? makeWamid(waId),
    timestamp: String(inbound.timestamp ?? Math.floor(parts.now() / 1000)),
    ...(quoted === undefined || inbound.omitContext === true ? {} : { context: { from: number.digits, id: quoted } }),
    ...fields,
  }
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
