import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

export const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 1
const FORMAT_BYTE = Buffer.of(FORMAT)

/** One instance key: AES-256-GCM. */
export type SealingKey = {
  /** Names the key in answers and logs without revealing it. */
  readonly fingerprint: string
  close(text: string, context: string): Buffer
  /** Returns undefined if the key, the context or the bytes differ. */
  open(sealed: Buffer, context: string): string | undefined
  /** In base64url; the same for the same text, to look a row up by. Without the key it says nothing about the text. */
  hash(text: string): string
}

/** Seals under the instance key of the database, and opens with every known key (docs/key-rotation.md). */
export type Seal = {
  /** The known keys, newest first. */
  readonly keys: readonly SealingKey[]
  /** The key of the database. A rotation replaces it while the process runs. */
  current(): SealingKey
  /** `context` names the owner of the text, so that bytes copied to another row cannot be opened there. */
  close(text: string, context: string): Buffer
  /** Throws UnsealError if no known key opens it, or the context or the bytes differ. */
  open(sealed: Buffer, context: string): string
  /** What sessions are signed with: 64 hex digits. A rotation may replace it: read it at each use. */
  signInSecret(): string
  /** Adopts the state of the database. */
  use(state: { key: SealingKey; signInSecret: string }): void
}

export class UnsealError extends Error {
  constructor(context: string) {
    super(`the sealed value of ${context} cannot be opened with this instance key`)
    this.name = 'UnsealError'
  }
}

/** Returns undefined unless the text is 32 bytes in base64 (44 characters) or hex (64 characters). */
function parseInstanceKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  const bytes = Buffer.from(text, 'base64')
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) && bytes.length === KEY_BYTES ? bytes : undefined
}

/** One key in use, one that replaces it, and the keys of unfinished rotations. */
export const MAX_KEYS = 5

export type KeyMistake =
  | { code: 'form'; position: number; of: number }
  | { code: 'repeated'; position: number; first: number }
  | { code: 'too_many'; of: number }

/** The key file has a key on each line, and may become the value of the setting. */
const KEY_SEPARATOR = /\s*[,\n]\s*/

/** Every mistake, with positions from 1. */
export function parseInstanceKeys(text: string): { keys: Buffer[]; mistakes: KeyMistake[] } {
  const texts = text.trim().split(KEY_SEPARATOR)
  const keys: Buffer[] = []
  const mistakes: KeyMistake[] = texts.length > MAX_KEYS ? [{ code: 'too_many', of: texts.length }] : []
  const positions = new Map<string, number>()
  for (const [index, each] of texts.entries()) {
    const position = index + 1
    const key = parseInstanceKey(each)
    const first = key && positions.get(key.toString('hex'))
    if (!key) mistakes.push({ code: 'form', position, of: texts.length })
    else if (first !== undefined) mistakes.push({ code: 'repeated', position, first })
    else positions.set(key.toString('hex'), position)
    if (key) keys.push(key)
  }
  return { keys, mistakes }
}

export const newInstanceKey = (): Buffer => randomBytes(KEY_BYTES)

/** Generated in bulk: one at a time, nonces take a tenth of the time of accepting a code. */
const NONCE_POOL_SIZE = 512

function createNonceSource(): () => Buffer {
  let pool = Buffer.alloc(0)
  let used = 0
  return () => {
    if (used === pool.length) [pool, used] = [randomBytes(NONCE_POOL_SIZE * NONCE_BYTES), 0]
    used += NONCE_BYTES
    return pool.subarray(used - NONCE_BYTES, used)
  }
}

const FINGERPRINT_DIGITS = 8

export function createSealingKey(key: Buffer): SealingKey {
  const nextNonce = createNonceSource()
  return {
    fingerprint: createHmac('sha256', key).update('fingerprint').digest('hex').slice(0, FINGERPRINT_DIGITS),
    close(text, context) {
      const nonce = nextNonce()
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const body = cipher.update(text, 'utf8')
      cipher.final() // adds no bytes: GCM has no padding
      return Buffer.concat([FORMAT_BYTE, nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      try {
        if (sealed[0] !== FORMAT) return undefined
        const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
        const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
        const body = sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)
        const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context)).setAuthTag(tag)
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },
    hash: (text) => createHmac('sha256', key).update(`hash\0${text}`).digest('base64url'),
  }
}

export function createSeal(
  keys: readonly SealingKey[],
  { key: current, signInSecret }: { key: SealingKey; signInSecret: string },
): Seal {
  return {
    keys,
    current: () => current,
    close: (text, context) => current.close(text, context),
    open(sealed, context) {
      const opened = current.open(sealed, context) ?? keyOf(keys, sealed, context)?.open(sealed, context)
      if (opened === undefined) throw new UnsealError(context)
      return opened
    },
    signInSecret: () => signInSecret,
    use: (state) => void ({ key: current, signInSecret } = state),
  }
}

/** The key that opens the bytes. */
export const keyOf = (keys: readonly SealingKey[], sealed: Buffer, context: string): SealingKey | undefined =>
  keys.find((key) => key.open(sealed, context) !== undefined)

export const newSignInSecret = (): string => randomBytes(KEY_BYTES).toString('hex')
