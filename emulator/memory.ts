import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { lockFolder } from './folder-lock.ts'
import { TWIN_LIMITS } from './limits.ts'
import { jsonInteger } from './webhook-body.ts'
import type { Stats } from 'node:fs'
import type { FolderLock } from './folder-lock.ts'
import type { Kept } from './kept.ts'

const FILE = 'twin.json'
/** Counted up when what is written is no longer what earlier twins could read. */
const FORM = 1
const HEAD_BYTES_MOST = 1_024

type Options = { folder: string; bytesMost?: number | undefined; warn: (line: string) => void }

/** Says why a twin cannot begin with this folder, and what mends that. */
export class FolderUnusable extends Error {}

/**
 * The file in which a twin finds itself again: one line that says of which form the rest is and proves that it is whole,
 * and what the twin holds as JSON. It is replaced in one step, so that a crash leaves the old one or the new one.
 */
export class Memory {
  readonly #folder: string
  readonly #file: string
  readonly #bytesMost: number
  readonly #warn: (line: string) => void
  #lock: FolderLock | undefined
  #take: (() => Kept) | undefined
  #timer: NodeJS.Timeout | undefined
  #restMs: number = TWIN_LIMITS.saveAfterMs
  /** The last time that it was written, or is. */
  #written: Promise<void> = Promise.resolve()
  #isWriting = false
  #isStale = false
  #hasFailed = false

  constructor({ folder, bytesMost = TWIN_LIMITS.memoryFileBytes, warn }: Options) {
    this.#folder = path.resolve(folder)
    this.#file = path.join(this.#folder, FILE)
    this.#bytesMost = bytesMost
    this.#warn = warn
  }

  /** Undefined when there is none. One that cannot be read is put aside, and the twin begins empty. Throws FolderUnusable. */
  async read(): Promise<Kept | undefined> {
    // Who owns a folder that is missing, and who may pass through it, is for the program to say that makes it.
    const lock = lockFolder(this.#folder, { make: false })
    if (lock === 'taken') throw new FolderUnusable(`${this.#otherTwin}: end it, or choose another folder`)
    this.#lock = lock
    const found = await this.#must('be read', unlessMissing(stat(this.#file)))
    if (found === undefined) return undefined
    if (!found.isFile()) return await this.putAside('it is no file')
    const longest = this.#bytesMost + HEAD_BYTES_MOST
    if (found.size > longest) return await this.putAside('it is larger than any that a twin writes')
    const text = await this.#must('be read', readFile(this.#file, 'utf8'))
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
    await this.#must(`be put aside, though ${why}`, rename(this.#file, aside))
    this.#warn(
      `What the twin held before could not be taken up, as ${why}. It is now ${aside}, and the twin begins empty.`,
    )
  }

  /** From here on changes are written. */
  begin(take: () => Kept): void {
    const lock = this.#lock ?? lockFolder(this.#folder, { make: true })
    if (lock === 'taken') return this.#fail(this.#otherTwin)
    this.#lock = lock
    this.#take = take
    this.changed()
  }

  /** Written a moment later, with whatever changes until then. */
  changed(): void {
    this.#isStale = true
    if (this.#take === undefined || this.#isWriting) return
    this.#timer ??= setTimeout(() => void this.#save(), this.#restMs)
  }

  /** Writes what the twin holds now, and nothing after it. The folder is another twin's then. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    const bytes = this.#take && this.#bytesOf(this.#take)
    this.#take = undefined
    await this.#written
    if (bytes !== undefined) await this.#write(bytes)
    this.#lock?.release()
    this.#lock = undefined
  }

  get #otherTwin(): string {
    return `another twin that runs keeps what it holds in ${this.#folder}`
  }

  async #must<Result>(what: string, doing: Promise<Result>): Promise<Result> {
    try {
      return await doing
    } catch (fault) {
      const why = `${this.#file} cannot ${what} (${String(fault)})`
      throw new FolderUnusable(`${why}: mend its rights, or choose another folder`, { cause: fault })
    }
  }

  /** While it gathers what it writes nothing else happens: so it rests the longer the more there is. */
  async #save(): Promise<void> {
    this.#timer = undefined
    if (this.#take === undefined) return
    this.#isStale = false
    this.#isWriting = true
    const beganAt = performance.now()
    const bytes = this.#bytesOf(this.#take)
    const { saveAfterMs, saveRestTimes } = TWIN_LIMITS
    this.#restMs = Math.max(saveAfterMs, saveRestTimes * (performance.now() - beganAt))
    if (bytes !== undefined) await (this.#written = this.#write(bytes))
    this.#isWriting = false
    if (this.#isStale) this.changed()
  }

  /** Undefined when it is too much. */
  #bytesOf(take: () => Kept): Written | undefined {
    try {
      const body = Buffer.from(JSON.stringify(take()))
      const head: Head = { form: FORM, sha256: hashOf(body) }
      if (body.length <= this.#bytesMost) return [Buffer.from(`${JSON.stringify(head)}\n`), body]
      this.#fail(`it would be more than ${this.#bytesMost} bytes; POST /control/reset makes room`)
    } catch (fault) {
      this.#fail(String(fault)) // such as a text that is longer than any can be
    }
    return undefined
  }

  async #write(bytes: Written): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await replaceFile(this.#file, bytes)
      this.#hasFailed = false
    } catch (fault) {
      this.#isStale = true
      this.#fail(`${fault instanceof Error ? fault.message : String(fault)}; it is tried again`)
    }
  }

  /** Said once, and not for each time that is tried. */
  #fail(why: string): void {
    if (!this.#hasFailed) this.#warn(`What the twin holds cannot be written to ${this.#file}: ${why}.`)
    this.#hasFailed = true
  }
}

type Head = { form: number; sha256: string }
/** Its head and its body. */
type Written = readonly [Buffer, Buffer]

function readHead(line: string): Head | undefined {
  try {
    const { form, sha256 } = JSON.parse(line) as Partial<Head>
    return typeof form === 'number' && typeof sha256 === 'string' ? { form, sha256 } : undefined
  } catch {
    return undefined
  }
}

const hashOf = (body: Buffer | string): string => createHash('sha256').update(body).digest('hex')

/** Ids of templates are longer than a number can be; as they came, they go out again. */
function withLongIntegers(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? jsonInteger(source)
    : value
}

/** All of it or nothing is there after a crash, for its owner alone: it holds what the phones show, codes too. */
async function replaceFile(file: string, bytes: Written): Promise<void> {
  const handle = await open(`${file}.new`, 'w', 0o600)
  try {
    await handle.writeFile(bytes)
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
async function unlessMissing(found: Promise<Stats>): Promise<Stats | undefined> {
  try {
    return await found
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return undefined
    throw fault
  }
}
