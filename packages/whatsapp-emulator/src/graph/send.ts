import {
  type Account,
  type NumberOfAccount,
  type PhoneNumber,
  SENDING_STATUSES,
  messagesPerSecond,
  templateKey,
} from '../accounts/accounts.ts'
import { type Template, type TemplateStatus, ttlMs } from '../accounts/templates.ts'
import { GraphError, reject } from '../errors.ts'
import { META_LIMITS } from '../limits.ts'
import type { Behaviour } from '../messages/script.ts'
import { readScriptedError } from '../messages/delivery.ts'
import { type Message, makeWamid } from '../messages/messages.ts'
import { digitsOf, isUserId, userIdOf, waIdOf } from '../messages/phones.ts'
import type { Parts } from '../parts.ts'
import { ObjectReader, characters, isObject } from '../reading.ts'
import type { Pricing } from '../webhooks/webhook-body.ts'
import { type FilledTemplate, fillTemplate } from './fill-template.ts'
import { readInteractive, readText } from './interactive.ts'

/** A send that passed every check. Nothing has changed before `accept`. */
export type CheckedSend = {
  row: NumberOfAccount
  to: Recipient
  callbackData: string | undefined
  /** The wamid that it replies to. */
  quotes: string | undefined
  content: Content
  behaviour: Behaviour
}

/** The recipient of a message. Both ids may be known, and at least one is, unless the message is never delivered. */
type Recipient = {
  input: string
  /** "+" and digits; the user id if it was sent to one. */
  to: string
  digits: string | undefined
  waId: string | undefined
  userId: string | undefined
  phoneHidden: boolean
}
type Content = FilledTemplate & { type: Message['type']; template: Template | undefined }

const THIRTY_DAYS_MS = 30 * 24 * 60 * 60 * 1000
/** From this day messages inside a service window are billed, too. */
const WINDOWS_BILLED_FROM = Date.UTC(2026, 9, 1)

/** Meta's checks before it answers 200, cheapest first, then the script of the send. Throws a GraphError. */
export function checkSend(parts: Parts, row: NumberOfAccount, body: unknown): CheckedSend {
  const request = requireMessagingProduct(body)
  const envelope = readEnvelope(request)
  const to = readRecipient(parts, row, request)
  checkSender(row)
  checkRecipientAllowed(row.number, to)
  const content = readContent(row.account, request, to)
  checkPace(parts, row.number, to)
  const mayArrive = content.template !== undefined || isWindowOpen(parts, row.number, to)
  if (!mayArrive && parts.settings.closedWindow === 'http') reject(131047)
  const { id: phoneNumberId, digits: from } = row.number
  const behaviour = parts.scripts.takeBehaviour({ ...to, phoneNumberId, from, template: content.template })
  if (behaviour.error !== undefined) {
    const error = readScriptedError(behaviour.error, content.parameters)
    throw new GraphError(error.code, error.details, error)
  }
  const send = { row, to, ...envelope, content, behaviour }
  if (mayArrive) return send
  // Outside the window only templates can be sent: Meta accepts a text and fails it a moment later.
  return { ...send, behaviour: { ...behaviour, statuses: undefined, failed: 131047 } }
}

/** Stores the message. Its statuses start later. */
export function accept(parts: Parts, send: CheckedSend): Message {
  const { row, to, content, ...envelope } = send
  const { account, number } = row
  const acceptedAt = parts.now()
  const { input, digits: _digits, ...recipient } = to
  const { template, ...shownContent } = content
  const { shown } = content
  const message: Message = {
    id: makeWamid(to.waId ?? input),
    order: parts.nextIds.order++,
    accountId: account.id,
    phoneNumberId: number.id,
    from: number.digits,
    ...recipient,
    ...shownContent,
    template: template && { name: template.name, language: template.language, category: template.category },
    text: [shown.header, shown.body, shown.footer].filter((part) => part !== undefined).join('\n'),
    ...envelope,
    acceptedAt,
    expiresAt: acceptedAt + (template === undefined ? THIRTY_DAYS_MS : ttlMs(template)),
    pricing: priceOf(parts, number, to, template),
    expired: false,
    blocked: false,
    arrivedAt: undefined,
    ignored: false,
    statuses: [],
  }
  if (account.userIds && to.userId !== undefined && to.waId !== undefined)
    parts.phones.rememberUserId(to.userId, to.waId)
  parts.counts.accepted++
  parts.messages.add(message)
  return message
}

export function acceptance(account: Account, to: Recipient, message: Message) {
  const { omit = [], messageStatus = 'accepted', extraFields } = message.behaviour
  const showsWaId = to.digits !== undefined && !message.phoneHidden && !omit.includes('wa_id')
  const contact = {
    input: to.input,
    wa_id: showsWaId ? message.waId : undefined,
    user_id: account.userIds && !omit.includes('user_id') ? message.userId : undefined,
  }
  return {
    messaging_product: 'whatsapp',
    contacts: [contact],
    messages: [{ id: message.id, message_status: messageStatus === 'omitted' ? undefined : messageStatus }],
    unannounced_field: extraFields === true ? ['é'] : undefined,
  }
}

/** `{"status":"read","message_id":"…"}` marks a customer's message as read by the business. */
export function readReceipt(parts: Parts, { number }: NumberOfAccount, body: unknown): { success: true } {
  const id = requireMessagingProduct(body).text('message_id')
  const inbound = parts.inbox.find(id)?.record
  if (inbound === undefined || inbound.phoneNumberId !== number.id)
    reject(131009, 'message_id is not a message to this number')
  if (parts.now() - inbound.at > THIRTY_DAYS_MS) reject(131009, 'message_id is older than 30 days')
  parts.inbox.markRead(inbound)
  parts.counts.readReceipts++
  return { success: true }
}

export function requireMessagingProduct(body: unknown): ObjectReader {
  if (!isObject(body)) reject(100, 'the body must be a JSON object')
  if (body['messaging_product'] === undefined) reject(100, 'messaging_product is required')
  if (body['messaging_product'] !== 'whatsapp') reject(100, 'messaging_product must be "whatsapp"')
  return new ObjectReader(body, '')
}

function readEnvelope(request: ObjectReader): Pick<CheckedSend, 'callbackData' | 'quotes'> {
  const recipientType = request.findText('recipient_type')
  if (recipientType !== undefined && recipientType !== 'individual')
    reject(100, `recipient_type "${recipientType}" is not supported by the emulator, only individual`)
  const callbackData = request.findText('biz_opaque_callback_data')
  if (characters(callbackData ?? '') > META_LIMITS.callbackDataCharacters)
    reject(100, `biz_opaque_callback_data has at most ${META_LIMITS.callbackDataCharacters} characters`)
  return { callbackData, quotes: request.findObject('context')?.text('message_id') }
}

/** A phone number takes precedence over a user id. */
function readRecipient(parts: Parts, { account }: NumberOfAccount, request: ObjectReader): Recipient {
  const to = request.findText('to') ?? ''
  const recipient = request.findText('recipient') ?? ''
  if (to !== '') {
    // Observed: Meta accepts a user id in `to`, but never delivers the message.
    if (isUserId(to)) return { input: to, to, digits: undefined, waId: undefined, userId: undefined, phoneHidden: true }
    const digits = digitsOf(to)
    if (digits === undefined) reject(131009, 'to must be a phone number with its country code')
    const waId = waIdOf(digits)
    const userId = account.userIds ? userIdOf(account.businessId, waId) : undefined
    return {
      input: to,
      to: `+${digits}`,
      digits,
      waId,
      userId,
      phoneHidden: parts.phones.get(waId).username !== undefined,
    }
  }
  if (recipient === '') reject(100, 'to is required')
  if (!isUserId(recipient)) reject(131009, 'recipient must be a business-scoped user id')
  const waId = parts.phones.findByUserId(recipient)
  return { input: recipient, to: recipient, digits: undefined, waId, userId: recipient, phoneHidden: true }
}

function checkSender({ account, number }: NumberOfAccount): void {
  if (account.blockedBy !== undefined) throw new GraphError(account.blockedBy)
  if (SENDING_STATUSES.some((status) => status === number.status)) return
  if (number.status === 'BANNED') reject(131031, 'the phone number is banned')
  if (number.status === 'RESTRICTED') reject(368, 'the phone number is restricted')
  if (number.status === 'RATE_LIMITED') reject(131048, 'the phone number is limited for its quality')
  reject(133010, `the status of the phone number is ${number.status}, not CONNECTED`)
}

function checkRecipientAllowed(number: PhoneNumber, to: Recipient): void {
  if (to.digits === number.digits) reject(131021)
  const allowed = number.allowedRecipients
  if (allowed !== undefined && !allowed.some((entry) => digitsOf(entry) === to.digits)) reject(131030)
}

function readContent(account: Account, request: ObjectReader, to: Recipient): Content {
  const type = request.findText('type') ?? 'text'
  if (type === 'template') return readTemplate(account, request.object(type), to)
  if (type !== 'text' && type !== 'interactive')
    reject(131051, `type "${type}" is not supported by the emulator, only template, text and interactive`)
  const shown = type === 'text' ? readText(request.object(type)) : readInteractive(request.object(type))
  return { type, shown, parameters: [shown.body], template: undefined, code: undefined, warnings: [] }
}

function readTemplate(account: Account, request: ObjectReader, to: Recipient): Content {
  const name = request.text('name')
  const language = request.object('language')
  const code = language.text('code')
  const policy = language.findText('policy') ?? 'deterministic'
  if (policy !== 'deterministic') reject(100, 'template.language.policy must be deterministic')
  const template = account.templates.get(templateKey(name, code))
  if (template === undefined) reject(132001, `the template ${name} does not exist in ${code}`)
  checkTemplateStatus(template)
  if (template.category === 'AUTHENTICATION' && to.digits === undefined) reject(131062)
  const filled = fillTemplate(template, request.findList('components'))
  return { type: 'template', template, ...filled }
}

/** Only an approved template can be sent; two of the other states have codes of their own. */
function checkTemplateStatus({ name, language, status }: Template): void {
  const codes: Partial<Record<TemplateStatus, 132015 | 132016>> = { PAUSED: 132015, DISABLED: 132016 }
  if (status === 'APPROVED') return
  reject(codes[status] ?? 132001, `the template ${name} in ${language} is ${status}`)
}

function checkPace(parts: Parts, number: PhoneNumber, to: Recipient): void {
  const now = parts.now()
  if (parts.settings.throughputLimit !== false) {
    const perSecond = messagesPerSecond(number)
    if (!parts.throughput.take(number.id, 1000 / perSecond, perSecond, now))
      reject(130429, `the number sends at most ${perSecond} messages a second`)
  }
  if (parts.settings.pairLimit === false) return
  const pair = `${number.id}/${to.waId ?? to.userId}`
  if (!parts.pairs.take(pair, META_LIMITS.pairIntervalMs, META_LIMITS.pairBurstMessages, now)) reject(131056)
}

function isWindowOpen(parts: Parts, number: PhoneNumber, to: Recipient): boolean {
  return parts.windows.openUntil(number.id, to.waId ?? to.input, parts.now()) !== undefined
}

function priceOf(parts: Parts, number: PhoneNumber, to: Recipient, template: Template | undefined): Pricing {
  const category = template?.category.toLowerCase() ?? 'service'
  const inWindow = template === undefined || (template.category === 'UTILITY' && isWindowOpen(parts, number, to))
  const free = inWindow && parts.now() < WINDOWS_BILLED_FROM
  return { billable: !free, pricing_model: 'PMP', type: free ? 'free_customer_service' : 'regular', category }
}
