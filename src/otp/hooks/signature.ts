import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'

export type SignedRequest = { headers: IncomingHttpHeaders; raw: Buffer; now: Date }

/** Whether a request is signed with one secret. */
export type SignatureCheck = (request: SignedRequest) => boolean

/** How far the time of a signature may be from now: an older request may be a copy. */
const TOLERANCE_MS = 5 * MINUTE_MS
/** A request has one for each secret. */
const MAX_SIGNATURES = 20
/** Also the longest headers that are compared with a secret. */
export const MAX_SECRET_LENGTH = 256

/** Standard Webhooks, as Supabase signs: it joins several signatures by ", ", and the standard by a space. */
export function standardWebhookCheck(secret: string): SignatureCheck {
  const key = createSecretKey(Buffer.from(secret.replace(/^(v1,)?whsec_/, ''), 'base64'))
  return ({ headers, raw, now }) => {
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers
    if (typeof id !== 'string' || typeof time !== 'string' || typeof signatures !== 'string') return false
    if (!isRecent(time, now)) return false
    const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(raw).digest('base64')
    return signatures.split(/[\s,]+/, 2 * MAX_SIGNATURES).some((part) => isSignature(part, expected))
  }
}

/** `ZITADEL-Signature: t=<unix seconds>,v1=<hex>`, with one `v1` for each signing key. */
export function zitadelCheck(secret: string): SignatureCheck {
  return ({ headers, raw, now }) => {
    const header = headers['zitadel-signature']
    if (typeof header !== 'string') return false
    const parts = header.split(',', MAX_SIGNATURES).map((part) => part.trim().split('=', 2))
    const [, time = ''] = parts.find(([name]) => name === 't') ?? []
    if (!isRecent(time, now)) return false
    const expected = createHmac('sha256', secret).update(`${time}.`).update(raw).digest('hex')
    return parts.some(([name, signature = '']) => name === 'v1' && isSignature(signature, expected))
  }
}

/** `Authorization: <secret>`, with or without `Bearer`. */
export const headerCheck =
  (secret: string): SignatureCheck =>
  ({ headers: { authorization = '' } }) =>
    isSecret(authorization.replace(/^bearer +/i, '').slice(0, MAX_SECRET_LENGTH + 1), secret)

const isRecent = (seconds: string, now: Date): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(now.getTime() - Number(seconds) * SECOND_MS) <= TOLERANCE_MS

/** All signatures have the same length, which is no secret. */
function isSignature(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Compares digests, so that timing reveals neither content nor length. */
const isSecret = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret))

const digest = (value: string): Buffer => createHash('sha256').update(value).digest()
