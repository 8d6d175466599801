import { createHash, randomInt } from 'node:crypto'
import { META_LIMITS, EMULATOR_LIMITS } from '../limits.ts'
import type { NumberOfAccount } from './accounts.ts'

export type MediaFile = {
  readonly id: string
  readonly row: NumberOfAccount
  readonly mimeType: string
  readonly sha256: string
  readonly bytes: Buffer
  /** Milliseconds since 1970. */
  readonly uploadedAt: number
}

/** Uploaded files, in memory only. The oldest make room for new ones. */
export class Media {
  readonly #byId = new Map<string, MediaFile>()
  #bytes = 0

  add(row: NumberOfAccount, mimeType: string, bytes: Buffer, now: number): MediaFile {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const file = { id: this.#makeId(), row, mimeType, sha256, bytes, uploadedAt: now }
    this.#byId.set(file.id, file)
    this.#bytes += bytes.length
    for (const { id } of this.#byId.values()) {
      if (this.#byId.size <= EMULATOR_LIMITS.mediaKept && this.#bytes <= EMULATOR_LIMITS.mediaBytesKept) break
      this.remove(id)
    }
    return file
  }

  find(id: string, now: number): MediaFile | undefined {
    const file = this.#byId.get(id)
    return file === undefined || now - file.uploadedAt > META_LIMITS.mediaKeptMs ? undefined : file
  }

  remove(id: string): void {
    this.#bytes -= this.#byId.get(id)?.bytes.length ?? 0
    this.#byId.delete(id)
  }

  clear(): void {
    this.#byId.clear()
    this.#bytes = 0
  }

  #makeId(): string {
    const id = `70${randomInt(10 ** 12)}`.padEnd(15, '0')
    return this.#byId.has(id) ? this.#makeId() : id
  }
}
