import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { TWIN_LIMITS } from './limits.ts'
import { jsonInteger } from './webhook-body.ts'
import type { Kept } from './kept.ts'

const FILE = 'twin.json'
/** Counted up when what is written is no longer what earlier twins could read. */
const FORM = 1
const HEAD_BYTES_MOST = 1_024

type Options = { folder: string; bytesMost?: number | undefined; warn: (line: string) => void }

/**
 * The file in which a twin finds itself again: one line that says of which form the rest is and proves that it is whole,
 * and what the twin holds as JSON. It is replaced in one step, so that a crash leaves the old one or the new one.
 */
export class Memory {
  readonly #file: string
  readonly #bytesMost: number
  readonly #warn: (line: string) => void
  #take: (() => Kept) | undefined
  #timer: NodeJS.Timeout | undefined
  /** The last time that it was written, or is. */
  #written: Promise<void> = Promise.resolve()
  #isWriting = false
  #isStale = false
  #hasFailed = false

  constructor({ folder, bytesMost = TWIN_LIMITS.memoryFileBytes, warn }: Options) {
    this.#file = path.resolve(folder, FILE)
    this.#bytesMost = bytesMost
    this.#warn = warn
  }

  /** Undefined when there is none. One that cannot be read is put aside, and the twin begins empty. */
  async read(): Promise<Kept | undefined> {
    const size = await sizeOf(this.#file)
    if (size === undefined) return undefined
    if (size > this.#bytesMost + HEAD_BYTES_MOST) return await this.putAside('it is larger than any that a twin writes')
    const text = await readFile(this.#file, 'utf8')
    const end = text.indexOf('\n')
    const head = readHead(text.slice(0, end))
    if (head === undefined) return await this.putAside('it is damaged')
    if (head.form > FORM) return await this.putAside('a newer release has written it')
    const body = text.slice(end + 1)
    if (head.sha256 !== hashOf(body)) return await this.putAside('it is damaged')
    // The hash says that this is what a twin has written.
    return JSON.parse(body, withLongIntegers) as Kept
  }

  /** The file stays beside the new one, for people to look at. */
  async putAside(why: string): Promise<undefined> {
    const aside = `${this.#file}.${new Date().toISOString().replaceAll(':', '-')}.aside`
    await rename(this.#file, aside)
    this.#warn(
      `What the twin held before could not be taken up, as ${why}. It is now ${aside}, and the twin begins empty.`,
    )
  }

  /** From here on changes are written. */
  begin(take: () => Kept): void {
    this.#take = take
    this.changed()
  }

  /** Written a moment later, with whatever changes until then. */
  changed(): void {
    this.#isStale = true
    if (this.#take === undefined || this.#isWriting) return
    this.#timer ??= setTimeout(() => void this.#save(), TWIN_LIMITS.saveAfterMs)
  }

  /** Writes what the twin holds now, and nothing after it. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    const text = this.#take && this.#textOf(this.#take)
    this.#take = undefined
    await this.#written
    if (text !== undefined) await this.#write(text)
  }

  async #save(): Promise<void> {
    this.#timer = undefined
    if (this.#take === undefined) return
    this.#isStale = false
    this.#isWriting = true
    const text = this.#textOf(this.#take)
    if (text !== undefined) await (this.#written = this.#write(text))
    this.#isWriting = false
    if (this.#isStale) this.changed()
  }

  /** Undefined when it is too much. */
  #textOf(take: () => Kept): string | undefined {
    try {
      const body = JSON.stringify(take())
      const head: Head = { form: FORM, sha256: hashOf(body) }
      if (Buffer.byteLength(body) <= this.#bytesMost) return `${JSON.stringify(head)}\n${body}`
      this.#fail(`it would be more than ${this.#bytesMost} bytes; POST /control/reset makes room`)
    } catch (fault) {
      this.#fail(String(fault)) // such as a text that is longer than any can be
    }
    return undefined
  }

  async #write(text: string): Promise<void> {
    try {
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 })
      await replaceFile(this.#file, text)
      this.#hasFailed = false
    } catch (fault) {
      this.#isStale = true
      this.#fail(fault instanceof Error ? fault.message : String(fault))
    }
  }

  /** Said once, and not for each time that is tried. */
  #fail(why: string): void {
    if (!this.#hasFailed) this.#warn(`What the twin holds cannot be written to ${this.#file}: ${why}.`)
    this.#hasFailed = true
  }
}

type Head = { form: number; sha256: string }

function readHead(line: string): Head | undefined {
  try {
    const { form, sha256 } = JSON.parse(line) as Partial<Head>
    return typeof form === 'number' && typeof sha256 === 'string' ? { form, sha256 } : undefined
  } catch {
    return undefined
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Ids of templates are longer than a number can be; as they came, they go out again. */
function withLongIntegers(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? jsonInteger(source)
    : value
}

/** All of it or nothing is there after a crash, for its owner alone: it holds what the phones show, codes too. */
async function replaceFile(file: string, text: string): Promise<void> {
  const handle = await open(`${file}.new`, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.new`, file)
  const folder = await open(path.dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Undefined when there is no such file. */
async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read (${String(fault)}): choose another folder, or mend its rights`, {
      cause: fault,
    })
  }
}
