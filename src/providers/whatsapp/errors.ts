import type { FailureCode } from '../failure-codes.ts'
import type { ErrorClass, ErrorScope, KnownError, ProviderError, Remedy } from '../provider.ts'
import { storableText } from '../../lib/db/pool.ts'
import { type CodedText, plainText, quoted } from '../../../locales/text.ts'
import { objectOf, textOf } from './json.ts'

type ErrorMeaning = { class: ErrorClass; scope: ErrorScope; failureCode: FailureCode; title: CodedText }

/**
 * Every known code (docs/whatsapp-cloud-api.md#errors). A configuration fault is permanent for the message and has a wider
 * scope than it, unless the sender may not reach this recipient.
 */
const CODES = [
  ['credentials', 'account', 'PROVIDER_CREDENTIALS_INVALID', [0, 3, 10, 102, 104, 190, 131005]],
  ['rate', 'account', 'SENDER_RATE_LIMITED', [4, 17, 341, 80007]],
  ['rate', 'sender', 'SENDER_RATE_LIMITED', [130429, 132069, 133008, 133009, 133016]],
  ['rate', 'pair', 'RECIPIENT_RATE_LIMITED', [131056]],
  ['quality', 'sender', 'SENDER_RATE_LIMITED', [131048]],
  ['transient', 'account', 'PROVIDER_UNAVAILABLE', [2]],
  ['transient', 'sender', 'PROVIDER_UNAVAILABLE', [131016, 131057, 133000, 133004, 133015]],
  ['transient', 'template', 'PROVIDER_UNAVAILABLE', [2494100]],
  ['doubtful', 'message', 'UNKNOWN', [1, 131000]],
  ['permanent', 'message', 'RECIPIENT_UNREACHABLE', [130472, 131026]],
  ['permanent', 'message', 'RECIPIENT_NOT_ALLOWED', [130403, 130497, 131021, 131030, 131050, 131062, 137000]],
  ['permanent', 'message', 'RECIPIENT_RATE_LIMITED', [131049]],
  ['permanent', 'message', 'WINDOW_CLOSED', [131047]],
  [
    'permanent',
    'message',
    'TEMPLATE_PARAMETERS_REJECTED',
    [100, 131008, 131009, 132000, 132005, 132008, 132012, 132018, 135000],
  ],
  ['permanent', 'message', 'UNKNOWN', [131051, 131052, 131053, 131055, 131059, 131063]],
  ['permanent', 'sender', 'SENDER_UNAVAILABLE', [33, 131037, 131045, 133005, 133006, 133010]],
  ['permanent', 'account', 'SENDER_UNAVAILABLE', [131031, 131042, 134011]],
  ['permanent', 'account', 'POLICY_VIOLATION', [368, 131064]],
  ['permanent', 'template', 'POLICY_VIOLATION', [132007]],
  ['permanent', 'template', 'TEMPLATE_NOT_FOUND', [132001]],
  ['permanent', 'template', 'TEMPLATE_PAUSED', [132015, 141002]],
  ['permanent', 'template', 'TEMPLATE_DISABLED', [132016]],
  [
    'permanent',
    'template',
    'UNKNOWN',
    [132068, 2388019, 2388039, 2388040, 2388047, 2388072, 2388073, 2388293, 2388299],
  ],
] as const satisfies readonly (readonly [ErrorClass, ErrorScope, FailureCode, readonly number[]])[]

type Kind = readonly [ErrorClass, ErrorScope, FailureCode, ...unknown[]]

const toMeaning = ([errorClass, scope, failureCode]: Kind, title: CodedText): ErrorMeaning => ({
  class: errorClass,
  scope,
  failureCode,
  title,
})

export const errorMeanings: Readonly<Record<number, ErrorMeaning>> = Object.fromEntries(
  CODES.flatMap((row) => row[3].map((code) => [code, toMeaning(row, plainText(`failures.error_${code}`))])),
)

const CREDENTIALS: Kind = ['credentials', 'account', 'PROVIDER_CREDENTIALS_INVALID']
const SENDER: Kind = ['permanent', 'sender', 'SENDER_UNAVAILABLE']

/** Codes 200 to 299 share one meaning. */
const PERMISSION = { from: 200, to: 299, meaning: toMeaning(CREDENTIALS, { code: 'failures.error_permission' }) }

/** Sub-code 33 of code 100: the id in the path is wrong, or the token has no access to it. */
const OBJECT_MISSING = {
  code: 100,
  subcode: 33,
  meaning: toMeaning(SENDER, { code: 'failures.error_object_missing' }),
}

/** Errors whose remedy is more precise than that of their failure code, by who must act. */
const REMEDIES = {
  operator: [130403, 130497, 131030, 131037, 131042, 131045, 131048, 131064, 133006, 133010, 134011, 141002],
  client: [1, 130472, 131000, 131021, 131049, 131050, 137000],
} as const

export const remedies: ReadonlyMap<number, Remedy> = new Map(
  (['operator', 'client'] as const).flatMap((who) =>
    REMEDIES[who].map((code) => [code, { who, sentence: plainText(`failures.remedy_${code}`) }]),
  ),
)

export const meaningOf = (code: number | null, httpStatus: number | null): ErrorMeaning =>
  findMeaning(code) ?? unknownMeaning(httpStatus ?? 0)

function findMeaning(code: number | null): ErrorMeaning | undefined {
  if (code === null) return undefined
  return code >= PERMISSION.from && code <= PERMISSION.to ? PERMISSION.meaning : errorMeanings[code]
}

export const isKnown = ({ code }: Pick<ProviderError, 'code'>): boolean => findMeaning(code) !== undefined

export function findError(code: number): KnownError | undefined {
  const meaning = findMeaning(code)
  return meaning && { title: meaning.title, failureCode: meaning.failureCode, remedy: remedies.get(code) }
}

const firstOf = (codes: string): number => Number.parseInt(codes, 10)

/** Every known code, and the range of those that share a meaning, in order. */
export const ERROR_CODES: readonly string[] = [
  ...Object.keys(errorMeanings),
  `${PERMISSION.from}–${PERMISSION.to}`,
].sort((one, other) => firstOf(one) - firstOf(other))

export const meaningOfCodes = (codes: string): ErrorMeaning => meaningOf(firstOf(codes), null)

export const errorCodesOf = (failureCode: FailureCode): readonly string[] =>
  ERROR_CODES.filter((codes) => meaningOfCodes(codes).failureCode === failureCode)

const UNKNOWN_TITLE: CodedText = { code: 'failures.error_unknown' }

/** A status webhook has no HTTP status: its failure is final. */
function unknownMeaning(httpStatus: number): ErrorMeaning {
  // Scope `message`: a single 500 says nothing about a number that sends a thousand messages in the same second.
  if (httpStatus >= 500) return toMeaning(['transient', 'message', 'PROVIDER_UNAVAILABLE'], UNKNOWN_TITLE)
  if (httpStatus === 401 || httpStatus === 403) return toMeaning(CREDENTIALS, UNKNOWN_TITLE)
  if (httpStatus === 429) return toMeaning(['rate', 'sender', 'SENDER_RATE_LIMITED'], UNKNOWN_TITLE)
  return toMeaning(['permanent', 'message', 'UNKNOWN'], UNKNOWN_TITLE)
}

export const MAX_INT4 = 2_147_483_647

/** Returns null if there is no code, or it does not fit the integer column. */
export const codeOf = (error: unknown): number | null => numberOf(objectOf(error)?.code)

function numberOf(value: unknown): number | null {
  const code = Number(textOf(value) ?? Number.NaN)
  return Number.isInteger(code) && code >= 0 && code <= MAX_INT4 ? code : null
}

const MAX_TEXT = 300

/** `mask` removes secrets from the provider's texts, which may quote the request. */
export function readAnswerError(
  body: unknown,
  { httpStatus, mask }: { httpStatus: number; mask: (text: string) => string },
): ProviderError {
  const error = objectOf(objectOf(body)?.error)
  const code = codeOf(error)
  const subcode = numberOf(error?.error_subcode)
  const isMissing = code === OBJECT_MISSING.code && subcode === OBJECT_MISSING.subcode
  const { title, ...meaning } = isMissing ? OBJECT_MISSING.meaning : meaningOf(code, httpStatus)
  const isKnownCode = code !== null && title !== UNKNOWN_TITLE
  const clean = (text: unknown): string => shortened(mask(storableText(textOf(text) ?? '')))
  const message = clean(error?.message)
  const data = error?.error_data
  const details = clean(objectOf(data)?.details) || clean(error?.error_user_msg) || clean(data)
  return {
    code,
    title: isKnownCode || message === '' ? title : quoted(message),
    detail: details || (isKnownCode ? message : ''),
    ...meaning,
    ...(subcode !== null && { subcode }),
  }
}

/** Only the code: the texts may quote the message (see parse). */
export function readStatusError(error: unknown): ProviderError {
  const code = codeOf(error)
  const { title, ...meaning } = meaningOf(code, null)
  return { code, detail: '', title, ...meaning }
}

const shortened = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)
