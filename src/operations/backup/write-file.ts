import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { writeNewFile } from '../../runtime/start/new-file.ts'
import type { FrameCipher } from './encryption.ts'
import {
  END_MARK,
  FRAME_HEAD_BYTES,
  FRAME_KINDS,
  type FrameKind,
  MAGIC,
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

/** Resolves with the size in bytes. A file is written completely or not at all. */
export async function writeBackup(target: BackupTarget, write: Write): Promise<number> {
  if ('send' in target) return writeAll((bytes) => target.send(bytes).catch(throwWriteError), write)
  const { file, replace } = target
  if (replace) await assertReplaceable(file)
  return writeNewFile(
    file,
    { replace, replaceWith: '--force' },
    (output) => writeAll((bytes) => output.writeFile(bytes), write), // appends: a handle keeps its position
  )
}

/** `--force` must not replace another file, such as the passphrase. */
async function assertReplaceable(file: string): Promise<void> {
  const input = await open(file).catch(() => undefined)
  if (!input) return // missing, or writeNewFile says why it cannot be used
  try {
    const { buffer, bytesRead } = await input.read(Buffer.alloc(MAGIC.length))
    if (bytesRead > 0 && !buffer.equals(Buffer.from(MAGIC)))
      throw backupError(
        `${file} is not a backup, so it is not replaced. Choose another name, or delete the file first.`,
      )
  } finally {
    await input.close()
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

function throwWriteError(error: NodeJS.ErrnoException): never {
  throw backupError(
    `Standard output cannot be written (${error.code}), so the backup is incomplete. Check the program or the disk that receives it.`,
  )
}
