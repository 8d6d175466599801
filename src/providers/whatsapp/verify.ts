import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i

/** X-Hub-Signature-256 over the raw bytes, under the app secret (docs/whatsapp-cloud-api.md#webhooks). */
export function verify(account: { appSecret: string }, raw: Buffer, headers: IncomingHttpHeaders): boolean {
  const signature = signatureIn(headers)
  if (!signature || account.appSecret === '') return false // anyone can sign with an empty secret
  const expected = createHmac('sha256', account.appSecret).update(raw).digest()
  return timingSafeEqual(Buffer.from(signature, 'hex'), expected)
}

export const isSigned = (headers: IncomingHttpHeaders): boolean => signatureIn(headers) !== undefined

function signatureIn({ 'x-hub-signature-256': header }: IncomingHttpHeaders): string | undefined {
  return typeof header === 'string' ? SIGNATURE.exec(header)?.[1] : undefined
}
