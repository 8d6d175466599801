import type { InboundMessage, ProviderChange, StatusReport } from '../provider.ts'
import { isKnown, readStatusError } from './errors.ts'
import { type JsonObject, identifier, listOf, objectOf, readObject, storable, textOf } from './json.ts'
import { instantOf, isQualityUpdate } from './parse.ts'

const OUTCOMES = ['sent', 'delivered', 'read', 'played', 'failed'] as const

export function readStatus(body: string): StatusReport | undefined {
  const status = readObject(body)
  const outcome = OUTCOMES.find((each) => each === status?.status)
  const at = instantOf(status?.timestamp)
  if (!outcome) return undefined
  if (outcome !== 'failed') return { outcome, at, failureCode: null, ours: false, error: null, errors: [] }
  const errors = listOf(status?.errors).slice(0, MAX_ERRORS).map(readStatusError)
  const error = errors.find(isKnown) ?? errors[0] ?? readStatusError(undefined)
  return { outcome, at, failureCode: error.failureCode, ours: false, error, errors }
}

const MAX_ERRORS = 10

export const readStatusWord = (body: string): string | null => textOf(readObject(body)?.status) ?? null

/** Even `from` is optional (docs/whatsapp-cloud-api.md#customers-and-their-numbers). */
export function readInbound(body: string): InboundMessage | undefined {
  const stored = objectOf(storable(readObject(body))) // its text may be stored again, as a note
  const message = objectOf(stored?.message)
  if (!message) return undefined
  return {
    phoneNumberId: textOf(stored?.phone_number_id) ?? null,
    customer: { waId: textOf(message.from) ?? null, userId: identifier(message.from_user_id) },
    quotes: textOf(objectOf(message.context)?.id) ?? null,
    says: contentOf(message),
  }
}

/** The person whose data a stored item is: the sender of a message, the recipient of a status. The content may name others. */
export function readOwner(body: string): { waIds: string[]; userIds: string[] } {
  const stored = readObject(body)
  const message = objectOf(stored?.message)
  const system = objectOf(message?.system) // says that the sender's number or user id has changed
  const waIds = [message?.from, system?.customer, system?.wa_id, system?.new_wa_id, stored?.recipient_id]
  const userIds = [message?.from_user_id, system?.user_id, system?.previous_user_id, stored?.recipient_user_id]
  return {
    waIds: waIds.flatMap((waId) => textOf(waId)?.replace(/^\+/, '') ?? []),
    userIds: userIds.flatMap((userId) => identifier(userId) ?? []),
  }
}

export const sharesContacts = (body: string): boolean =>
  listOf(objectOf(readObject(body)?.message)?.contacts).length > 0

/** A tap is a template's quick reply or a choice of an interactive message. */
function contentOf(message: JsonObject): InboundMessage['says'] {
  const type = textOf(message.type) ?? 'unknown'
  if (type === 'text') return { type: 'text', text: textOf(objectOf(message.text)?.body) ?? '' }
  const interactive = objectOf(message.interactive)
  const payload =
    textOf(objectOf(message.button)?.payload) ??
    textOf(objectOf(interactive?.button_reply)?.id) ??
    textOf(objectOf(interactive?.list_reply)?.id)
  return payload === undefined ? { type: 'other', kind: type } : { type: 'tap', payload }
}

/** Events of message_template_status_update. FLAGGED and LOCKED do not say whether the template can be sent. */
const TEMPLATE_STATUSES =
  'APPROVED ARCHIVED DELETED DISABLED IN_APPEAL LIMIT_EXCEEDED PAUSED PENDING PENDING_DELETION REJECTED'.split(' ')
const APPROVING = ['REINSTATED', 'UNARCHIVED']

/** Identifies a template by name and language: its id is a number that JSON.parse does not keep exactly. */
export function readChange(body: string): ProviderChange | undefined {
  const change = objectOf(storable(readObject(body)))
  const value = objectOf(change?.value)
  const field = textOf(change?.field)
  if (!field || !value) return undefined
  const wabaId = textOf(change?.waba_id) ?? null
  if (!isQualityUpdate(value) && field.startsWith('phone_number_')) return { kind: 'number', wabaId }
  const name = textOf(value.message_template_name)
  const language = textOf(value.message_template_language)?.replaceAll('-', '_')
  // Without a name, an update of a template still means that some template of the account changed.
  if (!name || !language || !(isQualityUpdate(value) || field.includes('template'))) return { kind: 'account', wabaId }
  const event = field === 'message_template_status_update' ? textOf(value.event)?.toUpperCase() : undefined
  const status = TEMPLATE_STATUSES.find((each) => each === event) ?? null
  return { kind: 'template', wabaId, name, language, status: APPROVING.includes(event ?? '') ? 'APPROVED' : status }
}
