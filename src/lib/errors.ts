import { inEnglish } from '../../locales/resources.ts'
import { type CodedText, chained } from '../../locales/text.ts'

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

/** Who must act on the error, for its page under /problems. */
type Owner = 'client' | 'operator' | 'doorcode'

type Row = { status: number; title: string; owner: Owner; cause: string; fix: string }

// Both products return these.
const SENDER_NOT_FOUND = {
  status: 404,
  title: 'Sender not found',
  owner: 'client',
  cause: 'No sender of the key’s workspace has this senderId.',
  fix: 'Use a Sender ID of this service: the Senders page of the dashboard shows them, and so does: npm run -s doorcode -- sender list --workspace <id>. It is not WhatsApp’s phone number ID.',
} as const

const TEMPLATE_NOT_FOUND = {
  status: 404,
  title: 'Template not found',
  owner: 'client',
  cause: 'The sender’s WhatsApp account has no template with exactly this name in exactly this language.',
  fix: 'Compare name and language letter by letter ("en" and "en_US" are two languages). The detail lists the approved templates of the account. If the template is new, sync the account: on the Senders page, or with: npm run -s doorcode -- account sync <accountId>.',
} as const

const SENDER_UNAVAILABLE = {
  status: 409,
  title: 'Sender cannot send',
  owner: 'operator',
  cause:
    'The number is not connected, is paused, is no longer in its WhatsApp account, or the account’s access token no longer works.',
  fix: 'The detail says which, and so do the Senders page and: npm run -s doorcode -- sender list --workspace <id>. Resume a paused sender on that page or with: npm run -s doorcode -- sender resume <senderId>. If WhatsApp rejects the token, connect the account again with a new token, on that page or with: npm run -s doorcode -- account connect.',
} as const

/**
 * Every error of the API (docs/api.md#errors). The problem bodies, the OpenAPI document and the pages under /problems are
 * made from this table.
 */
export const apiErrors = {
  API_KEY_INVALID: {
    status: 401,
    title: 'API key missing, invalid or revoked',
    owner: 'client',
    cause: 'The request has no Authorization header, or its key is incomplete, unknown, revoked or expired.',
    fix: 'Send "Authorization: Bearer dck_…" with the complete key as shown when it was created. If it was lost or revoked, create a new one: npm run -s doorcode -- key create --workspace <id> --name <name>.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    owner: 'client',
    cause:
      'The API has no such path, the path does not support this method, or no OTP message of the key’s workspace has this id.',
    fix: 'Compare path and method with /docs; the detail and the header Allow name the methods of the path. For a message, use the messageId of the 202 response, with a key of the same workspace.',
  },
  OTP_SENDER_NOT_FOUND: SENDER_NOT_FOUND,
  OTP_TEMPLATE_NOT_FOUND: TEMPLATE_NOT_FOUND,
  OTP_SENDER_UNAVAILABLE: SENDER_UNAVAILABLE,
  OTP_TEMPLATE_NOT_USABLE: {
    status: 409,
    title: 'Template cannot be used for one-time codes',
    owner: 'operator',
    cause:
      'The template is not approved, not of the category AUTHENTICATION, or does not have exactly one body parameter and only OTP buttons.',
    fix: 'The detail names the rule that is not met. Use another template or create an authentication template in WhatsApp Manager and wait for its approval.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    title: 'Idempotency key was used for a different request',
    owner: 'client',
    cause: 'An earlier accepted request of this workspace has the same Idempotency-Key and different values.',
    fix: 'Use a new key for each new message. Use the same key with the same values only to repeat a request whose response was lost.',
  },
  DEVELOPER_INVALID_INPUT: {
    status: 422,
    title: 'Invalid input',
    owner: 'client',
    cause: 'A header, the path, the query or the body is not as documented, or contains an unknown field.',
    fix: '"errors" lists every fault with its place; "detail" names the first. Fix them all and send the request again.',
  },
  RECIPIENT_BLOCKED: {
    status: 422,
    title: 'Recipient is blocked',
    owner: 'operator',
    cause: 'The recipient is on the workspace’s list of blocked recipients.',
    fix: 'To allow messages to this number again: npm run -s doorcode -- block remove --workspace <id> --phone <number>.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    owner: 'client',
    cause:
      'The API key made the maximum number of requests within the last second, or has the maximum number of requests that wait for events. "detail" says which, and contains the limit.',
    fix: 'Wait for the time in Retry-After, then continue. Rejected requests do not lengthen the wait. Spread bursts over time.',
  },
  OTP_QUOTA_EXCEEDED: {
    status: 429,
    title: 'Monthly OTP quota exhausted',
    owner: 'operator',
    cause: 'The workspace has used its quota of one-time codes for this calendar month (UTC), or the quota is zero.',
    fix: 'Raise it: npm run -s doorcode -- workspace quota --workspace <id> --otp <number>. Otherwise it resets on the first of the month, 00:00 UTC.',
  },
  OTP_VERIFICATION_NOT_FOUND: {
    status: 404,
    title: 'Verification not found',
    owner: 'client',
    cause: 'No verification of the key’s workspace has this id.',
    fix: 'Use the verificationId of the 202 response, with a key of the same workspace.',
  },
  OTP_VERIFICATION_ENDED: {
    status: 409,
    title: 'Verification is over',
    owner: 'client',
    cause:
      'The verification was approved by an earlier check, or its code was to be sent again after it was approved, expired or locked.',
    fix: 'A code is approved once: GET /otp/verifications/{verificationId} reads the status. To verify the number again, start another verification.',
  },
  OTP_RESEND_LIMITED: {
    status: 429,
    title: 'Code cannot be sent again now',
    owner: 'client',
    cause: 'The code was sent too recently, was already sent again as often as is allowed, or expires too soon.',
    fix: 'Send it again at "nextResendAt" of the verification. If that is null, wait until the verification is over and start another one.',
  },
  OTP_RECIPIENT_LIMITED: {
    status: 429,
    title: 'Too many verifications of this recipient',
    owner: 'client',
    cause:
      'The recipient got as many codes, or as many wrong codes were checked for the recipient, as is allowed in this time. The limit protects the person from being flooded, and the code from being guessed.',
    fix: 'The detail says which limit it is and when another verification can start. Show the customer how long to wait, and send the same code again instead of starting another verification.',
  },
  OTP_PUMPING_SUSPECTED: {
    status: 429,
    title: 'Too many unverified numbers of one prefix',
    owner: 'client',
    cause:
      'Within the last hour, many verifications went to numbers that differ only in their last digits, and almost none of them was approved. This is how fraudsters earn from messages to numbers of their own.',
    fix: 'Find out who starts these verifications, and limit them by address, account or a challenge before they reach your backend. Verifications of the prefix are accepted again when enough of them are approved, or when the hour has passed.',
  },
  COD_SENDER_NOT_FOUND: SENDER_NOT_FOUND,
  COD_TEMPLATE_NOT_FOUND: TEMPLATE_NOT_FOUND,
  COD_CONFIRMATION_NOT_FOUND: {
    status: 404,
    title: 'Confirmation not found',
    owner: 'client',
    cause: 'No confirmation of the key’s workspace has this id.',
    fix: 'Use the confirmationId of the 202 response, with a key of the same workspace.',
  },
  EVENT_NOT_FOUND: {
    status: 404,
    title: 'Event not found',
    owner: 'client',
    cause:
      'No event of the key’s workspace has the id in "after": the id is wrong or of another workspace, or the event is older than this instance keeps the content of events.',
    fix: 'Use the id of a later event. Without one, leave "after" out to begin with the oldest event that is kept, and skip the ids that you have already processed. For what happened before that, read the messages and confirmations themselves.',
  },
  COD_NOT_CONFIGURED: {
    status: 409,
    title: 'Cash-on-delivery checks are not configured',
    owner: 'operator',
    cause: 'The workspace has no COD settings yet.',
    fix: 'Set them on the COD settings page of the dashboard, or with: npm run -s doorcode -- cod-settings set --workspace <id> --file settings.json. /docs/guides/cod-settings has an example.',
  },
  COD_LANGUAGE_NOT_CONFIGURED: {
    status: 409,
    title: 'No follow-up texts for the template’s language',
    owner: 'operator',
    cause: 'The COD settings have no texts for exactly the language of the template.',
    fix: 'Add the language to the COD settings, spelled exactly as the template’s language: on the COD settings page of the dashboard, or with: npm run -s doorcode -- cod-settings set.',
  },
  COD_SENDER_UNAVAILABLE: SENDER_UNAVAILABLE,
  COD_TEMPLATE_NOT_USABLE: {
    status: 409,
    title: 'Template cannot be used for this check',
    owner: 'operator',
    cause:
      'The template is not approved, not of the category UTILITY, has a header that is not text, or does not have exactly the quick replies that the check needs: three for a confirmation, two for a refusal check.',
    fix: 'The detail names the rule that is not met. Use another template or create one in WhatsApp Manager and wait for its approval.',
  },
  COD_TEMPLATE_PARAMETERS_INVALID: {
    status: 422,
    title: 'Parameters do not match the template',
    owner: 'client',
    cause: 'The shape, number, names or values of the parameters do not match the template’s header and body.',
    fix: 'The detail lists every fault. A template with {{1}} takes an array; a template with {{name}} takes an object with these names.',
  },
  COD_CONFIRMATION_NOT_ELIGIBLE: {
    status: 409,
    title: 'Confirmation cannot start a refusal check',
    owner: 'client',
    cause: 'The confirmation’s message has not been sent yet, or it failed.',
    fix: 'Start the refusal check when the confirmation is no longer "accepted". A "failed" confirmation cannot have one.',
  },
  COD_REFUSAL_CHECK_EXISTS: {
    status: 409,
    title: 'A refusal check already exists',
    owner: 'client',
    cause: 'The confirmation already has a refusal check, and it can have at most one.',
    fix: 'Read the confirmation: "refusalCheck" holds its state. To repeat a request whose response was lost, use the same Idempotency-Key.',
  },
  COD_QUOTA_EXCEEDED: {
    status: 429,
    title: 'Monthly COD quota exhausted',
    owner: 'operator',
    cause:
      'The workspace has used its quota of confirmations or refusal checks for this calendar month (UTC), or the quota is zero.',
    fix: 'Raise it: npm run -s doorcode -- workspace quota --workspace <id> --cod-confirmations <number> or --cod-refusals <number>. Otherwise it resets on the first of the month, 00:00 UTC.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    owner: 'doorcode',
    cause: 'An internal error in Doorcode.',
    fix: 'Repeat the request with the same Idempotency-Key. If the error persists, report it with the correlation id; the log has an entry with the same id.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    owner: 'operator',
    cause:
      'Doorcode cannot use its database right now: it is unreachable or starting, waits for a standby, or another session holds a lock, such as a migration. For a command also: WhatsApp cannot be reached.',
    fix: 'Repeat the request with the same Idempotency-Key, or repeat the command. For the operator: /readyz, the log and the detail that a command prints say what is unavailable.',
  },
} as const satisfies Record<string, Row>

export type ApiErrorCode = keyof typeof apiErrors

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
