export { type BetterAuthOptions, PhoneNumberError, doorcodePhoneNumber } from './better-auth.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { DoorcodeConnectionError, DoorcodeError, type ErrorCode, isDoorcodeError } from './errors.ts'
export type { EventPosition, Events, EventsOptions } from './events.ts'
export type { Input, OperationName, Output, RecordedEvent, RequestOptions } from './routes.ts'
export {
  InvalidWebhookError,
  type InvalidWebhookReason,
  type WebhookBody,
  type WebhookEvent,
  type WebhookHeaders,
  verifyWebhook,
} from './webhooks.ts'
