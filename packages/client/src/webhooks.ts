import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { components } from './api.gen.ts'
import type { RecordedEvent } from './routes.ts'

/** What an endpoint receives, with its `webhook-id` as `id`, as `GET /events` lists it. Only an endpoint receives a ping. */
export type WebhookEvent = RecordedEvent | ({ id: string } & components['schemas']['PingEvent'])

export type WebhookBody = string | Uint8Array | ArrayBuffer

/** Of a `Request`, or of `node:http`, Express and Fastify. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type InvalidWebhookReason =
  /** The secret is missing, or is not an endpoint's secret. */
  | 'secret'
  /** The body is an object: a framework has parsed it. */
  | 'body_parsed'
  /** The body was parsed and serialised again, which changed its bytes. */
  | 'body_changed'
  /** A header is missing: the request is not a webhook of Doorcode, or a proxy removed it. */
  | 'headers'
  /** The webhook was signed more than five minutes before or after the time of this machine. */
  | 'timestamp'
  /** The signature was not made with this secret over this body. */
  | 'signature'

/** Answer such a request with 400. */
export class InvalidWebhookError extends Error {
  override readonly name = 'InvalidWebhookError'
  readonly reason: InvalidWebhookReason

  constructor(reason: InvalidWebhookReason, message: string) {
    super(message)
    this.reason = reason
  }
}

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/**
 * Returns the event if the webhook is genuine, otherwise throws an InvalidWebhookError that says why. `body`: the raw bytes, or the
 * text, exactly as they arrived. `secret`: that of the endpoint, `whsec_…`.
 */
export function verifyWebhook(body: WebhookBody, headers: WebhookHeaders, secret: string): WebhookEvent {
  const webhook = webhookOf(secret)
  const text = textOf(body)
  const given = Object.fromEntries(HEADERS.map((name) => [name, headerOf(headers, name)]))
  try {
    const event = webhook.verify(text, given) as Omit<WebhookEvent, 'id'>
    return { id: given['webhook-id'], ...event } as WebhookEvent
  } catch (error) {
    throw explained(error, { webhook, text, given })
  }
}

/** Standard Webhooks requires at least 24 bytes, 32 characters. With a text such as "whsec_undefined", anyone could sign. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/
const UNSET = /^(?:whsec_)?(?:undefined|null)?$/

function webhookOf(secret: unknown): Webhook {
  const text = typeof secret === 'string' ? secret : ''
  if (UNSET.test(text))
    throw new InvalidWebhookError(
      'secret',
      `"secret", the third argument of verifyWebhook, is ${text ? `the text "${text}"` : 'missing'}: set the environment variable that it comes from, such as DOORCODE_WEBHOOK_SECRET, to the secret of the endpoint, which begins with whsec_.`,
    )
  try {
    if (SECRET.test(text)) return new Webhook(text)
  } catch {} // Base64 whose length is wrong
  throw new InvalidWebhookError(
    'secret',
    '"secret", the third argument of verifyWebhook, is incomplete or has the wrong form: pass the secret of the endpoint, which is whsec_ and Base64.',
  )
}

const RAW_BODY =
  'Pass the raw bytes. Express: express.raw({ type: "application/json" }) for this route, then request.body. Fastify: a content type parser with { parseAs: "buffer" }. Next.js and other handlers that get a Request: await request.text().'

function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  try {
    // A body that is not UTF-8 is not Doorcode's, and a byte order mark is part of what was signed.
    if (body instanceof Uint8Array || body instanceof ArrayBuffer)
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw new InvalidWebhookError('signature', 'The body is not UTF-8, so it is not a webhook of Doorcode.')
  }
  throw new InvalidWebhookError(
    'body_parsed',
    `The body is ${body === null ? 'null' : `of type ${typeof body}`}, so it was parsed, or not read, before. ${RAW_BODY}`,
  )
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? (headers.get(name) as unknown) : valueOf(headers, name)
  if (typeof value === 'string' && value !== '') return value
  throw new InvalidWebhookError(
    'headers',
    `The header ${name} is missing: the request is not a webhook of Doorcode, or a proxy removed the header.`,
  )
}

function valueOf(headers: object, name: string): unknown {
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? []
  return Array.isArray(value) ? value.join(' ') : value
}

type Facts = { webhook: Webhook; text: string; given: Record<string, string> }

function explained(error: unknown, facts: Facts): unknown {
  if (!(error instanceof WebhookVerificationError)) return error
  if (!error.message.includes('signature'))
    return new InvalidWebhookError(
      'timestamp',
      'The webhook was signed more than five minutes ago, or in the future: is it a repeat of an old request, or is the clock of this machine wrong?',
    )
  if (wasSerialisedAgain(facts))
    return new InvalidWebhookError(
      'body_changed',
      `The body was parsed and serialised again, so its bytes are not those that were signed. ${RAW_BODY}`,
    )
  return new InvalidWebhookError(
    'signature',
    `No signature fits: the secret is not that of this endpoint, or the body is not exactly what arrived. ${RAW_BODY}`,
  )
}

/** Doorcode sends compact JSON. Other spaces and escapes change its bytes, and JSON.stringify restores them. */
function wasSerialisedAgain({ webhook, text, given }: Facts): boolean {
  try {
    webhook.verify(JSON.stringify(JSON.parse(text)), given)
    return true
  } catch {
    return false
  }
}
