import { randomBytes } from 'node:crypto'

type ErrorRow = { status: number; title: string; details: string }

/** Every error code that Meta documents for the Cloud API. Where no HTTP status is documented the emulator answers 400. */
export const errorTable = {
  0: row('Authentication failed', 'The app user could not be authenticated; use a new access token', 401),
  1: row('Unknown API error', 'The request is invalid, or the server had a fault'),
  2: row('Service down', 'The service is down or overloaded for a moment', 503),
  3: row('API method', 'The app lacks a capability or permission for this call', 500),
  4: row('Too many API calls', 'The app has reached its call rate'),
  10: row('Permission denied', 'The permission was not granted or has been removed', 403),
  17: row('User request limit reached', 'The user has reached the call rate'),
  33: row('Parameter value is not valid', 'The business phone number has been deleted or the id is wrong'),
  100: row('Invalid parameter', 'The request has an unsupported or misspelt parameter'),
  102: row('API session', 'The session is no longer valid', 401),
  104: row('Incorrect signature', 'The access token is missing or could not be checked', 401),
  190: row('Access token has expired', 'The access token is invalid, expired or revoked', 401),
  200: row('API permission', 'The access token has no permission on this object', 403),
  341: row('Application limit reached', 'The app has reached its limit for now'),
  368: row('Temporarily blocked for policies violations', 'The account is restricted for breaking a policy', 403),
  2500: row('Unknown path components', 'No such path'),
  80007: row('Rate limit issues', 'The WhatsApp Business Account has reached its management call rate'),
  130403: row('User blocked by the business', 'The business has blocked this user'),
  130429: row('Rate limit hit', 'The throughput of this phone number is used up'),
  130472: row("User's number is part of an experiment", 'The message was not sent because of an experiment'),
  130497: row(
    'Business account is restricted from messaging users in this country',
    'The account may not message users in this country',
    403,
  ),
  131000: row('Something went wrong', 'The message could not be sent because of an unknown fault', 500),
  131005: row('Access denied', 'The permission was not granted or has been removed', 403),
  131008: row('Required parameter is missing', 'A required parameter is missing'),
  131009: row('Parameter value is not valid', 'The value of a parameter is not valid'),
  131016: row('Service unavailable', 'A service is unavailable for a moment', 500),
  131021: row('Recipient cannot be sender', 'The recipient is the sending number itself'),
  131026: row(
    'Message undeliverable',
    'The recipient is not on WhatsApp, has an old app, or has not accepted the terms',
  ),
  131030: row('Recipient phone number not in allowed list', 'Add the recipient to the list of this test number first'),
  131031: row('Account has been locked', 'The account is locked, or the two-step PIN was wrong', 403),
  131037: row('Display name approval needed', 'The display name of this number has not been approved'),
  131042: row('Business eligibility payment issue', 'There is a problem with the payment method of the account'),
  131045: row('Incorrect certificate', 'The number registration has a problem; register it again', 500),
  131047: row('Re-engagement message', 'More than 24 hours have passed since the user last wrote; send a template'),
  131048: row('Spam rate limit hit', 'The number is limited because earlier messages were blocked or reported'),
  131049: row(
    'Message not delivered to keep the ecosystem healthy',
    'The message was held back; wait at least 24 hours',
  ),
  131050: row('User has stopped marketing messages', 'The user does not want marketing messages of this business'),
  131051: row('Unsupported message type', 'This message type is not supported'),
  131052: row('Media download error', 'The media that the user sent could not be downloaded'),
  131053: row('Media upload error', 'The media of the message could not be uploaded'),
  131055: row('Method not allowed', 'This product does not send such messages'),
  131056: row('Business and consumer pair rate limit hit', 'Too many messages from this number to this recipient'),
  131057: row('Account in maintenance mode', 'The number is in maintenance, perhaps for a throughput upgrade', 500),
  131059: row('Invalid paging cursor', 'The cursor is wrong or has expired; start again without one'),
  131062: row('Business-scoped user id not allowed', 'Authentication templates need a phone number'),
  131063: row('Marketing messages only', 'This route sends marketing templates only'),
  131064: row('Template blocked for misclassification', 'Templates of this account are held for a while'),
  132000: row('Template parameter count mismatch', 'The number of parameters differs from the template'),
  132001: row('Template does not exist', 'No approved template has this name in this language', 404),
  132005: row('Template hydrated text too long', 'The text with its parameters is too long'),
  132007: row('Template content policy violated', 'The content breaks a policy or format rule'),
  132008: row('Template parameter value rejected', 'A parameter value is not accepted'),
  132012: row('Template parameter format mismatch', 'A parameter has another format than the template'),
  132015: row('Template is paused', 'The template is paused because of low quality'),
  132016: row('Template is disabled', 'The template was paused too often and is disabled for good'),
  132018: row(
    'Template parameter text problem',
    'Parameter text may not have new lines, tabs or more than 4 spaces in a row',
  ),
  132068: row('Flow is blocked', 'The flow is blocked'),
  132069: row('Flow is throttled', 'The flow is throttled to 10 messages an hour'),
  133000: row('Incomplete deregistration', 'An earlier deregistration did not complete; deregister again', 500),
  133004: row('Server temporarily unavailable', 'The registration server is unavailable for a moment', 503),
  133005: row('Two-step verification PIN mismatch', 'The PIN is wrong'),
  133006: row('Phone number re-verification needed', 'Verify the number before registering it'),
  133008: row('Too many two-step PIN guesses', 'Too many wrong PINs; wait'),
  133009: row('Two-step PIN guessed too fast', 'The PIN was entered too fast; wait'),
  133010: row('Phone number not registered', 'The number is not registered on the Cloud API'),
  133015: row('Phone number was deleted just now', 'Wait 5 minutes before registering the number again'),
  133016: row(
    'Account register or deregister rate limit exceeded',
    'More than 10 registrations or deregistrations in 72 hours',
  ),
  134011: row('Payments terms not accepted', 'Accept the payments terms first'),
  135000: row('Generic user error', 'The message failed because of an unknown fault in its parameters'),
  137000: row('Recipient identity key mismatch', 'The identity key of the recipient has changed'),
  141002: row('Template cannot be sent', 'The template is not in a state that can be sent'),
  2388019: row('Message template limit exceeded', 'The account has as many templates as it may'),
  2388039: row('Template state change refused', 'The template cannot be changed in its present state'),
  2388040: row('Character limit exceeded', 'A field of the template is too long'),
  2388047: row('Message header format is incorrect', 'The header breaks a format rule'),
  2388072: row('Message body format is incorrect', 'The body breaks a format rule'),
  2388073: row('Message footer format is incorrect', 'The footer breaks a format rule'),
  2388293: row('Parameter to words ratio exceeded', 'The text is too short for this many variables'),
  2388299: row('Leading or trailing parameters', 'The body may not begin or end with a variable'),
  2494100: row('Template management in maintenance', 'Templates cannot be changed for a moment'),
} as const satisfies Record<number, ErrorRow>

export type ErrorCode = keyof typeof errorTable

function row(title: string, details: string, status = 400): ErrorRow {
  return { status, title, details }
}

export function findError(code: number): ErrorRow {
  return (
    (errorTable as Record<number, ErrorRow | undefined>)[code] ??
    row('Error', 'An error that the emulator has no text for')
  )
}

/** Throws a ControlError when no more fit. */
export function requireRoom(held: number, max: number, what: string): void {
  if (held >= max) throw new ControlError(`there is room for ${max} ${what}`)
}

/** A call of the control API that cannot be done; the message says what to do instead. */
export class ControlError extends Error {
  readonly httpStatus: number

  constructor(message: string, httpStatus = 400) {
    super(message)
    this.httpStatus = httpStatus
  }
}

type GraphErrorExtras = {
  httpStatus?: number | undefined
  title?: string | undefined
  /** Graph's wording, without the code in front and without `error_data`. */
  message?: string | undefined
  subcode?: number | undefined
  /** Management endpoints add a title and a message meant for people. */
  management?: boolean | undefined
}

/** An error as Graph answers it. The server turns it into the body. */
export class GraphError extends Error {
  readonly code: number
  readonly httpStatus: number
  readonly title: string
  readonly details: string
  readonly extras: GraphErrorExtras

  constructor(code: number, details?: string, extras: GraphErrorExtras = {}) {
    const row = findError(code)
    super(extras.message ?? `(#${code}) ${extras.title ?? row.title}`)
    this.code = code
    this.httpStatus = extras.httpStatus ?? row.status
    this.title = extras.title ?? row.title
    this.details = details ?? row.details
    this.extras = extras
  }
}

export function reject(code: ErrorCode, details?: string): never {
  throw new GraphError(code, details)
}

/** The richer form of template management. */
export function rejectManagement(code: ErrorCode, details?: string, subcode?: number): never {
  throw new GraphError(code, details, { management: true, subcode })
}

export function errorBody(error: GraphError) {
  return {
    error: {
      message: error.message,
      type: 'OAuthException',
      code: error.code,
      error_subcode: error.extras.subcode,
      ...(error.extras.message === undefined ? explanationOf(error) : {}),
      fbtrace_id: traceId(),
    },
  }
}

function explanationOf({ extras, title, details }: GraphError) {
  if (extras.management !== true) return { error_data: { messaging_product: 'whatsapp', details } }
  return { is_transient: false, error_user_title: title, error_user_msg: details, error_data: details }
}

export type WebhookError = {
  code: number
  title: string
  message: string
  error_data: { details: string }
  href: string
}

/** The form that an error has inside a `failed` status. */
export function webhookError(code: number, details?: string, title?: string): WebhookError {
  const row = findError(code)
  return {
    code,
    title: title ?? row.title,
    message: title ?? row.title,
    error_data: { details: details ?? row.details },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  }
}

function traceId(): string {
  return `A${randomBytes(16).toString('base64url')}`
}
