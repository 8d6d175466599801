import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const KEY_BYTES = 32
/** The highest multiple of ten that a byte can hold: bytes from here on would make some digits likelier than others. */
const FAIR_BYTES = 250

/** The key of one verification, as text, which is what can be sealed. */
export const newCodeKey = (): string => randomBytes(KEY_BYTES).toString('base64url')

/** The code that a key makes: always the same one, and each code of this length is equally likely. */
export function codeOf(key: string, length: number): string {
  let digits = ''
  for (let block = 0; digits.length < length; block += 1)
    for (const byte of hmac(key, `code\0${block}`)) if (byte < FAIR_BYTES) digits += byte % 10
  return digits.slice(0, length)
}

/** What is stored to compare codes with. */
export const hashOf = (key: string, code: string): Buffer => hmac(key, `check\0${code}`)

/** In constant time. */
export const isRightCode = ({ key, hash }: { key: string; hash: Buffer }, code: string): boolean =>
  timingSafeEqual(hashOf(key, code), hash)

const hmac = (key: string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
