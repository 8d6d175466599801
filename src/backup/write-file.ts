import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { writeNewFile } from '../start/new-file.ts'
import type { FrameCipher } from './encryption.ts'
import { END_MARK, FRAME_HEAD_BYTES, FRAME_KINDS, type FrameKind, type Header, encodeHeader } from './format.ts'

const compress = promisify(zstdCompress)

export type BackupWriter = {
  /** First of all. */
  header(header: Header, cipher?: FrameCipher): Promise<void>
  /** One at a time: each is written when this resolves. */
  frame(kind: FrameKind, content: Buffer): Promise<void>
}

/** Writes the whole file or none. Resolves with its size. */
export const writeBackupFile = (
  file: string,
  { replace }: { replace: boolean },
  write: (writer: BackupWriter) => Promise<void>,
): Promise<number> => writeNewFile(file, { replace, replaceWith: '--force' }, (output) => writeAll(output, write))

async function writeAll(output: FileHandle, write: (writer: BackupWriter) => Promise<void>): Promise<number> {
  const hash = createHash('sha256')
  let cipher: FrameCipher | undefined
  let frames = 0
  let size = 0
  const append = async (bytes: Buffer): Promise<void> => {
    hash.update(bytes)
    size += bytes.length
    await output.writeFile(bytes) // appends: a handle keeps its position
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
