import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { syncFolder } from '../start/embedded-postgres/folders.ts'
import type { FrameCipher } from './encryption.ts'
import {
  END_MARK,
  FRAME_HEAD_BYTES,
  FRAME_KINDS,
  type FrameKind,
  type Header,
  backupError,
  encodeHeader,
} from './format.ts'

const compress = promisify(zstdCompress)

export type BackupWriter = {
  /** First of all. */
  header(header: Header, cipher?: FrameCipher): Promise<void>
  /** One at a time: each is written when this resolves. */
  frame(kind: FrameKind, content: Buffer): Promise<void>
}

export type BackupTarget =
  /** `replace`: whether an existing file is replaced. */
  | { file: string; replace: boolean }
  /** To standard output. Each call resolves when the bytes are written. */
  | { send: (bytes: Buffer) => Promise<void> }

type Write = (writer: BackupWriter) => Promise<void>

/** Resolves with the size. */
export const writeBackup = (target: BackupTarget, write: Write): Promise<number> =>
  'send' in target
    ? writeAll((bytes) => target.send(bytes).catch(throwSendFault), write)
    : writeBackupFile(target, write)

/**
 * Writes a backup under another name in the same folder and renames it when it is complete and on disk: whatever
 * interrupts it, the file is never incomplete.
 */
async function writeBackupFile({ file, replace }: { file: string; replace: boolean }, write: Write): Promise<number> {
  await assertMayWrite(file, replace)
  const partial = `${file}${PARTIAL}${randomBytes(4).toString('hex')}`
  const output = await open(partial, 'wx', 0o600).catch((error: unknown) => describeFault(error, file))
  try {
    const bytes = await writeAndClose(output, write)
    await assertMayWrite(file, replace)
    await rename(partial, file)
    await syncFolder(path.dirname(path.resolve(file)))
    await removeAbandoned(file)
    return bytes
  } catch (error) {
    await rm(partial, { force: true })
    return describeFault(error, file)
  }
}

async function writeAndClose(output: FileHandle, write: Write): Promise<number> {
  try {
    const size = await writeAll((bytes) => output.writeFile(bytes), write) // appends: a handle keeps its position
    await output.sync()
    return size
  } finally {
    await output.close()
  }
}

async function writeAll(send: (bytes: Buffer) => Promise<void>, write: Write): Promise<number> {
  const hash = createHash('sha256')
  let cipher: FrameCipher | undefined
  let frames = 0
  let size = 0
  const append = async (bytes: Buffer): Promise<void> => {
    hash.update(bytes)
    size += bytes.length
    await send(bytes)
  }
  await write({
    async header(header, sealing) {
      cipher = sealing
      await append(encodeHeader(header))
    },
    async frame(kind, content) {
      const compressed = await compress(content)
      const stored = cipher?.seal(kind, frames, compressed) ?? compressed
      frames += 1
      const head = Buffer.alloc(FRAME_HEAD_BYTES)
      head.writeUInt8(FRAME_KINDS[kind])
      head.writeUInt32BE(stored.length, 1)
      await append(Buffer.concat([head, stored]))
    },
  })
  await append(hash.copy().digest())
  await append(END_MARK)
  return size
}

/** Renaming a file over a device, such as /dev/null, would replace the device. */
async function assertMayWrite(file: string, replace: boolean): Promise<void> {
  const present = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    return describeFault(error, file)
  })
  if (present && !present.isFile()) throw backupError(`${file} is not a regular file. Choose another name.`)
  if (present && !replace)
    throw backupError(`${file} already exists. Choose another name, or add --force to replace it.`)
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

function describeFault(error: unknown, file: string): never {
  const code = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : undefined
  if (typeof code !== 'string') throw error
  if (FULL.has(code))
    throw backupError(`The disk is full, so ${file} was not written. Free space, or choose a file on another disk.`)
  if (code === 'ENOENT')
    throw backupError(`The folder ${path.dirname(path.resolve(file))} does not exist. Create it first.`)
  throw backupError(`${file} cannot be written (${code}). Choose a file that this user may create.`)
}

function throwSendFault(error: NodeJS.ErrnoException): never {
  throw backupError(
    `Standard output cannot be written (${error.code}), so the backup is incomplete. Check the program or the disk that it goes to.`,
  )
}

const PARTIAL = '.partial-'
/** A running backup writes constantly, so an older partial file belongs to a killed process. */
const ABANDONED_AFTER_MS = 3_600_000

async function removeAbandoned(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file))
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${path.basename(file)}${PARTIAL}`)) continue
    const partial = path.join(folder, name)
    const touchedAt = (await stat(partial).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (Date.now() - touchedAt > ABANDONED_AFTER_MS) await rm(partial, { force: true })
  }
}
