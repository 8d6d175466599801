import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { type Encryption, FRAME_KINDS, type FrameKind } from './format.ts'

const CIPHER: CipherGCMTypes = 'aes-256-gcm'
const KEY_BYTES = 32
const SALT_BYTES = 16
const TAG_BYTES = 16
/** 128 MiB and about half a second for each passphrase that someone tries. */
const COST = { cost: 2 ** 17, blockSize: 8, parallelization: 1 }
/** A file cannot make a restore use more memory than this, nor more than 16 times the work of ours: some 10 seconds. */
const MAX_SCRYPT_BYTES = 2 ** 30
const MAX_SCRYPT_WORK = 16 * COST.cost * COST.blockSize * COST.parallelization

const runScrypt = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** AES-256-GCM under a key of this file only, so that the number of the frame can be the nonce: a frame opens only in its place. */
export type FrameCipher = {
  seal(kind: FrameKind, index: number, content: Buffer): Buffer
  /** Returns undefined if the frame was changed or is not in its place. */
  open(kind: FrameKind, index: number, stored: Buffer): Buffer | undefined
}

export async function newEncryption(passphrase: string): Promise<{ encryption: Encryption; cipher: FrameCipher }> {
  const salt = randomBytes(SALT_BYTES)
  const key = await deriveKey(passphrase, { salt: salt.toString('base64'), ...COST })
  return {
    encryption: { salt: salt.toString('base64'), ...COST, check: checkOf(key).toString('base64') },
    cipher: createFrameCipher(key),
  }
}

/** Whether the parameters of a file, which anyone may have written, are ones that scrypt takes in a reasonable time. */
export function isReasonable({ cost, blockSize, parallelization }: Encryption): boolean {
  const isPowerOfTwo = cost > 1 && Number.isInteger(Math.log2(cost))
  const fits = 128 * blockSize * (cost + parallelization) < MAX_SCRYPT_BYTES
  return (
    isPowerOfTwo &&
    fits &&
    blockSize > 0 &&
    parallelization > 0 &&
    cost * blockSize * parallelization <= MAX_SCRYPT_WORK
  )
}

/** Returns undefined if the passphrase is wrong. The parameters must be reasonable. */
export async function openEncryption(passphrase: string, encryption: Encryption): Promise<FrameCipher | undefined> {
  const key = await deriveKey(passphrase, encryption)
  const [expected, found] = [checkOf(key), Buffer.from(encryption.check, 'base64')]
  return expected.length === found.length && timingSafeEqual(expected, found) ? createFrameCipher(key) : undefined
}

function deriveKey(passphrase: string, { salt, cost: N, blockSize: r, parallelization: p }: Omit<Encryption, 'check'>) {
  return runScrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), KEY_BYTES, {
    N,
    r,
    p,
    maxmem: MAX_SCRYPT_BYTES,
  })
}

const checkOf = (key: Buffer): Buffer => createHmac('sha256', key).update('doorcode backup passphrase').digest()

function createFrameCipher(key: Buffer): FrameCipher {
  return {
    seal(kind, index, content) {
      const cipher = createCipheriv(CIPHER, key, nonceOf(index)).setAAD(aadOf(kind))
      return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()])
    },
    open(kind, index, stored) {
      if (stored.length < TAG_BYTES) return undefined
      const decipher = createDecipheriv(CIPHER, key, nonceOf(index), { authTagLength: TAG_BYTES })
      decipher.setAAD(aadOf(kind)).setAuthTag(stored.subarray(-TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(stored.subarray(0, -TAG_BYTES)), decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}

const NONCE_BYTES = 12

function nonceOf(index: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeBigUInt64BE(BigInt(index), NONCE_BYTES - 8)
  return nonce
}

/** The kind, so that the end of a file cannot be moved. */
const aadOf = (kind: FrameKind): Buffer => Buffer.of(FRAME_KINDS[kind])
