import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 1
const FORMAT_BYTE = Buffer.of(FORMAT)

/** AES-256-GCM under the instance key (docs/operations.md#the-instance-key). */
export type Seal = {
  /** `context` names the owner of the text, so that bytes copied to another row cannot be opened there. */
  close(text: string, context: string): Buffer
  /** Throws UnsealError if the key, the context or the bytes differ. */
  open(sealed: Buffer, context: string): string
  /** A stable secret per purpose: 64 hex digits. */
  derive(purpose: string): string
}

export class UnsealError extends Error {
  constructor(context: string) {
    super(`the sealed value of ${context} cannot be opened with this instance key`)
    this.name = 'UnsealError'
  }
}

/** Undefined unless the text is 32 bytes in base64 (44 characters) or hex (64 characters). */
export function parseInstanceKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  const bytes = Buffer.from(text, 'base64')
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) && bytes.length === KEY_BYTES ? bytes : undefined
}

export const newInstanceKey = (): string => randomBytes(KEY_BYTES).toString('base64')

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

export function createSeal(key: Buffer): Seal {
  const nextNonce = createNonceSource()
  return {
    close(text, context) {
      const nonce = nextNonce()
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const body = cipher.update(text, 'utf8')
      cipher.final() // adds no bytes: GCM has no padding
      return Buffer.concat([FORMAT_BYTE, nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      try {
        if (sealed[0] !== FORMAT) throw new UnsealError(context)
        const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
        const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
        const body = sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)
        const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context)).setAuthTag(tag)
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
      } catch {
        throw new UnsealError(context)
      }
    },
    derive: (purpose) => createHmac('sha256', key).update(`derived: ${purpose}`).digest('hex'),
  }
}
