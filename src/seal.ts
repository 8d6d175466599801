import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomFillSync } from 'node:crypto'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORM = 1

/** AES-256-GCM under the instance key (contract §1). */
export type Seal = {
  /** `context` names what the text belongs to: bytes copied to another row do not open there. */
  close(text: string, context: string): Buffer
  /** Throws SealBroken when the key, the context or the bytes are not the ones that closed it. */
  open(sealed: Buffer, context: string): string
  /** A secret of its own for something that takes one, always the same: 64 hex digits. */
  derive(purpose: string): string
}

export class SealBroken extends Error {
  constructor(context: string) {
    super(`the sealed value of ${context} does not open under this DOORCODE_SECRET_KEY`)
    this.name = 'SealBroken'
  }
}

/** Undefined unless the text is 32 bytes in base64 (44 characters) or hex (64 characters). */
export function parseInstanceKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  const bytes = Buffer.from(text, 'base64')
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) && bytes.length === KEY_BYTES ? bytes : undefined
}

export const newInstanceKey = (): string => randomBytes(KEY_BYTES).toString('base64')

/** Drawn by the hundred: asked for one by one, randomness is a tenth of what an accepted code costs. */
const NONCES_DRAWN = 512

function nonceSource(): () => Buffer {
  const drawn = Buffer.alloc(NONCES_DRAWN * NONCE_BYTES)
  let used = NONCES_DRAWN
  return () => {
    if (used === NONCES_DRAWN) {
      randomFillSync(drawn)
      used = 0
    }
    used += 1
    return drawn.subarray((used - 1) * NONCE_BYTES, used * NONCE_BYTES)
  }
}

export function sealWith(key: Buffer): Seal {
  const nextNonce = nonceSource()
  return {
    close(text, context) {
      const nonce = nextNonce()
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(FORM), nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      try {
        if (sealed[0] !== FORM) throw new SealBroken(context)
        const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
        const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
        const body = sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)
        const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context)).setAuthTag(tag)
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
      } catch {
        throw new SealBroken(context)
      }
    },
    derive: (purpose) => createHmac('sha256', key).update(`derived: ${purpose}`).digest('hex'),
  }
}
