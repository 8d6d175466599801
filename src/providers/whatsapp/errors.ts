import type { ErrorClass, ErrorScope, FailureCode, ProviderError } from '../provider.ts'
import { storableText } from '../../db.ts'
import { objectOf, textOf } from './json.ts'

type Meaning = { class: ErrorClass; scope: ErrorScope; failureCode: FailureCode; title: string }

const credentials = (title: string): Meaning => ({
  class: 'credentials',
  scope: 'account',
  failureCode: 'PROVIDER_CREDENTIALS_INVALID',
  title,
})
const rate = (scope: 'pair' | 'sender' | 'account', title: string): Meaning => ({
  class: 'rate',
  scope,
  failureCode: scope === 'pair' ? 'RECIPIENT_RATE_LIMITED' : 'SENDER_RATE_LIMITED',
  title,
})
const transient = (scope: ErrorScope, title: string): Meaning => ({
  class: 'transient',
  scope,
  failureCode: 'PROVIDER_UNAVAILABLE',
  title,
})
const doubtful = (title: string): Meaning => ({ class: 'doubtful', scope: 'message', failureCode: 'UNKNOWN', title })
const permanent = (scope: ErrorScope, failureCode: FailureCode, title: string): Meaning => ({
  class: 'permanent',
  scope,
  failureCode,
  title,
})
const recipient = (failureCode: FailureCode, title: string): Meaning => permanent('message', failureCode, title)
const parameters = (title: string): Meaning => permanent('message', 'TEMPLATE_PARAMETERS_REJECTED', title)
const sender = (title: string): Meaning => permanent('sender', 'SENDER_UNAVAILABLE', title)
const account = (title: string): Meaning => permanent('account', 'SENDER_UNAVAILABLE', title)
const other = (title: string): Meaning => permanent('message', 'UNKNOWN', title)
const management = (title: string): Meaning => permanent('template', 'UNKNOWN', title)

/**
 * Every code of whatsapp-cloud-api.md §3.3, in its order. What the source calls a matter of configuration is permanent
 * for the message and has a scope wider than it.
 */
export const errorMeanings: Readonly<Record<number, Meaning>> = {
  0: credentials('App user could not be authenticated'),
  1: doubtful('Invalid request or server fault'),
  2: transient('account', 'Service down or overloaded'),
  3: credentials('App lacks a capability or permission'),
  4: rate('account', 'App call rate reached'),
  10: credentials('Permission not granted or removed'),
  17: rate('account', 'User call rate reached'),
  33: sender('Phone number id wrong or deleted'),
  100: parameters('Parameter invalid or not supported'),
  102: credentials('Session of the access token ended'),
  104: credentials('Access token required'),
  190: credentials('Access token expired, revoked or malformed'),
  341: rate('account', 'Application limit reached'),
  368: permanent('account', 'POLICY_VIOLATION', 'Account temporarily restricted for policy'),
  80007: rate('account', 'Account call rate reached'),
  130403: recipient('RECIPIENT_NOT_ALLOWED', 'Recipient blocked the business'),
  130429: rate('sender', 'Throughput of the number reached'),
  130472: recipient('RECIPIENT_UNREACHABLE', 'Recipient is part of a WhatsApp experiment'),
  130497: recipient('RECIPIENT_NOT_ALLOWED', 'Account may not write to this country'),
  131000: doubtful('Unknown failure'),
  131005: credentials('Access denied'),
  131008: parameters('Required parameter missing'),
  131009: parameters('Parameter value invalid'),
  131016: transient('sender', 'Service temporarily unavailable'),
  131021: recipient('RECIPIENT_NOT_ALLOWED', 'Sender and recipient are the same'),
  131026: recipient('RECIPIENT_UNREACHABLE', 'Message undeliverable'),
  131030: recipient('RECIPIENT_NOT_ALLOWED', 'Recipient not on the test number’s list'),
  131031: account('Account locked'),
  131037: sender('Number needs an approved display name'),
  131042: account('Payment or eligibility problem of the account'),
  131045: sender('Number not registered correctly'),
  131047: recipient('WINDOW_CLOSED', 'More than 24 hours since the last reply'),
  131048: rate('sender', 'Number limited for spam or quality'),
  131049: recipient('RECIPIENT_RATE_LIMITED', 'Held back to keep the ecosystem healthy'),
  131050: recipient('RECIPIENT_NOT_ALLOWED', 'Recipient opted out of marketing messages'),
  131051: other('Message type not supported'),
  131052: other('Media could not be downloaded'),
  131053: other('Media could not be uploaded'),
  131055: other('Marketing product error'),
  131056: rate('pair', 'Too many messages from this number to this recipient'),
  131057: transient('sender', 'Number in maintenance'),
  131059: other('Paging cursor invalid or expired'),
  131062: recipient('RECIPIENT_NOT_ALLOWED', 'User id not allowed for this message'),
  131063: other('Marketing route error'),
  131064: permanent('account', 'POLICY_VIOLATION', 'Templates restricted for misclassification'),
  132000: parameters('Number of parameters differs from the template'),
  132001: permanent('template', 'TEMPLATE_NOT_FOUND', 'Template absent or not approved in this language'),
  132005: parameters('Text too long with its parameters'),
  132007: permanent('template', 'POLICY_VIOLATION', 'Content against policy'),
  132008: parameters('Parameter value rejected'),
  132012: parameters('Parameter format differs from the template'),
  132015: permanent('template', 'TEMPLATE_PAUSED', 'Template paused, or held back by pacing'),
  132016: permanent('template', 'TEMPLATE_DISABLED', 'Template disabled for good'),
  132018: parameters('Parameter text not allowed'),
  132068: permanent('template', 'UNKNOWN', 'Flow blocked'),
  132069: rate('sender', 'Flow throttled'),
  133000: transient('sender', 'Earlier deregistration not complete'),
  133004: transient('sender', 'Registration server unavailable'),
  133005: sender('Two-step PIN wrong'),
  133006: sender('Number must be verified first'),
  133008: rate('sender', 'Too many PIN attempts'),
  133009: rate('sender', 'PIN entered too fast'),
  133010: sender('Number not registered on the Cloud API'),
  133015: transient('sender', 'Number was deleted a moment ago'),
  133016: rate('sender', 'Registration limit reached'),
  134011: account('Payments terms not accepted'),
  135000: parameters('Error in the parameters'),
  137000: recipient('RECIPIENT_NOT_ALLOWED', 'Recipient’s identity key changed'),
  141002: permanent('template', 'TEMPLATE_DISABLED', 'Template cannot be sent'),
  2388019: management('Too many templates'),
  2388039: management('Template state cannot change so'),
  2388040: management('Template field too long'),
  2388047: management('Template header malformed'),
  2388072: management('Template body malformed'),
  2388073: management('Template footer malformed'),
  2388293: management('Too many variables for the text'),
  2388299: management('Variable at start or end of the text'),
  2494100: transient('account', 'Template management in maintenance'),
}

/** Codes 200 to 299 are all of one meaning. */
const PERMISSION = { from: 200, to: 299, meaning: credentials('Permission on the asset missing') }

/** Sub-code 33 of code 100: the id in the path is wrong, or this token may not see it. */
const OBJECT_MISSING = { code: 100, subcode: 33, meaning: sender('Object missing, or no access to it') }

export function meaningOf(code: number | null, httpStatus: number | null): Meaning {
  const known = code === null ? undefined : errorMeanings[code]
  if (known) return known
  if (code !== null && code >= PERMISSION.from && code <= PERMISSION.to) return PERMISSION.meaning
  return unknownMeaning(httpStatus ?? 0)
}

/** For codes that no table knows yet (§3.2). A status webhook has no HTTP status: its failure is final. */
function unknownMeaning(httpStatus: number): Meaning {
  const title = 'Error without a known code'
  if (httpStatus >= 500) return transient('sender', title)
  if (httpStatus === 401 || httpStatus === 403) return credentials(title)
  if (httpStatus === 429) return rate('sender', title)
  return other(title)
}

export const INT4_MOST = 2_147_483_647

/** Null when there is none, or none that a column for codes could hold. */
export const codeOf = (error: unknown): number | null => numberOf(objectOf(error)?.code)

function numberOf(value: unknown): number | null {
  const code = Number(textOf(value) ?? Number.NaN)
  return Number.isInteger(code) && code >= 0 && code <= INT4_MOST ? code : null
}

/** The longest text of the provider that is kept of an error. */
const TEXT_MOST = 300

/** An error as an HTTP answer has it. `mask` takes secrets out of the provider's texts, which may quote the request. */
export function readAnswerError(
  body: unknown,
  { httpStatus, mask }: { httpStatus: number; mask: (text: string) => string },
): ProviderError {
  const error = objectOf(objectOf(body)?.error)
  const code = codeOf(error)
  const missing = code === OBJECT_MISSING.code && error?.error_subcode === OBJECT_MISSING.subcode
  const subcode = numberOf(error?.error_subcode)
  const { title, ...meaning } = missing ? OBJECT_MISSING.meaning : meaningOf(code, httpStatus)
  const known = code !== null && title !== unknownMeaning(0).title
  const clean = (text: unknown): string => shortened(mask(storableText(textOf(text) ?? '')))
  const message = clean(error?.message)
  const data = error?.error_data
  const details = clean(objectOf(data)?.details) || clean(typeof data === 'string' ? data : error?.error_user_msg)
  return {
    code,
    title: known ? title : message || title,
    detail: details || (known ? message : ''),
    ...meaning,
    ...(subcode !== null && { subcode }),
  }
}

/** An error of a status webhook: its code alone, since its texts may quote the message (see parse). */
export function readStatusError(error: unknown): ProviderError {
  const code = codeOf(error)
  return { code, detail: '', ...meaningOf(code, null) }
}

const shortened = (text: string): string => (text.length > TEXT_MOST ? `${text.slice(0, TEXT_MOST)}…` : text)
