/** Who must act on a refusal, for its page under /problems. */
type Owner = 'caller' | 'operator' | 'doorcode'

type Row = { status: number; title: string; owner: Owner; cause: string; fix: string }

/**
 * Every error that the API answers with (spec §7, contract §2), in one table: the problem bodies, the OpenAPI document
 * and the pages under /problems are made from it.
 */
export const refusals = {
  API_KEY_INVALID: {
    status: 401,
    title: 'API key missing, invalid or revoked',
    owner: 'caller',
    cause: 'The request has no Authorization header, or the key in it is not complete, unknown, revoked or expired.',
    fix: 'Send "Authorization: Bearer dck_…" with the complete key as it was shown when it was created. If it is lost or was revoked, create a new one: npm run -s doorcode -- key create --workspace <id> --name <name>.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    owner: 'caller',
    cause: 'No route has this path and method, or no message of the key’s workspace has this id.',
    fix: 'Compare path and method with /docs. Use the messageId of the 202 answer, with a key of the same workspace.',
  },
  OTP_SENDER_NOT_FOUND: {
    status: 404,
    title: 'Sender not found',
    owner: 'caller',
    cause: 'No sender of the key’s workspace has this senderId.',
    fix: 'Use a Sender ID of this service, which "account sync" lists; it is not the phone number ID of WhatsApp.',
  },
  OTP_TEMPLATE_NOT_FOUND: {
    status: 404,
    title: 'Template not found',
    owner: 'caller',
    cause: 'The sender’s WhatsApp account has no template of exactly this name in exactly this language.',
    fix: 'Compare name and language letter by letter ("en" and "en_US" are two languages). If the template is new, run "account sync".',
  },
  OTP_SENDER_UNAVAILABLE: {
    status: 409,
    title: 'Sender cannot send',
    owner: 'operator',
    cause:
      'The number is not connected, was paused, is gone from its WhatsApp account, or the account’s access token no longer works.',
    fix: 'Run "account sync" to see the number’s status. With a refused token, connect the account again with a new one.',
  },
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
    owner: 'caller',
    cause: 'An earlier accepted request of this workspace has the same Idempotency-Key and other values.',
    fix: 'Use a new key for each new message, and the same key with the same values only to repeat a request whose answer was lost.',
  },
  DEVELOPER_INVALID_INPUT: {
    status: 422,
    title: 'Invalid input',
    owner: 'caller',
    cause: 'A header, the path, the query or the body is not as documented, or holds a field that is not known.',
    fix: 'The member "errors" lists every fault with its place. Mend them all and send the request again.',
  },
  RECIPIENT_BLOCKED: {
    status: 422,
    title: 'Recipient is blocked',
    owner: 'operator',
    cause: 'The recipient is on the workspace’s list of blocked recipients.',
    fix: 'If messages to this number are wanted again: npm run -s doorcode -- block remove --workspace <id> --phone <number>.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    owner: 'caller',
    cause: 'The API key made 20 requests within the last second.',
    fix: 'Wait for the time in Retry-After, then go on. Refused requests do not lengthen the wait. Spread bursts over time.',
  },
  OTP_QUOTA_EXCEEDED: {
    status: 429,
    title: 'Monthly OTP allowance exhausted',
    owner: 'operator',
    cause:
      'The workspace has used its allowance of one-time codes of this calendar month (UTC), or its allowance is zero.',
    fix: 'Raise it: npm run -s doorcode -- workspace allowance --workspace <id> --otp <number>. Otherwise it starts anew on the first of the month, 00:00 UTC.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    owner: 'doorcode',
    cause: 'A fault of Doorcode.',
    fix: 'Repeat the request with the same Idempotency-Key. If it stays, report it with the correlation id; the log has an entry with the same id.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    owner: 'operator',
    cause: 'Doorcode cannot reach its database.',
    fix: 'Repeat the request with the same Idempotency-Key. The operator: /readyz and the log say what is missing.',
  },
} as const satisfies Record<string, Row>

export type RefusalCode = keyof typeof refusals

/** One fault of the input: where it is and what to do about it. Never holds the value itself, which may be a code. */
export type InputFault = { in: 'body' | 'query' | 'path' | 'header'; pointer: string; detail: string }

/** A request that is answered with a row of the table. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly faults: readonly InputFault[]

  constructor(code: RefusalCode, detail: string, faults: readonly InputFault[] = []) {
    super(detail)
    this.name = 'Refusal'
    this.code = code
    this.faults = faults
  }
}
