import { createHash } from 'node:crypto'
import { z } from 'zod'
import { asWritten } from '../../../locales/text.ts'
import { UserError } from '../../lib/errors.ts'

/**
 * A backup file (docs/backup.md#the-file): the magic line, the header as a line of JSON, the header's SHA-256 as a line,
 * frames, the SHA-256 of everything before, and the end mark. A frame is its kind (1 byte), the length of its stored bytes
 * (4 bytes, big endian), and these bytes: the content, compressed with Zstandard, then encrypted if there is a passphrase.
 */
export const FORMAT_VERSION = 1
export const MAGIC = 'doorcode-backup '
export const END_MARK = Buffer.from('\nend of backup\n')
export const HASH_BYTES = 32
export const FRAME_HEAD_BYTES = 5

/**
 * key: the instance key · rows: a part of a table in PostgreSQL's text form of COPY · count: the rows of the table that ends
 * here · end: after the last table. The tables follow each other as in the header.
 */
export const FRAME_KINDS = { key: 1, rows: 2, count: 3, end: 4 } as const
export type FrameKind = keyof typeof FRAME_KINDS

export type Frame = { kind: FrameKind; content: Buffer }

/** Of the content of a frame: what a backup or restore keeps in memory is a few times this. */
export const MAX_FRAME_BYTES = 2 ** 20
export const MAX_HEADER_BYTES = 2 ** 20

/** The parameters of scrypt are in the file, so that later releases can raise them. */
const encryptionSchema = z.strictObject({
  salt: z.base64(),
  cost: z.int(),
  blockSize: z.int(),
  parallelization: z.int(),
  /** Distinguishes a wrong passphrase from damage. */
  check: z.base64(),
})
export type Encryption = z.infer<typeof encryptionSchema>

const headerSchema = z.strictObject({
  createdAt: z.iso.datetime(),
  doorcode: z.string(),
  postgresql: z.string(),
  /** The newest of the schema. */
  migration: z.strictObject({ number: z.int(), name: z.string() }),
  containsKey: z.boolean(),
  /** `instance.key_check`, to recognize the instance key. */
  keyCheck: z.base64(),
  /** Of the same key, for errors. Missing if the backup was made without knowing the key, or by an early version. */
  keyFingerprint: z.string().optional(),
  encryption: encryptionSchema.nullable(),
  /** A table outside the default schema is named as schema.table. */
  tables: z.array(z.strictObject({ name: z.string(), columns: z.array(z.string()) })),
})
export type Header = z.infer<typeof headerSchema>

/** Returns undefined if it has another form, such as that of a newer release. */
export function parseHeader(text: string): Header | undefined {
  try {
    return headerSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

export const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

export function encodeHeader(header: Header): Buffer {
  const json = Buffer.from(JSON.stringify(header))
  return Buffer.concat([
    Buffer.from(`${MAGIC}${FORMAT_VERSION}\n`),
    json,
    Buffer.from(`\n${sha256(json).toString('hex')}\n`),
  ])
}

/** An error that a person can fix. The texts are only for the command line, which is in English. */
export const backupError = (text: string): UserError => new UserError(asWritten(text))
