import { createHash } from 'node:crypto'
import type { ProviderItem } from '../provider.ts'
import { readCallbackData } from './callback-data.ts'
import { codeOf, errorMeanings } from './errors.ts'
import { type JsonObject, identifier, listOf, objectOf, readObject, textOf } from './json.ts'

/**
 * The provider sends at most 1,000 updates at a time (§4.1). In 3 MB there is room for over a million values of one
 * character: to hash and store each would stop the process for many seconds.
 */
const ITEMS_MOST = 5_000

/**
 * Splits a webhook into its items: entries × changes × (messages | statuses | errors), every member optional (§4.2).
 *
 * What is stored of an item can't hold an OTP in clear, by what it is made from, not by searching for it:
 * - a status keeps the members named here; of its errors the code alone, with the title of our own table, because
 *   details and unknown titles may quote the message, and a code of up to 15 letters or digits looks like any word;
 * - an inbound message keeps what its customer wrote;
 * - what is not understood keeps its outline: names, numbers and lengths, no text.
 */
export function parse(raw: Buffer): ProviderItem[] {
  const envelope = readObject(raw.toString('utf8'))
  if (!envelope) return [unreadable(raw)]
  const items: ProviderItem[] = []
  let leftOut = 0
  for (const entry of listOf(envelope.entry)) {
    for (const change of listOf(objectOf(entry)?.changes)) {
      for (const makeItem of itemsOf(objectOf(entry), change)) {
        if (items.length < ITEMS_MOST) items.push(makeItem())
        else leftOut += 1
      }
    }
  }
  if (leftOut > 0) items.push(leftOutItem(raw, leftOut))
  return items.length > 0 ? items : [unknown(envelope)]
}

type FieldKind = 'template' | 'number' | 'account'

/** Fields other than `messages` (§4.7). The list grows: what is not here is stored as unknown. */
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

/** Only what is kept is made. */
function* itemsOf(entry: JsonObject | undefined, given: unknown): Generator<() => ProviderItem> {
  const change = objectOf(given)
  const value = objectOf(change?.value)
  const field = textOf(change?.field)
  if (!value || field === undefined) return yield () => unknown(given)
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

function status(given: unknown): ProviderItem {
  const from = objectOf(given)
  if (!from) return unknown(given)
  const callbackData = readCallbackData(textOf(from.biz_opaque_callback_data))
  const providerMessageId = identifier(from.id)
  const outcome = wordOf(from.status)
  const timestamp = identifier(from.timestamp)
  const body = bodyText({
    id: providerMessageId ?? undefined,
    status: outcome ?? undefined,
    timestamp: timestamp ?? undefined,
    recipient_id: identifier(from.recipient_id) ?? undefined,
    recipient_user_id: identifier(from.recipient_user_id) ?? undefined,
    biz_opaque_callback_data: callbackData && textOf(from.biz_opaque_callback_data),
    pricing: pricingOf(objectOf(from.pricing)),
    conversation: conversationOf(objectOf(from.conversation)),
    errors: from.errors === undefined ? undefined : listOf(from.errors).map(withoutTexts),
  })
  const isComplete = providerMessageId !== null && outcome !== null && timestamp !== null
  return {
    kind: 'status',
    identity: isComplete ? `status:${providerMessageId}:${outcome}:${timestamp}` : `status:${hashOf(body)}`,
    body,
    providerMessageId,
    messageId: callbackData && isMessageKind(callbackData.kind) ? callbackData.messageId : null,
    occurredAt: instantOf(from.timestamp),
  }
}

/** What the provider charges, for whoever reconciles its invoice. */
const pricingOf = (given: JsonObject | undefined): object | undefined =>
  given && {
    billable: typeof given.billable === 'boolean' ? given.billable : undefined,
    pricing_model: labelOf(given.pricing_model),
    category: labelOf(given.category),
    type: labelOf(given.type),
  }

const conversationOf = (given: JsonObject | undefined): object | undefined =>
  given && {
    id: identifier(given.id) ?? undefined,
    expiration_timestamp: identifier(given.expiration_timestamp) ?? undefined,
    origin: { type: labelOf(objectOf(given.origin)?.type) },
  }

const LABEL = /^[A-Za-z_]{1,30}$/

const labelOf = (value: unknown): string | undefined =>
  typeof value === 'string' && LABEL.test(value) ? value : undefined

const isMessageKind = (kind: string): boolean => kind === 'otp' || kind === 'cod'

function withoutTexts(given: unknown): object {
  const code = codeOf(given)
  return { code, title: code === null ? undefined : errorMeanings[code]?.title.en }
}

function message(given: unknown, phoneNumberId: string | null): ProviderItem {
  const from = objectOf(given)
  if (!from) return unknown(given)
  const kept = from.errors === undefined ? from : { ...from, errors: listOf(from.errors).map(withoutTexts) }
  const body = bodyText({ phone_number_id: phoneNumberId, message: kept })
  const providerMessageId = identifier(from.id)
  return {
    kind: 'message',
    identity: `message:${providerMessageId ?? hashOf(body)}`,
    body,
    providerMessageId,
    messageId: null,
    occurredAt: instantOf(from.timestamp),
  }
}

type Change = { entry: JsonObject | undefined; field: string; value: JsonObject }

function changed(kind: FieldKind, { entry, field, value }: Change): ProviderItem {
  // The time is part of it: a template can be paused twice in the same words.
  const body = bodyText({ waba_id: textOf(entry?.id), time: entry?.time, field, value })
  return {
    kind,
    identity: `${kind}:${hashOf(body)}`,
    body,
    providerMessageId: null,
    messageId: null,
    occurredAt: instantOf(entry?.time),
  }
}

const unknown = (given: unknown): ProviderItem => unknownItem(outlineText(given))

/** Its field has another name in the provider's example than in its list (§4.7): its members tell. */
export const isQualityUpdate = (value: JsonObject): boolean =>
  textOf(value.message_template_name) !== undefined && QUALITIES.some((each) => textOf(value[each]) !== undefined)

const QUALITIES = ['previous_quality_score', 'new_quality_score']
const QUALITY_MEMBERS = ['message_template_id', 'message_template_name', 'message_template_language', ...QUALITIES]

/** The known members alone: under a name that nobody knows there may be anything else. */
const qualityUpdate = ({ entry, field, value }: Change): ProviderItem =>
  changed('template', {
    entry,
    field: nameOf(field),
    value: Object.fromEntries(QUALITY_MEMBERS.map((name) => [name, textOf(value[name])])),
  })

/** Its name tells an operator what the provider has begun to send. */
function unknownField(field: string, value: JsonObject): ProviderItem {
  const { identity, ...item } = unknown(value)
  const name = nameOf(field)
  return { ...item, identity: `${identity}:${name}`, body: `{"field":"${name}","value":${item.body}}` }
}

const nameOf = (name: string): string => (NAME.test(name) ? name : `[${name.length} characters]`)

/** Its size and hash alone: what cannot be read cannot be cleaned. */
const unreadable = (raw: Buffer): ProviderItem =>
  unknownItem(JSON.stringify({ notJson: { bytes: raw.length, sha256: hashOf(raw) } }))

/** The hash makes it the same when the webhook is repeated, and another for each other webhook. */
const leftOutItem = (raw: Buffer, items: number): ProviderItem =>
  unknownItem(JSON.stringify({ leftOut: { items, keptMost: ITEMS_MOST, bytes: raw.length, sha256: hashOf(raw) } }))

const unknownItem = (body: string): ProviderItem => ({
  kind: 'unknown',
  identity: `unknown:${hashOf(body)}`,
  body,
  providerMessageId: null,
  messageId: null,
  occurredAt: null,
})

/** Real items have one or two thousand characters; a long inbound text adds 4,096. */
const BODY_CHARACTERS_MOST = 32 * 1024

function bodyText(value: object): string {
  try {
    const text = JSON.stringify(value) // escapes NUL and halves of surrogate pairs
    return text.length > BODY_CHARACTERS_MOST ? outlineText(value) : text
  } catch {
    return outlineText(value) // nested so deeply that it overflows the stack
  }
}

function outlineText(value: unknown): string {
  const text = JSON.stringify(outline(value, 0))
  return text.length > BODY_CHARACTERS_MOST ? JSON.stringify({ tooLong: text.length, sha256: hashOf(text) }) : text
}

const OUTLINE_DEPTH = 6
const OUTLINE_NAMES = 30
const OUTLINE_LIST = 10
const NAME = /^[A-Za-z_][A-Za-z_.-]{0,60}$/

/** The shape of a value. A member whose name has a digit may be named by data. */
function outline(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return `[${value.length} characters]`
  if (typeof value !== 'object' || value === null) return value
  if (depth >= OUTLINE_DEPTH) return '[deeper]'
  if (Array.isArray(value)) return value.slice(0, OUTLINE_LIST).map((each) => outline(each, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, OUTLINE_NAMES)
      .map(([name, member]) => [nameOf(name), outline(member, depth + 1)]),
  )
}

const WORD = /^[a-z_]{1,30}$/

const wordOf = (value: unknown): string | null => (typeof value === 'string' && WORD.test(value) ? value : null)

const SECONDS = /^\d{9,10}$/
const MILLISECONDS = /^\d{12,13}$/

/** Unix seconds, as text or number; some fields have milliseconds. */
export function instantOf(value: unknown): Date | null {
  const text = textOf(value) ?? ''
  if (SECONDS.test(text)) return new Date(Number(text) * 1000)
  return MILLISECONDS.test(text) ? new Date(Number(text)) : null
}

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('base64url')
