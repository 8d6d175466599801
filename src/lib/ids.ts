import { createHash, randomBytes, randomInt, randomUUIDv7 } from 'node:crypto'

/** UUIDv7: later ids sort later. */
export const newId = (): string => randomUUIDv7()

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** No id created at this time or later sorts before it. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}

/** When a UUIDv7 was created, by the clock of its node. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => UUID.test(text)

/**
 * The same id for the same content, so that a repeated insert conflicts at the primary key.
 * Form: UUID version 8 (RFC 9562, section 5.8), 122 bits of SHA-256.
 */
export function contentId(...parts: string[]): string {
  const bytes = createHash('sha256').update(parts.join('\0')).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const PUBLIC_ID_LENGTH = 12
const SECRET_BYTES = 32

/** `dck_<publicId>_<secret>` (docs/api.md#authentication): 12 characters of a-z2-7, then 43 of base64url. */
const API_KEY = /^dck_([a-z2-7]{12})_([A-Za-z0-9_-]{43})$/

export type ApiKeyParts = { publicId: string; secret: string }

export function newApiKey(): ApiKeyParts & { apiKey: string } {
  const publicId = Array.from({ length: PUBLIC_ID_LENGTH }, () => BASE32[randomInt(BASE32.length)]).join('')
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return { publicId, secret, apiKey: `dck_${publicId}_${secret}` }
}

/** Split by length, since the secret may contain `_`. Returns undefined if it is not one of our keys. */
export function parseApiKey(text: string): ApiKeyParts | undefined {
  const [, publicId, secret] = API_KEY.exec(text) ?? []
  return publicId && secret ? { publicId, secret } : undefined
}

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export const newWebhookSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
