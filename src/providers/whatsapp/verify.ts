import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i

/** X-Hub-Signature-256 over the raw bytes, under the app secret (whatsapp-cloud-api.md §4.1). */
export function verify(account: { appSecret: string }, raw: Buffer, headers: IncomingHttpHeaders): boolean {
  const given = signatureIn(headers)
  if (!given || account.appSecret === '') return false // an empty secret would let anybody sign
  const expected = createHmac('sha256', account.appSecret).update(raw).digest()
  return timingSafeEqual(Buffer.from(given, 'hex'), expected)
}

export const isSigned = (headers: IncomingHttpHeaders): boolean => signatureIn(headers) !== undefined

function signatureIn({ 'x-hub-signature-256': header }: IncomingHttpHeaders): string | undefined {
  return typeof header === 'string' ? SIGNATURE.exec(header)?.[1] : undefined
}
