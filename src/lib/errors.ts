import { inEnglish } from '../../locales/resources.ts'
import { type CodedText, chained, plainText } from '../../locales/text.ts'

/** An error for people to read. `message` is English, for logs. */
export class CodedError extends Error {
  readonly text: CodedText

  constructor(text: CodedText) {
    super(inEnglish(text))
    this.name = new.target.name
    this.text = text
  }
}

/** The operator can fix it, so it is printed without a stack trace. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

/** The code of an error of the system, such as ENOENT, or of Node. Empty if it has none. */
export const systemCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Who must act on the error, for its page under /problems. */
type Owner = 'client' | 'operator' | 'doorcode'

/** `texts`: of errors that both products return, as the start of the codes of their texts. */
type Row = { status: number; owner: Owner; texts?: string }

const rows = {
  API_KEY_INVALID: { status: 401, owner: 'client' },
  NOT_FOUND: { status: 404, owner: 'client' },
  OTP_SENDER_NOT_FOUND: { status: 404, owner: 'client', texts: 'sender_not_found' },
  OTP_TEMPLATE_NOT_FOUND: { status: 404, owner: 'client', texts: 'template_not_found' },
  OTP_SENDER_UNAVAILABLE: { status: 409, owner: 'operator', texts: 'sender_unavailable' },
  OTP_TEMPLATE_NOT_USABLE: { status: 409, owner: 'operator' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, owner: 'client' },
  DEVELOPER_INVALID_INPUT: { status: 422, owner: 'client' },
  RECIPIENT_BLOCKED: { status: 422, owner: 'operator' },
  RATE_LIMITED: { status: 429, owner: 'client' },
  OTP_QUOTA_EXCEEDED: { status: 429, owner: 'operator' },
  OTP_VERIFICATION_NOT_FOUND: { status: 404, owner: 'client' },
  OTP_VERIFICATION_ENDED: { status: 409, owner: 'client' },
  OTP_RESEND_LIMITED: { status: 429, owner: 'client' },
  OTP_RECIPIENT_LIMITED: { status: 429, owner: 'client' },
  OTP_PUMPING_SUSPECTED: { status: 429, owner: 'client' },
  OTP_GUESSING_SUSPECTED: { status: 429, owner: 'client' },
  COD_SENDER_NOT_FOUND: { status: 404, owner: 'client', texts: 'sender_not_found' },
  COD_TEMPLATE_NOT_FOUND: { status: 404, owner: 'client', texts: 'template_not_found' },
  COD_CONFIRMATION_NOT_FOUND: { status: 404, owner: 'client' },
  EVENT_NOT_FOUND: { status: 404, owner: 'client' },
  COD_NOT_CONFIGURED: { status: 409, owner: 'operator' },
  COD_LANGUAGE_NOT_CONFIGURED: { status: 409, owner: 'operator' },
  COD_SENDER_UNAVAILABLE: { status: 409, owner: 'operator', texts: 'sender_unavailable' },
  COD_TEMPLATE_NOT_USABLE: { status: 409, owner: 'operator' },
  COD_TEMPLATE_PARAMETERS_INVALID: { status: 422, owner: 'client' },
  COD_CONFIRMATION_NOT_ELIGIBLE: { status: 409, owner: 'client' },
  COD_REFUSAL_CHECK_EXISTS: { status: 409, owner: 'client' },
  COD_QUOTA_EXCEEDED: { status: 429, owner: 'operator' },
  INTERNAL_ERROR: { status: 500, owner: 'doorcode' },
  SERVICE_UNAVAILABLE: { status: 503, owner: 'operator' },
} as const satisfies Record<string, Row>

export type ApiErrorCode = keyof typeof rows

export const isApiErrorCode = (text: string): text is ApiErrorCode => Object.hasOwn(rows, text)

type TextsOf<Code extends ApiErrorCode> = Code extends ApiErrorCode
  ? (typeof rows)[Code] extends { texts: infer Texts extends string }
    ? Texts
    : Lowercase<Code>
  : never

type Part = 'title' | 'cause' | 'fix'

/** What the page of an error says, in each language. */
export function apiErrorText(code: ApiErrorCode, part: Part): CodedText {
  const row: Row = rows[code]
  return plainText(`page_problems.${(row.texts ?? code.toLowerCase()) as TextsOf<ApiErrorCode>}_${part}`)
}

type ApiErrorRow = Omit<Row, 'texts'> & Readonly<Record<Part, string>>

/**
 * Every error of the API (docs/api.md#errors), with its English texts. The problem bodies, the OpenAPI document and the pages
 * under /problems are made from this table.
 */
export const apiErrors = Object.fromEntries(
  Object.keys(rows)
    .filter(isApiErrorCode)
    .map((code): [ApiErrorCode, ApiErrorRow] => {
      const { status, owner } = rows[code]
      const english = (part: Part): string => inEnglish(apiErrorText(code, part))
      return [code, { status, owner, title: english('title'), cause: english('cause'), fix: english('fix') }]
    }),
) as Record<ApiErrorCode, ApiErrorRow>

/** Where the fault is and how to fix it. Never contains the value, which may be a one-time code. */
export type InputFault = { in: 'body' | 'query' | 'path' | 'header'; pointer: string; detail: CodedText }

export class ApiError extends CodedError {
  readonly code: ApiErrorCode
  readonly faults: readonly InputFault[]

  constructor(code: ApiErrorCode, detail: CodedText, faults: readonly InputFault[] = []) {
    super(detail)
    this.code = code
    this.faults = faults
  }
}

/** For programs that run the command. */
export type UserErrorCode = Extract<
  ApiErrorCode,
  | 'API_KEY_INVALID'
  | 'EVENT_NOT_FOUND'
  | 'NOT_FOUND'
  | 'COD_NOT_CONFIGURED'
  | 'SERVICE_UNAVAILABLE'
  | 'DEVELOPER_INVALID_INPUT'
>

/** A command that cannot be carried out. The text says what is wrong and what to do. */
export class UserError extends CodedError {
  readonly code: UserErrorCode

  constructor(text: CodedText, code: UserErrorCode = 'DEVELOPER_INVALID_INPUT') {
    super(text)
    this.code = code
  }
}

/** `field`: the form's field; null when the fault is in none of them. */
export type FieldFault = { field: string | null; message: CodedText }

/** An account or a template cannot be used with these values. Each fault says what is wrong and what to do. */
export class FieldError extends UserError {
  readonly faults: readonly FieldFault[]

  constructor(faults: readonly FieldFault[], code?: UserErrorCode) {
    const messages = faults.map(({ message }) => message)
    super(chained('words.space', messages), code)
    this.faults = faults
  }
}
