import { randomBytes } from 'node:crypto'
import { findError, GraphError, refuse } from './errors.ts'
import { readInteractive, readText } from './interactive.ts'
import { META_LIMITS } from './limits.ts'
import { digitsOf, isUserId, userIdOf, waIdOf } from './phones.ts'
import { characters, findText, isObject, requireObject, requireText } from './reading.ts'
import { fillTemplate } from './template-send.ts'
import { templateKey } from './accounts.ts'
import { scriptedDetails } from './delivery.ts'
import { ttlMs } from './templates.ts'
import type { Account, NumberOfAccount, PhoneNumber } from './accounts.ts'
import type { Behaviour, ScriptedError } from './behaviour.ts'
import type { Message, Pricing, ShownMessage } from './messages.ts'
import type { Parts } from './parts.ts'
import type { Person } from './phones.ts'
import type { Wire } from './reading.ts'
import type { Template, TemplateStatus } from './templates.ts'

/** A send that passed every check. `accept` takes it; until then nothing has happened. */
export type CheckedSend = { row: NumberOfAccount; request: Wire; to: Recipient; content: Content; behaviour: Behaviour }

type Recipient = Person & { input: string; phoneHidden: boolean }
type Content = {
  type: Message['type']
  template: Template | undefined
  shown: ShownMessage
  code: string | undefined
  parameters: string[]
  warnings: string[]
}

const THIRTY_DAYS_MS = 30 * 24 * 60 * 60 * 1000
/** From this day messages inside a service window cost too. */
const WINDOWS_BILLED_FROM = Date.UTC(2026, 9, 1)

/** Everything Meta checks before it answers 200, cheapest first. Throws the refusal. */
export function checkSend(parts: Parts, row: NumberOfAccount, body: unknown): CheckedSend {
  const request = requireMessagingProduct(body)
  checkEnvelope(request)
  const to = readRecipient(parts, row, request)
  checkSender(row)
  checkRecipientAllowed(row.number, to)
  const content = readContent(row.account, request, to)
  const behaviour = parts.scripts.take({
    to: to.digits ?? to.input,
    phoneNumberId: row.number.id,
    fromDigits: row.number.digits,
    template: content.template?.name,
  })
  if (behaviour.error !== undefined) throw scriptedRefusal(behaviour.error, content)
  checkPace(parts, row.number, to)
  checkWindow(parts, row.number, to, content)
  return { row, request, to, content, behaviour }
}

/** Puts the message on the phone. Its statuses are not begun yet. */
export function accept(parts: Parts, { row, request, to, content, behaviour }: CheckedSend): Message {
  const { account, number } = row
  const acceptedAt = parts.now()
  const { template, shown } = content
  const message: Message = {
    id: makeWamid(to.waId ?? to.input),
    order: parts.conversations.takePlace(),
    accountId: account.id,
    phoneNumberId: number.id,
    from: number.digits,
    to: to.digits === undefined ? to.input : `+${to.digits}`,
    waId: to.waId,
    userId: to.userId,
    phoneHidden: to.phoneHidden,
    type: content.type,
    template: template && { name: template.name, language: template.language, category: template.category },
    text: [shown.header, shown.body, shown.footer].filter((part) => part !== undefined).join('\n'),
    shown,
    code: content.code,
    parameters: content.parameters,
    callbackData: findText(request['biz_opaque_callback_data'], 'biz_opaque_callback_data'),
    quotes: isObject(request['context']) ? findText(request['context']['message_id'], 'context.message_id') : undefined,
    acceptedAt,
    expiresAt: acceptedAt + (template === undefined ? THIRTY_DAYS_MS : ttlMs(template)),
    pricing: priceOf(parts, number, to, template),
    behaviour: withClosedWindow(parts, number, to, content, behaviour),
    expired: false,
    blocked: false,
    arrivedAt: undefined,
    ignored: false,
    statuses: [],
    warnings: content.warnings,
  }
  if (account.userIds && to.userId !== undefined && to.waId !== undefined)
    parts.phones.rememberUserId(to.userId, to.waId)
  parts.counts.accepted++
  parts.messages.add(message)
  return message
}

/** The body of the 200. */
export function acceptance(account: Account, to: Recipient, message: Message) {
  const { omit = [], messageStatus = 'accepted', extraFields } = message.behaviour
  const showsWaId =
    message.waId !== undefined && to.digits !== undefined && !message.phoneHidden && !omit.includes('wa_id')
  const showsUserId = account.userIds && message.userId !== undefined && !omit.includes('user_id')
  return {
    messaging_product: 'whatsapp',
    contacts: [
      {
        input: to.input,
        ...(showsWaId ? { wa_id: message.waId } : {}),
        ...(showsUserId ? { user_id: message.userId } : {}),
      },
    ],
    messages: [{ id: message.id, ...(messageStatus === 'omitted' ? {} : { message_status: messageStatus }) }],
    ...(extraFields === true ? { unannounced_field: ['é'] } : {}),
  }
}

/** `{"status":"read","message_id":"…"}` marks a customer's message as read by the business. */
export function readReceipt(parts: Parts, { number }: NumberOfAccount, body: Wire): { success: true } {
  requireMessagingProduct(body)
  const id = requireText(body['message_id'], 'message_id')
  const inbound = parts.inbox.find(id)
  if (inbound === undefined || inbound.phoneNumberId !== number.id)
    refuse(131009, 'message_id is no message to this number')
  if (parts.now() - inbound.at > THIRTY_DAYS_MS) refuse(131009, 'message_id is older than 30 days')
  parts.inbox.markRead(inbound)
  parts.counts.readReceipts++
  return { success: true }
}

export function requireMessagingProduct(body: unknown): Wire {
  if (!isObject(body)) refuse(100, 'the body must be a JSON object')
  if (body['messaging_product'] === undefined) refuse(100, 'messaging_product is required')
  if (body['messaging_product'] !== 'whatsapp') refuse(100, 'messaging_product must be "whatsapp"')
  return body
}

function checkEnvelope(request: Wire): void {
  const recipientType = findText(request['recipient_type'], 'recipient_type')
  if (recipientType !== undefined && recipientType !== 'individual') {
    refuse(100, `recipient_type "${recipientType}" is not known to the twin: it has individual`)
  }
  const callbackData = findText(request['biz_opaque_callback_data'], 'biz_opaque_callback_data') ?? ''
  if (characters(callbackData) > META_LIMITS.callbackDataCharacters) {
    refuse(100, `biz_opaque_callback_data has at most ${META_LIMITS.callbackDataCharacters} characters`)
  }
  if (request['context'] !== undefined) {
    requireText(requireObject(request['context'], 'context')['message_id'], 'context.message_id')
  }
}

/** When both are given the phone number wins. */
function readRecipient(parts: Parts, { account }: NumberOfAccount, request: Wire): Recipient {
  const to = findText(request['to'], 'to') ?? ''
  const recipient = findText(request['recipient'], 'recipient') ?? ''
  if (to !== '') {
    // Seen at Meta: a user id in `to` is taken and the message goes nowhere.
    if (isUserId(to)) return { input: to, digits: undefined, waId: undefined, userId: undefined, phoneHidden: true }
    const digits = digitsOf(to)
    if (digits === undefined) refuse(131009, 'to must be a phone number with its country code')
    const waId = waIdOf(digits)
    const userId = account.userIds ? userIdOf(account.businessId, waId) : undefined
    return { input: to, digits, waId, userId, phoneHidden: parts.phones.find(waId)?.username !== undefined }
  }
  if (recipient === '') refuse(100, 'to is required')
  if (!isUserId(recipient)) refuse(131009, 'recipient must be a business-scoped user id')
  const waId = parts.phones.findByUserId(recipient)
  return { input: recipient, digits: undefined, waId, userId: recipient, phoneHidden: true }
}

function checkSender({ account, number }: NumberOfAccount): void {
  if (account.blockedBy !== undefined) throw new GraphError(account.blockedBy)
  switch (number.status) {
    case 'CONNECTED':
    case 'FLAGGED':
      return
    case 'BANNED':
      return refuse(131031, 'the phone number is banned')
    case 'RESTRICTED':
      return refuse(368, 'the phone number is restricted')
    case 'RATE_LIMITED':
      return refuse(131048, 'the phone number is limited for its quality')
    case 'PENDING':
    case 'DISCONNECTED':
    case 'MIGRATED':
    case 'DELETED':
    case 'UNVERIFIED':
    case 'UNKNOWN':
      return refuse(133010, `the status of the phone number is ${number.status}, not CONNECTED`)
  }
}

function checkRecipientAllowed(number: PhoneNumber, to: Recipient): void {
  if (to.digits === number.digits) refuse(131021)
  const allowed = number.allowedRecipients
  if (allowed !== undefined && !allowed.some((entry) => digitsOf(entry) === to.digits)) refuse(131030)
}

function readContent(account: Account, request: Wire, to: Recipient): Content {
  const type = findText(request['type'], 'type') ?? 'text'
  const plain = { template: undefined, code: undefined, warnings: [] }
  switch (type) {
    case 'template':
      return readTemplate(account, request['template'], to)
    case 'text': {
      const shown = readText(request['text'])
      return { ...plain, type, shown, parameters: [shown.body] }
    }
    case 'interactive': {
      const shown = readInteractive(request['interactive'])
      return { ...plain, type, shown, parameters: [shown.body] }
    }
    default:
      return refuse(131051, `type "${type}" is not known to the twin: it has template, text and interactive`)
  }
}

function readTemplate(account: Account, given: unknown, to: Recipient): Content {
  const request = requireObject(given, 'template')
  const name = requireText(request['name'], 'template.name')
  const language = requireObject(request['language'], 'template.language')
  const code = requireText(language['code'], 'template.language.code')
  const policy = findText(language['policy'], 'template.language.policy') ?? 'deterministic'
  if (policy !== 'deterministic') refuse(100, 'template.language.policy must be deterministic')
  const template = account.templates.get(templateKey(name, code))
  if (template === undefined) refuse(132001, `the template ${name} does not exist in ${code}`)
  checkTemplateStatus(template)
  if (template.category === 'AUTHENTICATION' && to.digits === undefined) refuse(131062)
  const filled = fillTemplate(template, request['components'])
  return { type: 'template', template, ...filled }
}

/** Only an approved template can be sent; two of the other states have codes of their own. */
function checkTemplateStatus({ name, language, status }: Template): void {
  const codes: Partial<Record<TemplateStatus, 132015 | 132016>> = { PAUSED: 132015, DISABLED: 132016 }
  if (status === 'APPROVED') return
  refuse(codes[status] ?? 132001, `the template ${name} in ${language} is ${status}`)
}

function scriptedRefusal(error: ScriptedError, content: Content): GraphError {
  if (typeof error === 'number') return new GraphError(error)
  const details = scriptedDetails(error, content.parameters) ?? findError(error.code).details
  return new GraphError(error.code, details, {
    httpStatus: error.httpStatus,
    title: error.title,
    subcode: error.subcode,
  })
}

function checkPace(parts: Parts, number: PhoneNumber, to: Recipient): void {
  const now = parts.now()
  if (parts.settings.throughputLimit !== false) {
    const perSecond = messagesPerSecond(number)
    if (!parts.throughput.take(number.id, 1000 / perSecond, perSecond, now)) {
      refuse(130429, `the number sends at most ${perSecond} messages a second`)
    }
  }
  if (parts.settings.pairLimit === false) return
  const pair = `${number.id}/${to.waId ?? to.userId}`
  if (!parts.pairs.take(pair, META_LIMITS.pairIntervalMs, META_LIMITS.pairBurstMessages, now)) refuse(131056)
}

export function messagesPerSecond(number: PhoneNumber): number {
  return number.throughput === 'HIGH' ? META_LIMITS.highMessagesPerSecond : META_LIMITS.standardMessagesPerSecond
}

function checkWindow(parts: Parts, number: PhoneNumber, to: Recipient, content: Content): void {
  if (parts.settings.closedWindow === 'http' && needsWindow(parts, number, to, content)) refuse(131047)
}

/** Meta takes a text outside the window and lets it fail a moment later. */
function withClosedWindow(
  parts: Parts,
  number: PhoneNumber,
  to: Recipient,
  content: Content,
  behaviour: Behaviour,
): Behaviour {
  return needsWindow(parts, number, to, content) ? { ...behaviour, statuses: undefined, failed: 131047 } : behaviour
}

function needsWindow(parts: Parts, number: PhoneNumber, to: Recipient, content: Content): boolean {
  return content.template === undefined && !isWindowOpen(parts, number, to)
}

function isWindowOpen(parts: Parts, number: PhoneNumber, to: Recipient): boolean {
  return parts.windows.isOpen(number.id, to.waId ?? to.input, parts.now())
}

function priceOf(parts: Parts, number: PhoneNumber, to: Recipient, template: Template | undefined): Pricing {
  const category = template?.category.toLowerCase() ?? 'service'
  const inWindow = template === undefined || (template.category === 'UTILITY' && isWindowOpen(parts, number, to))
  const free = inWindow && parts.now() < WINDOWS_BILLED_FROM
  return { billable: !free, pricing_model: 'PMP', type: free ? 'free_customer_service' : 'regular', category }
}

/** In the look of a real one; callers must treat it as opaque. */
export function makeWamid(party: string): string {
  const tail = `\x15\x02\x00\x11\x18\x12${randomBytes(9).toString('hex').toUpperCase()}\x00`
  return `wamid.${Buffer.from(`\x1c\x18${String.fromCharCode(party.length)}${party}${tail}`, 'latin1').toString('base64')}`
}
