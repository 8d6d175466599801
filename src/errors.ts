import type { Sentence } from './sentences.ts'

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
    cause:
      'No route has this path and method, or no message of the key’s workspace has this id. A command: nothing has the id that it was given.',
    fix: 'Compare path and method with /docs. Use the messageId of the 202 answer, with a key of the same workspace. A command prints which id is not known.',
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
    fix: 'The detail says which, and so does: npm run -s doorcode -- sender list --workspace <id>. A paused one: npm run -s doorcode -- sender resume <senderId>. With a refused token, connect the account again with a new one, with "account connect".',
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
  COD_SENDER_NOT_FOUND: {
    status: 404,
    title: 'Sender not found',
    owner: 'caller',
    cause: 'No sender of the key’s workspace has this senderId.',
    fix: 'Use a Sender ID of this service, which "account sync" lists; it is not the phone number ID of WhatsApp.',
  },
  COD_TEMPLATE_NOT_FOUND: {
    status: 404,
    title: 'Template not found',
    owner: 'caller',
    cause: 'The sender’s WhatsApp account has no template of exactly this name in exactly this language.',
    fix: 'Compare name and language letter by letter ("en" and "en_US" are two languages). If the template is new, run "account sync".',
  },
  COD_CONFIRMATION_NOT_FOUND: {
    status: 404,
    title: 'Confirmation not found',
    owner: 'caller',
    cause: 'No confirmation of the key’s workspace has this id.',
    fix: 'Use the confirmationId of the 202 answer, with a key of the same workspace.',
  },
  COD_NOT_CONFIGURED: {
    status: 409,
    title: 'Cash-on-delivery checks are not configured',
    owner: 'operator',
    cause: 'The workspace has no delivery time zone yet.',
    fix: 'Set the COD settings: npm run -s doorcode -- cod-settings set --workspace <id> --file settings.json. docs/cod-settings.md has an example.',
  },
  COD_LANGUAGE_NOT_CONFIGURED: {
    status: 409,
    title: 'No follow-up texts for the template’s language',
    owner: 'operator',
    cause: 'The COD settings have no texts for exactly the language of the template.',
    fix: 'Add the language under "languages" in the COD settings, spelled exactly as the template’s language.',
  },
  COD_SENDER_UNAVAILABLE: {
    status: 409,
    title: 'Sender cannot send',
    owner: 'operator',
    cause:
      'The number is not connected, was paused, is gone from its WhatsApp account, or the account’s access token no longer works.',
    fix: 'The detail says which, and so does: npm run -s doorcode -- sender list --workspace <id>. A paused one: npm run -s doorcode -- sender resume <senderId>. With a refused token, connect the account again with a new one, with "account connect".',
  },
  COD_TEMPLATE_NOT_USABLE: {
    status: 409,
    title: 'Template cannot be used for this check',
    owner: 'operator',
    cause:
      'The template is not approved, not of the category UTILITY, has a header that is no text, or does not have exactly the quick replies that the check needs: three for a confirmation, two for a refusal check.',
    fix: 'The detail names the rule that is not met. Use another template or create one in WhatsApp Manager and wait for its approval.',
  },
  COD_TEMPLATE_PARAMETERS_INVALID: {
    status: 422,
    title: 'Parameters do not match the template',
    owner: 'caller',
    cause: 'Shape, number, names or values of the parameters are not what the template’s header and body need.',
    fix: 'The detail lists every fault. A template with {{1}} takes an array, one with {{name}} an object of these names.',
  },
  COD_CONFIRMATION_NOT_ELIGIBLE: {
    status: 409,
    title: 'Confirmation cannot start a refusal check',
    owner: 'caller',
    cause: 'The confirmation’s message was not sent yet, or it failed.',
    fix: 'Start the refusal check after the confirmation has left the status "accepted", and not when it is "failed".',
  },
  COD_REFUSAL_CHECK_EXISTS: {
    status: 409,
    title: 'A refusal check already exists',
    owner: 'caller',
    cause: 'The confirmation has a refusal check, and there is at most one.',
    fix: 'Read the confirmation: "refusalCheck" holds its state. To repeat a request whose answer was lost, use the same Idempotency-Key.',
  },
  COD_QUOTA_EXCEEDED: {
    status: 429,
    title: 'Monthly COD allowance exhausted',
    owner: 'operator',
    cause:
      'The workspace has used its allowance of confirmations, or of refusal checks, of this calendar month (UTC), or it is zero.',
    fix: 'Raise it: npm run -s doorcode -- workspace allowance --workspace <id> --cod-confirmations <number> or --cod-refusals <number>. Otherwise it starts anew on the first of the month, 00:00 UTC.',
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
    cause: 'Doorcode cannot reach its database, or a command of the operator cannot reach the database or WhatsApp.',
    fix: 'Repeat the request with the same Idempotency-Key, or the command. The operator: /readyz and the log say what is missing, and the detail that a command prints says it too.',
  },
} as const satisfies Record<string, Row>

export type RefusalCode = keyof typeof refusals

/** One fault of the input: where it is and what to do about it. Never holds the value itself, which may be a code. */
export type InputFault = { in: 'body' | 'query' | 'path' | 'header'; pointer: string; detail: string }

/** A request that is answered with a row of the table. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** The message, which is its English, for pages. */
  readonly sentence: Sentence
  readonly faults: readonly InputFault[]

  constructor(code: RefusalCode, detail: Sentence, faults: readonly InputFault[] = []) {
    super(detail.en)
    this.name = 'Refusal'
    this.code = code
    this.sentence = detail
    this.faults = faults
  }
}
