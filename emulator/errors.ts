import { randomBytes } from 'node:crypto'

export type ErrorRow = { status: number; title: string; details: string }

/** Every error code that Meta documents for the Cloud API. Where no HTTP status is documented the twin answers 400. */
export const errorTable = {
  0: {
    status: 401,
    title: 'Authentication failed',
    details: 'The app user could not be authenticated; use a new access token',
  },
  1: { status: 400, title: 'Unknown API error', details: 'The request is invalid, or the server had a fault' },
  2: { status: 503, title: 'Service down', details: 'The service is down or overloaded for a moment' },
  3: { status: 500, title: 'API method', details: 'The app lacks a capability or permission for this call' },
  4: { status: 400, title: 'Too many API calls', details: 'The app has reached its call rate' },
  10: { status: 403, title: 'Permission denied', details: 'The permission was not granted or has been removed' },
  17: { status: 400, title: 'User request limit reached', details: 'The user has reached the call rate' },
  33: {
    status: 400,
    title: 'Parameter value is not valid',
    details: 'The business phone number has been deleted or the id is wrong',
  },
  100: { status: 400, title: 'Invalid parameter', details: 'The request has an unsupported or misspelt parameter' },
  102: { status: 401, title: 'API session', details: 'The session is no longer valid' },
  104: { status: 401, title: 'Incorrect signature', details: 'The access token is missing or could not be checked' },
  190: { status: 401, title: 'Access token has expired', details: 'The access token is invalid, expired or revoked' },
  200: { status: 403, title: 'API permission', details: 'The access token has no permission on this object' },
  341: { status: 400, title: 'Application limit reached', details: 'The app has reached its limit for now' },
  368: {
    status: 403,
    title: 'Temporarily blocked for policies violations',
    details: 'The account is restricted for breaking a policy',
  },
  2500: { status: 400, title: 'Unknown path components', details: 'No such path' },
  80007: {
    status: 400,
    title: 'Rate limit issues',
    details: 'The WhatsApp Business Account has reached its management call rate',
  },
  130403: { status: 400, title: 'User blocked by the business', details: 'The business has blocked this user' },
  130429: { status: 400, title: 'Rate limit hit', details: 'The throughput of this phone number is used up' },
  130472: {
    status: 400,
    title: "User's number is part of an experiment",
    details: 'The message was not sent because of an experiment',
  },
  130497: {
    status: 403,
    title: 'Business account is restricted from messaging users in this country',
    details: 'The account may not message users in this country',
  },
  131000: {
    status: 500,
    title: 'Something went wrong',
    details: 'The message could not be sent because of an unknown fault',
  },
  131005: { status: 403, title: 'Access denied', details: 'The permission was not granted or has been removed' },
  131008: { status: 400, title: 'Required parameter is missing', details: 'A required parameter is missing' },
  131009: { status: 400, title: 'Parameter value is not valid', details: 'The value of a parameter is not valid' },
  131016: { status: 500, title: 'Service unavailable', details: 'A service is unavailable for a moment' },
  131021: { status: 400, title: 'Recipient cannot be sender', details: 'The recipient is the sending number itself' },
  131026: {
    status: 400,
    title: 'Message undeliverable',
    details: 'The recipient is not on WhatsApp, has an old app, or has not accepted the terms',
  },
  131030: {
    status: 400,
    title: 'Recipient phone number not in allowed list',
    details: 'Add the recipient to the list of this test number first',
  },
  131031: {
    status: 403,
    title: 'Account has been locked',
    details: 'The account is locked, or the two-step PIN was wrong',
  },
  131037: {
    status: 400,
    title: 'Display name approval needed',
    details: 'The display name of this number has not been approved',
  },
  131042: {
    status: 400,
    title: 'Business eligibility payment issue',
    details: 'There is a problem with the payment method of the account',
  },
  131045: {
    status: 500,
    title: 'Incorrect certificate',
    details: 'The number registration has a problem; register it again',
  },
  131047: {
    status: 400,
    title: 'Re-engagement message',
    details: 'More than 24 hours have passed since the user last wrote; send a template',
  },
  131048: {
    status: 400,
    title: 'Spam rate limit hit',
    details: 'The number is limited because earlier messages were blocked or reported',
  },
  131049: {
    status: 400,
    title: 'Message not delivered to keep the ecosystem healthy',
    details: 'The message was held back; wait at least 24 hours',
  },
  131050: {
    status: 400,
    title: 'User has stopped marketing messages',
    details: 'The user does not want marketing messages of this business',
  },
  131051: { status: 400, title: 'Unsupported message type', details: 'This message type is not supported' },
  131052: {
    status: 400,
    title: 'Media download error',
    details: 'The media that the user sent could not be downloaded',
  },
  131053: { status: 400, title: 'Media upload error', details: 'The media of the message could not be uploaded' },
  131055: { status: 400, title: 'Method not allowed', details: 'This product does not send such messages' },
  131056: {
    status: 400,
    title: 'Business and consumer pair rate limit hit',
    details: 'Too many messages from this number to this recipient',
  },
  131057: {
    status: 500,
    title: 'Account in maintenance mode',
    details: 'The number is in maintenance, perhaps for a throughput upgrade',
  },
  131059: {
    status: 400,
    title: 'Invalid paging cursor',
    details: 'The cursor is wrong or has expired; start again without one',
  },
  131062: {
    status: 400,
    title: 'Business-scoped user id not allowed',
    details: 'Authentication templates need a phone number',
  },
  131063: { status: 400, title: 'Marketing messages only', details: 'This route sends marketing templates only' },
  131064: {
    status: 400,
    title: 'Template blocked for misclassification',
    details: 'Templates of this account are held for a while',
  },
  132000: {
    status: 400,
    title: 'Template parameter count mismatch',
    details: 'The number of parameters differs from the template',
  },
  132001: {
    status: 404,
    title: 'Template does not exist',
    details: 'No approved template has this name in this language',
  },
  132005: {
    status: 400,
    title: 'Template hydrated text too long',
    details: 'The text with its parameters is too long',
  },
  132007: {
    status: 400,
    title: 'Template content policy violated',
    details: 'The content breaks a policy or format rule',
  },
  132008: { status: 400, title: 'Template parameter value rejected', details: 'A parameter value is not accepted' },
  132012: {
    status: 400,
    title: 'Template parameter format mismatch',
    details: 'A parameter has another format than the template',
  },
  132015: { status: 400, title: 'Template is paused', details: 'The template is paused because of low quality' },
  132016: {
    status: 400,
    title: 'Template is disabled',
    details: 'The template was paused too often and is disabled for good',
  },
  132018: {
    status: 400,
    title: 'Template parameter text problem',
    details: 'Parameter text may not have new lines, tabs or more than 4 spaces in a row',
  },
  132068: { status: 400, title: 'Flow is blocked', details: 'The flow is blocked' },
  132069: { status: 400, title: 'Flow is throttled', details: 'The flow is throttled to 10 messages an hour' },
  133000: {
    status: 500,
    title: 'Incomplete deregistration',
    details: 'An earlier deregistration did not complete; deregister again',
  },
  133004: {
    status: 503,
    title: 'Server temporarily unavailable',
    details: 'The registration server is unavailable for a moment',
  },
  133005: { status: 400, title: 'Two-step verification PIN mismatch', details: 'The PIN is wrong' },
  133006: {
    status: 400,
    title: 'Phone number re-verification needed',
    details: 'Verify the number before registering it',
  },
  133008: { status: 400, title: 'Too many two-step PIN guesses', details: 'Too many wrong PINs; wait' },
  133009: { status: 400, title: 'Two-step PIN guessed too fast', details: 'The PIN was entered too fast; wait' },
  133010: {
    status: 400,
    title: 'Phone number not registered',
    details: 'The number is not registered on the Cloud API',
  },
  133015: {
    status: 400,
    title: 'Phone number was deleted just now',
    details: 'Wait 5 minutes before registering the number again',
  },
  133016: {
    status: 400,
    title: 'Account register or deregister rate limit exceeded',
    details: 'More than 10 registrations or deregistrations in 72 hours',
  },
  134011: { status: 400, title: 'Payments terms not accepted', details: 'Accept the payments terms first' },
  135000: {
    status: 400,
    title: 'Generic user error',
    details: 'The message failed because of an unknown fault in its parameters',
  },
  137000: {
    status: 400,
    title: 'Recipient identity key mismatch',
    details: 'The identity key of the recipient has changed',
  },
  141002: { status: 400, title: 'Template cannot be sent', details: 'The template is not in a state that can be sent' },
  2388019: {
    status: 400,
    title: 'Message template limit exceeded',
    details: 'The account has as many templates as it may',
  },
  2388039: {
    status: 400,
    title: 'Template state change refused',
    details: 'The template cannot be changed in its present state',
  },
  2388040: { status: 400, title: 'Character limit exceeded', details: 'A field of the template is too long' },
  2388047: { status: 400, title: 'Message header format is incorrect', details: 'The header breaks a format rule' },
  2388072: { status: 400, title: 'Message body format is incorrect', details: 'The body breaks a format rule' },
  2388073: { status: 400, title: 'Message footer format is incorrect', details: 'The footer breaks a format rule' },
  2388293: {
    status: 400,
    title: 'Parameter to words ratio exceeded',
    details: 'The text is too short for this many variables',
  },
  2388299: {
    status: 400,
    title: 'Leading or trailing parameters',
    details: 'The body may not begin or end with a variable',
  },
  2494100: {
    status: 400,
    title: 'Template management in maintenance',
    details: 'Templates cannot be changed for a moment',
  },
} as const satisfies Record<number, ErrorRow>

export type ErrorCode = keyof typeof errorTable

const rows: Record<number, ErrorRow | undefined> = errorTable

export function findError(code: number): ErrorRow {
  return rows[code] ?? { status: 400, title: 'Error', details: 'An error that the twin has no text for' }
}

export type GraphErrorExtras = {
  httpStatus?: number | undefined
  title?: string | undefined
  subcode?: number | undefined
  /** Management endpoints add a title and a message meant for people. */
  management?: boolean | undefined
}

/** A refusal as Graph answers it. Thrown anywhere below the routes; the server turns it into the body. */
export class GraphError extends Error {
  readonly code: number
  readonly httpStatus: number
  readonly title: string
  readonly details: string
  readonly subcode: number | undefined
  readonly management: boolean

  constructor(code: number, details?: string, extras: GraphErrorExtras = {}) {
    const row = findError(code)
    super(`(#${code}) ${extras.title ?? row.title}`)
    this.code = code
    this.httpStatus = extras.httpStatus ?? row.status
    this.title = extras.title ?? row.title
    this.details = details ?? row.details
    this.subcode = extras.subcode
    this.management = extras.management ?? false
  }
}

export function refuse(code: ErrorCode, details?: string): never {
  throw new GraphError(code, details)
}

/** `POST /{waba}/message_templates` and its neighbours answer in this richer form. */
export function refuseManagement(code: ErrorCode, details?: string, subcode?: number): never {
  throw new GraphError(code, details, { management: true, subcode })
}

export function errorBody(error: GraphError) {
  return {
    error: {
      message: error.message,
      type: 'OAuthException',
      code: error.code,
      ...(error.subcode === undefined ? {} : { error_subcode: error.subcode }),
      ...(error.management
        ? {
            is_transient: false,
            error_user_title: error.title,
            error_user_msg: error.details,
            error_data: error.details,
          }
        : { error_data: { messaging_product: 'whatsapp', details: error.details } }),
      fbtrace_id: traceId(),
    },
  }
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

export function traceId(): string {
  return `A${randomBytes(16).toString('base64url')}`
}
