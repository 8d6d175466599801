import { createHmac } from 'node:crypto'

/** Standard Webhooks v1: HMAC-SHA256 over the exact bytes of id, time and body. */
export type SignatureHeaders = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }

/**
 * One signature per secret, the newest first: during a rotation, receivers with either secret accept the request. `at`:
 * the start of the attempt.
 */
export function sign(
  { id, at, body }: { id: string; at: Date; body: string },
  secrets: readonly string[],
): SignatureHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const content = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${hmac(secret, content)}`).join(' '),
  }
}

const PREFIX = 'whsec_'

const hmac = (secret: string, content: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(content, 'utf8')
    .digest('base64')
