import type { InboundMessage, ProviderChange, StatusReport } from '../provider.ts'
import { isKnown, readStatusError } from './errors.ts'
import { type JsonObject, identifier, listOf, objectOf, readObject, storable, textOf } from './json.ts'
import { instantOf, isQualityUpdate } from './parse.ts'

const OUTCOMES = ['sent', 'delivered', 'read', 'played', 'failed'] as const

/** Reads a status that parse has stored. Undefined for outcomes that we do not know. */
export function readStatus(body: string): StatusReport | undefined {
  const status = readObject(body)
  const outcome = OUTCOMES.find((each) => each === status?.status)
  const at = instantOf(status?.timestamp)
  if (!outcome) return undefined
  if (outcome !== 'failed') return { outcome, at, error: null, errors: [] }
  const errors = listOf(status?.errors).slice(0, ERRORS_MOST).map(readStatusError)
  return { outcome, at, error: errors.find(isKnown) ?? errors[0] ?? readStatusError(undefined), errors }
}

/** There can be more than one (§4.3), and there is no reason for more than a few. */
const ERRORS_MOST = 10

export const readStatusWord = (body: string): string | null => textOf(readObject(body)?.status) ?? null

/** Reads a customer's message that parse has stored (§4.4). Every member is optional, `from` too (§4.6). */
export function readInbound(body: string): InboundMessage | undefined {
  const stored = objectOf(storable(readObject(body))) // what it says may be stored again, as a note
  const message = objectOf(stored?.message)
  if (!message) return undefined
  return {
    phoneNumberId: textOf(stored?.phone_number_id) ?? null,
    customer: { waId: textOf(message.from) ?? null, userId: identifier(message.from_user_id) },
    quotes: textOf(objectOf(message.context)?.id) ?? null,
    says: saysOf(message),
  }
}

/** Two shapes for one gesture: a tap on a template's quick reply, and a choice of an interactive message. */
function saysOf(message: JsonObject): InboundMessage['says'] {
  const type = textOf(message.type) ?? 'unknown'
  if (type === 'text') return { type: 'text', text: textOf(objectOf(message.text)?.body) ?? '' }
  const interactive = objectOf(message.interactive)
  const payload =
    textOf(objectOf(message.button)?.payload) ??
    textOf(objectOf(interactive?.button_reply)?.id) ??
    textOf(objectOf(interactive?.list_reply)?.id)
  return payload === undefined ? { type: 'other', kind: type } : { type: 'tap', payload }
}

/**
 * What an event of message_template_status_update says of the template's status, where it says anything.
 * FLAGGED and LOCKED leave open whether it can be sent: the list tells.
 */
const STATUS_OF_EVENT: Readonly<Record<string, string>> = {
  APPROVED: 'APPROVED',
  REINSTATED: 'APPROVED',
  UNARCHIVED: 'APPROVED',
  ARCHIVED: 'ARCHIVED',
  DELETED: 'DELETED',
  DISABLED: 'DISABLED',
  IN_APPEAL: 'IN_APPEAL',
  LIMIT_EXCEEDED: 'LIMIT_EXCEEDED',
  PAUSED: 'PAUSED',
  PENDING: 'PENDING',
  PENDING_DELETION: 'PENDING_DELETION',
  REJECTED: 'REJECTED',
}

/** Reads a template, number or account item that parse has stored. */
export function readChange(body: string): ProviderChange | undefined {
  const change = objectOf(storable(readObject(body)))
  const value = objectOf(change?.value)
  const field = textOf(change?.field)
  if (!field || !value) return undefined
  const wabaId = textOf(change?.waba_id) ?? null
  if (isQualityUpdate(value)) return templateChange(value, { field, wabaId })
  if (field.startsWith('phone_number_')) return { kind: 'number', wabaId }
  if (!field.includes('template')) return { kind: 'account', wabaId }
  return templateChange(value, { field, wabaId })
}

/** By name and language: the template's id is a number beyond what JSON.parse keeps exactly. */
function templateChange(
  value: JsonObject,
  { field, wabaId }: { field: string; wabaId: string | null },
): ProviderChange | undefined {
  const name = textOf(value.message_template_name)
  const language = textOf(value.message_template_language)?.replaceAll('-', '_')
  const event = textOf(value.event)?.toUpperCase() ?? ''
  const isStatus = field === 'message_template_status_update' && Object.hasOwn(STATUS_OF_EVENT, event)
  // Without a name it still says that some template of the account has changed.
  if (!name || !language) return { kind: 'account', wabaId }
  return { kind: 'template', wabaId, name, language, status: isStatus ? (STATUS_OF_EVENT[event] ?? null) : null }
}
