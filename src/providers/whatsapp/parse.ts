import { createHash } from 'node:crypto'
import type { ProviderItem } from '../provider.ts'
import { readCallbackData } from './callback-data.ts'
import { codeOf } from './errors.ts'
import { type JsonObject, identifier, listOf, objectOf, readObject, textOf } from './json.ts'

/**
 * The provider sends at most 1,000 updates in one webhook (docs/whatsapp-cloud-api.md#webhooks). 3 MB can hold a million tiny
 * values: hashing and storing each would block the process for many seconds.
 */
const MAX_ITEMS = 5_000

/**
 * Splits a webhook into its items: entries × changes × (messages | statuses | errors), every member optional.
 *
 * A stored item cannot contain an OTP, because only these parts are kept:
 * - of a status, the members named here; of its errors only the code, because titles and details may quote the message, and an OTP of up to 15 letters or digits looks like any word;
 * - of an inbound message, everything that the customer wrote;
 * - of unknown input, an outline of names, numbers and lengths, without text.
 */
export function parse(raw: Buffer): ProviderItem[] {
  const envelope = readObject(raw.toString('utf8'))
  if (!envelope) return [unreadable(raw)]
  const items: ProviderItem[] = []
  let omitted = 0
  for (const entry of listOf(envelope.entry)) {
    for (const change of listOf(objectOf(entry)?.changes)) {
      for (const makeItem of itemsOf(objectOf(entry), change)) {
        if (items.length < MAX_ITEMS) items.push(makeItem())
        else omitted += 1
      }
    }
  }
  if (omitted > 0) items.push(truncatedItem(raw, omitted))
  return items.length > 0 ? items : [unknown(envelope)]
}

type FieldKind = 'template' | 'number' | 'account'

/** Known fields other than `messages`; all others are stored as unknown (docs/whatsapp-cloud-api.md#updates-of-templates-and-accounts). */
const FIELDS: Readonly<Record<string, FieldKind>> = {
  message_template_status_update: 'template',
  message_template_quality_update: 'template',
  message_template_components_update: 'template',
  template_category_update: 'template',
  template_correct_category_detection: 'template',
  phone_number_quality_update: 'number',
  phone_number_name_update: 'number',
  account_update: 'account',
  account_review_update: 'account',
  account_alerts: 'account',
  business_capability_update: 'account',
  security: 'account',
}

/** Lazy, so that only the items that are kept are created. */
function* itemsOf(entry: JsonObject | undefined, input: unknown): Generator<() => ProviderItem> {
  const change = objectOf(input)
  const value = objectOf(change?.value)
  const field = textOf(change?.field)
  if (!value || field === undefined) return yield () => unknown(input)
  const kind = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined
  if (kind) return yield () => changed(kind, { entry, field, value })
  const statuses = listOf(value.statuses)
  const messages = listOf(value.messages)
  const errors = listOf(value.errors)
  if (field !== 'messages' || statuses.length + messages.length + errors.length === 0)
    return yield () => (isQualityUpdate(value) ? qualityUpdate({ entry, field, value }) : unknownField(field, value))
  const phoneNumberId = textOf(objectOf(value.metadata)?.phone_number_id) ?? null
  for (const each of statuses) yield () => status(each)
  for (const each of messages) yield () => message(each, phoneNumberId)
  for (const each of errors) yield () => unknown({ phoneNumberId, error: withoutTexts(each) })
}

function status(value: unknown): ProviderItem {
  const source = objectOf(value)
  if (!source) return unknown(value)
  const callbackData = readCallbackData(textOf(source.biz_opaque_callback_data))
  const providerMessageId = identifier(source.id)
  const outcome = wordOf(source.status)
  const timestamp = identifier(source.timestamp)
  const body = bodyText({
    id: providerMessageId ?? undefined,
    status: outcome ?? undefined,
    timestamp: timestamp ?? undefined,
    recipient_id: identifier(source.recipient_id) ?? undefined,
    recipient_user_id: identifier(source.recipient_user_id) ?? undefined,
    biz_opaque_callback_data: callbackData && textOf(source.biz_opaque_callback_data),
    pricing: pricingOf(objectOf(source.pricing)),
    conversation: conversationOf(objectOf(source.conversation)),
    errors: source.errors === undefined ? undefined : listOf(source.errors).map(withoutTexts),
  })
  const isComplete = providerMessageId !== null && outcome !== null && timestamp !== null
  const identity = isComplete ? `${providerMessageId}:${outcome}:${timestamp}` : hashOf(body)
  const messageId = callbackData && isMessageKind(callbackData.kind) ? callbackData.messageId : null
  return item('status', body, { identity, providerMessageId, messageId, occurredAt: instantOf(source.timestamp) })
}

/** For operators who reconcile the provider's invoice. */
const pricingOf = (value: JsonObject | undefined): object | undefined =>
  value && {
    billable: typeof value.billable === 'boolean' ? value.billable : undefined,
    pricing_model: labelOf(value.pricing_model),
    category: labelOf(value.category),
    type: labelOf(value.type),
  }

const conversationOf = (value: JsonObject | undefined): object | undefined =>
  value && {
    id: identifier(value.id) ?? undefined,
    expiration_timestamp: identifier(value.expiration_timestamp) ?? undefined,
    origin: { type: labelOf(objectOf(value.origin)?.type) },
  }

const LABEL = /^[A-Za-z_-]{1,30}$/

const labelOf = (value: unknown): string | undefined =>
  typeof value === 'string' && LABEL.test(value) ? value : undefined

const isMessageKind = (kind: string): boolean => kind === 'otp' || kind === 'cod'

const withoutTexts = (error: unknown): object => ({ code: codeOf(error) })

function message(value: unknown, phoneNumberId: string | null): ProviderItem {
  const source = objectOf(value)
  if (!source) return unknown(value)
  const content = source.errors === undefined ? source : { ...source, errors: listOf(source.errors).map(withoutTexts) }
  const body = bodyText({ phone_number_id: phoneNumberId, message: content })
  const providerMessageId = identifier(source.id)
  const identity = providerMessageId ?? hashOf(body)
  return item('message', body, { identity, providerMessageId, occurredAt: instantOf(source.timestamp) })
}

type Change = { entry: JsonObject | undefined; field: string; value: JsonObject }

/** Includes the time: a template can be paused twice in the same words. */
const changed = (kind: FieldKind, { entry, field, value }: Change): ProviderItem =>
  item(kind, bodyText({ waba_id: textOf(entry?.id), time: entry?.time, field, value }), {
    occurredAt: instantOf(entry?.time),
  })

const unknown = (value: unknown): ProviderItem => item('unknown', outlineText(value))

/** The provider's documentation has two names for this field, so its members identify it. */
export const isQualityUpdate = (value: JsonObject): boolean =>
  textOf(value.message_template_name) !== undefined && QUALITIES.some((each) => textOf(value[each]) !== undefined)

const QUALITIES = ['previous_quality_score', 'new_quality_score']
const QUALITY_MEMBERS = ['message_template_id', 'message_template_name', 'message_template_language', ...QUALITIES]

/** Only the known members: an unknown field may contain anything else. */
const qualityUpdate = ({ entry, field, value }: Change): ProviderItem =>
  changed('template', {
    entry,
    field: nameOf(field),
    value: Object.fromEntries(QUALITY_MEMBERS.map((name) => [name, textOf(value[name])])),
  })

/** The name shows the operator which new updates the provider sends. */
function unknownField(field: string, value: JsonObject): ProviderItem {
  const [name, outline] = [nameOf(field), outlineText(value)]
  return item('unknown', `{"field":"${name}","value":${outline}}`, { identity: `${hashOf(outline)}:${name}` })
}

const nameOf = (name: string): string => (NAME.test(name) ? name : `[${name.length} characters]`)

/** Only size and hash: unreadable bytes may contain an OTP. */
const unreadable = (raw: Buffer): ProviderItem =>
  item('unknown', JSON.stringify({ notJson: { bytes: raw.length, sha256: hashOf(raw) } }))

/** The hash identifies a repeated webhook. */
const truncatedItem = (raw: Buffer, items: number): ProviderItem =>
  item('unknown', JSON.stringify({ leftOut: { items, keptMost: MAX_ITEMS, bytes: raw.length, sha256: hashOf(raw) } }))

const item = (
  kind: ProviderItem['kind'],
  body: string,
  { identity = hashOf(body), ...known }: Partial<ProviderItem> = {},
): ProviderItem => ({
  kind,
  identity: `${kind}:${identity}`,
  body,
  providerMessageId: null,
  messageId: null,
  occurredAt: null,
  ...known,
})

/** Real items have up to 2,000 characters; a long inbound text adds 4,096. */
const MAX_BODY_CHARACTERS = 32 * 1024

function bodyText(value: object): string {
  try {
    const text = JSON.stringify(value) // escapes NUL and halves of surrogate pairs
    return text.length > MAX_BODY_CHARACTERS ? outlineText(value) : text
  } catch {
    return outlineText(value) // nested so deeply that JSON.stringify overflows the stack
  }
}

function outlineText(value: unknown): string {
  const text = JSON.stringify(outline(value, 0))
  return text.length > MAX_BODY_CHARACTERS ? JSON.stringify({ tooLong: text.length, sha256: hashOf(text) }) : text
}

const MAX_OUTLINE_DEPTH = 6
const MAX_OUTLINE_NAMES = 30
const MAX_OUTLINE_LIST = 10
const NAME = /^[A-Za-z_][A-Za-z_.-]{0,60}$/

/** Hides member names with a digit, which may be data. */
function outline(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return `[${value.length} characters]`
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_OUTLINE_DEPTH) return '[deeper]'
  if (Array.isArray(value)) return value.slice(0, MAX_OUTLINE_LIST).map((each) => outline(each, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_OUTLINE_NAMES)
      .map(([name, member]) => [nameOf(name), outline(member, depth + 1)]),
  )
}

const WORD = /^[a-z_]{1,30}$/

const wordOf = (value: unknown): string | null => (typeof value === 'string' && WORD.test(value) ? value : null)

const SECONDS = /^\d{9,10}$/
const MILLISECONDS = /^\d{12,13}$/

/** Unix seconds or, in some fields, milliseconds; as text or number. */
export function instantOf(value: unknown): Date | null {
  const text = textOf(value) ?? ''
  if (SECONDS.test(text)) return new Date(Number(text) * 1000)
  return MILLISECONDS.test(text) ? new Date(Number(text)) : null
}

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('base64url')
