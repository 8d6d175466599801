import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { type FrameCipher, isReasonable, openEncryption } from './encryption.ts'
import {
  END_MARK,
  FORMAT_VERSION,
  FRAME_HEAD_BYTES,
  FRAME_KINDS,
  type Frame,
  type FrameKind,
  HASH_BYTES,
  type Header,
  MAGIC,
  MAX_FRAME_BYTES,
  MAX_HEADER_BYTES,
  backupError,
  parseHeader,
  sha256,
} from './format.ts'

const decompress = promisify<Buffer, object, Buffer>(zstdDecompress)

export type BackupFile = {
  header: Header
  /** Reads the whole file, as often as it is called. Throws UserError where the file is not what was written. */
  frames(): AsyncGenerator<Frame>
}

/** Throws UserError if the file is no complete backup that this release can read, or the passphrase does not open it. */
export async function openBackupFile(
  file: string,
  passphrase: string | undefined,
): Promise<BackupFile & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const handle = opened.adopt(await openFile(file), (handle) => handle.close())
  const { header, headerBytes } = await readHeader(file, handle)
  const contentBytes = await findContentEnd(file, handle)
  const cipher = await openCipher(file, header, passphrase)
  const whenClosed = opened.move()
  return {
    header,
    frames: () => readFrames(file, handle, { headerBytes, contentBytes, cipher }),
    [Symbol.asyncDispose]: () => whenClosed.disposeAsync(),
  }
}

async function openFile(file: string): Promise<FileHandle> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw backupError(error.code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read (${error.code}).`)
  })
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw backupError(`${file} is not a file.`)
}

const damaged = (file: string) =>
  backupError(`${file} is damaged: its content is not what was written. Use another copy of the backup.`)

async function readHeader(file: string, handle: FileHandle): Promise<{ header: Header; headerBytes: number }> {
  const start = Buffer.alloc(MAX_HEADER_BYTES)
  const { bytesRead } = await handle.read(start, 0, start.length, 0)
  const text = start.subarray(0, bytesRead)
  const magicEnd = Math.max(text.indexOf(NEW_LINE), 0)
  const jsonEnd = text.indexOf(NEW_LINE, magicEnd + 1)
  const hashEnd = text.indexOf(NEW_LINE, jsonEnd + 1)
  const magic = text.subarray(0, Math.min(magicEnd, MAX_MAGIC_BYTES)).toString('latin1')
  const version = /^\d+$/.test(magic.slice(MAGIC.length)) ? Number(magic.slice(MAGIC.length)) : 0
  if (!magic.startsWith(MAGIC) || version === 0) throw backupError(`${file} is not a backup that Doorcode made.`)
  if (version > FORMAT_VERSION) throw newer(file)
  if (jsonEnd < 0 || hashEnd <= jsonEnd) throw incomplete(file)
  const json = text.subarray(magicEnd + 1, jsonEnd)
  const hash = text.subarray(jsonEnd + 1, hashEnd).toString('latin1')
  if (hash !== sha256(json).toString('hex')) throw damaged(file)
  const header = parseHeader(json.toString())
  if (!header) throw newer(file)
  return { header, headerBytes: hashEnd + 1 }
}

const newer = (file: string) =>
  backupError(`${file} was made by a newer release of Doorcode. Restore it with that release or a later one.`)

const NEW_LINE = 0x0a
const MAX_MAGIC_BYTES = 32

const incomplete = (file: string) =>
  backupError(`${file} is incomplete: its end is missing. Copy it again from the machine that made the backup.`)

/** Where the frames and their checksum end. */
async function findContentEnd(file: string, handle: FileHandle): Promise<number> {
  const { size } = await handle.stat()
  const end = Buffer.alloc(END_MARK.length)
  if (size > end.length) await handle.read(end, 0, end.length, size - end.length)
  if (!end.equals(END_MARK)) throw incomplete(file)
  return size - END_MARK.length - HASH_BYTES
}

async function openCipher(
  file: string,
  { encryption }: Header,
  passphrase: string | undefined,
): Promise<FrameCipher | undefined> {
  if (!encryption) {
    if (passphrase === undefined) return undefined
    throw backupError(
      `${file} is not encrypted, although you named a passphrase. If you trust this file, leave out --passphrase-file.`,
    )
  }
  if (passphrase === undefined)
    throw backupError(`${file} is encrypted. Name the file with its passphrase with --passphrase-file.`)
  if (!isReasonable(encryption))
    throw backupError(
      `${file} needs more work or memory to check its passphrase than any backup that this release makes. Use another copy of the backup, or the release that made it.`,
    )
  const cipher = await openEncryption(passphrase, encryption)
  if (!cipher) throw backupError(`The passphrase is not the one that ${file} was encrypted with.`)
  return cipher
}

type Content = { headerBytes: number; contentBytes: number; cipher: FrameCipher | undefined }

async function* readFrames(
  file: string,
  handle: FileHandle,
  { headerBytes, contentBytes, cipher }: Content,
): AsyncGenerator<Frame> {
  const hash = createHash('sha256')
  let position = 0
  const read = async (bytes: number): Promise<Buffer> => {
    if (bytes > contentBytes - position) throw damaged(file)
    const part = Buffer.alloc(bytes)
    const { bytesRead } = await handle.read(part, 0, bytes, position)
    if (bytesRead < bytes) throw damaged(file)
    position += bytes
    hash.update(part)
    return part
  }
  await read(headerBytes)
  for (let index = 0, ended = false; !ended; index += 1) {
    const head = await read(FRAME_HEAD_BYTES)
    const kind = KIND_OF_BYTE.get(head.readUInt8())
    const length = head.readUInt32BE(1)
    if (!kind || length > MAX_STORED_BYTES) throw damaged(file)
    const stored = await read(length)
    const compressed = cipher ? cipher.open(kind, index, stored) : stored
    if (!compressed) throw damaged(file)
    const content = await decompress(compressed, { maxOutputLength: MAX_FRAME_BYTES }).catch(() => {
      throw damaged(file)
    })
    ended = kind === 'end'
    if (ended) await assertHash()
    yield { kind, content }
  }

  async function assertHash(): Promise<void> {
    const expected = Buffer.alloc(HASH_BYTES)
    await handle.read(expected, 0, HASH_BYTES, contentBytes)
    if (position !== contentBytes || !hash.digest().equals(expected)) throw damaged(file)
  }
}

const KIND_OF_BYTE: ReadonlyMap<number, FrameKind> = new Map(
  Object.entries(FRAME_KINDS).map(([kind, byte]) => [byte, kind as FrameKind]),
)

/** Incompressible content grows a little, and encryption adds a tag. */
const MAX_STORED_BYTES = MAX_FRAME_BYTES + 2 ** 14
