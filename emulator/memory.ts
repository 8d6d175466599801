import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { copyFile, mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { Changes } from './changes.ts'
import { lockFolder } from './folder-lock.ts'
import { Journal, isMissing, journalsIn, readJournal, removeJournal } from './journal.ts'
import { withChanges } from './kept.ts'
import { TWIN_LIMITS } from './limits.ts'
import { jsonInteger } from './webhook-body.ts'
import type { Stats } from 'node:fs'
import type { Noted } from './changes.ts'
import type { FolderLock } from './folder-lock.ts'
import type { Change, Kept } from './kept.ts'

const FILE = 'twin.json'
/** Counted up when what is written is no longer what earlier twins could read. */
const FORM = 2
const HEAD_BYTES_MOST = 1_024

/** What a twin holds now, all of it or what was noted. */
export type Holder = { all: () => Kept; some: (noted: Noted) => Change }
/** Something to begin with, and what to do when it makes no sense. */
export type Found = { take: () => Kept; putAside: (why: string) => Promise<void> }

type Options = { folder: string; bytesMost?: number | undefined; warn: (line: string) => void }

/** Says why a twin cannot begin with this folder, and what mends that. */
export class FolderUnusable extends Error {}

/**
 * The file in which a twin finds itself again: one line that says of which form the rest is, proves that it is whole and
 * names the journal that follows it, and what the twin holds as JSON. It is replaced in one step, so that a crash leaves
 * the old one or the new one, and what has changed since is in the journal.
 */
export class Memory {
  /** Told of by whatever the twin is made of. */
  readonly changes = new Changes(() => this.#noteSoon())
  readonly #folder: string
  readonly #file: string
  readonly #bytesMost: number
  readonly #warn: (line: string) => void
  #lock: FolderLock | undefined
  #holder: Holder | undefined
  /** Undefined while none can be written: what changes then waits for the file. */
  #journal: Journal | undefined
  /** The file that is there names it, or names one that goes on in it. */
  #isNamed = false
  /** Those that the next file makes needless. */
  #oldJournals: string[] = []
  #soon: NodeJS.Immediate | undefined
  #timer: NodeJS.Timeout | undefined
  #restMs: number = TWIN_LIMITS.saveAfterMs
  /** The last time that it was written, or is. */
  #written: Promise<void> = Promise.resolve()
  /** Until the journal has a file to follow. */
  #first: Promise<void> | undefined
  #isWriting = false
  #isStale = false
  #isHurried = false
  #hasFailed = false

  constructor({ folder, bytesMost = TWIN_LIMITS.memoryFileBytes, warn }: Options) {
    this.#folder = path.resolve(folder)
    this.#file = path.join(this.#folder, FILE)
    this.#bytesMost = bytesMost
    this.#warn = warn
  }

  /** The folder is there, and this twin's. */
  get hasFolder(): boolean {
    return this.#lock !== undefined
  }

  /** What to try one after the other. What cannot be read is put aside. Throws FolderUnusable. */
  async read(): Promise<Found[]> {
    // Who owns a folder that is missing, and who may pass through it, is for the program to say that makes it.
    const lock = lockFolder(this.#folder, { make: false })
    if (lock === 'taken') throw new FolderUnusable(`${this.#otherTwin}: end it, or choose another folder`)
    this.#lock = lock
    const found = await this.#must(this.#file, 'be read', unlessMissing(stat(this.#file)))
    if (found === undefined) return []
    if (!found.isFile()) return await this.#putAside('it is no file')
    const longest = this.#bytesMost + HEAD_BYTES_MOST
    if (found.size > longest) return await this.#putAside('it is larger than any that a twin writes')
    const text = await this.#must(this.#file, 'be read', readFile(this.#file, 'utf8'))
    const end = text.indexOf('\n')
    const head = readHead(text.slice(0, end))
    if (head === undefined) return await this.#putAside('it is damaged')
    if (head.form > FORM) return await this.#putAside('a newer release has written it')
    if (head.form < FORM) return await this.#putAside('a twin from before the first release has written it')
    const body = text.slice(end + 1)
    if (head.sha256 !== hashOf(body)) return await this.#putAside('it is damaged')
    // The hash says that this is what a twin has written.
    const whole: Found = {
      take: () => JSON.parse(body, withLongIntegers) as Kept,
      putAside: async (why) => void (await this.#putAside(why)),
    }
    return head.journal === undefined ? [whole] : [...(await this.#readJournal(head.journal, whole)), whole]
  }

  /** From here on changes are written. */
  begin(holder: Holder): void {
    if (this.#holder !== undefined) return
    const lock = this.#lock ?? lockFolder(this.#folder, { make: true })
    if (lock === 'taken') return this.#fail(this.#file, this.#otherTwin)
    this.#lock = lock
    this.#holder = holder
    this.#first = this.#save().finally(() => (this.#first = undefined))
  }

  /** Written a moment later, with whatever changes until then. */
  changed(): void {
    this.#isStale = true
    if (this.#holder === undefined || this.#isWriting) return
    if (this.#timer === undefined) this.#saveAfter(this.#restMs)
  }

  /** Before anybody is told of a change: from here on a process that is killed does not forget it. */
  settle(): Promise<void> | undefined {
    this.#note()
    return this.#first
  }

  /** Writes what the twin holds now, and nothing after it. The folder is another twin's then. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    clearImmediate(this.#soon)
    this.#note()
    const holder = this.#holder
    const bytes = holder && this.#bytesOf(holder, undefined)
    this.#holder = undefined
    await this.#written
    const journal = this.#journal
    if (journal !== undefined) this.#endJournal(journal)
    if (bytes !== undefined) await this.#write(bytes, undefined)
    this.#lock?.release()
    this.#lock = undefined
  }

  /** Once for all that is done in this turn. */
  #noteSoon(): void {
    this.changed()
    if (this.#journal !== undefined) this.#soon ??= setImmediate(() => this.#note())
  }

  #note(): void {
    clearImmediate(this.#soon)
    this.#soon = undefined
    const journal = this.#journal
    if (journal === undefined || this.#holder === undefined || this.changes.isEmpty) return
    try {
      journal.append(this.#holder.some(this.changes.take()))
      if (journal.bytes > TWIN_LIMITS.saveAfterBytes) this.#hurry()
    } catch (fault) {
      // A part of the line may be there: until there is another file, nothing is noted.
      this.#endJournal(journal)
      this.#fail(path.join(this.#folder, journal.name), messageOf(fault))
      this.changed()
    }
  }

  async #readJournal(name: string, whole: Found): Promise<Found[]> {
    const first = path.join(this.#folder, name)
    const { changes, fault } = await this.#must(first, 'be read', readJournal(this.#folder, name, withLongIntegers))
    if (fault !== undefined) {
      const { file, why } = fault
      const kept = await this.#copyAside(file)
      this.#warn(
        `What the twin did last could not all be taken up, as of ${file} ${why}.${kept} The twin goes on from what came before; there is nothing to do.`,
      )
    }
    if (changes.length === 0) return []
    return [
      {
        take: () => withChanges(whole.take(), changes as Change[]),
        putAside: async (why) => {
          const kept = await this.#copyAside(first)
          this.#warn(
            `What the twin did last could not be taken up, as ${why}: ${first}.${kept} The twin goes on from ${this.#file}; there is nothing to do.`,
          )
        },
      },
    ]
  }

  /** It stays for people to look at, as the twin removes the journals that it needs no more. */
  async #copyAside(file: string): Promise<string> {
    const found = await unlessMissing(stat(file))
    if (found?.isFile() !== true) return ''
    const aside = asideOf(file)
    await this.#must(file, 'be copied', copyFile(file, aside))
    return ` It is kept as ${aside}.`
  }

  /** The file stays beside the new one, for people to look at. */
  async #putAside(why: string): Promise<[]> {
    const aside = asideOf(this.#file)
    await this.#must(this.#file, `be put aside, though ${why}`, rename(this.#file, aside))
    this.#warn(
      `What the twin held before could not be taken up, as ${why}. It is now ${aside}, and the twin begins empty.`,
    )
    return []
  }

  get #otherTwin(): string {
    return `another twin that runs keeps what it holds in ${this.#folder}`
  }

  async #must<Result>(file: string, what: string, doing: Promise<Result>): Promise<Result> {
    try {
      return await doing
    } catch (fault) {
      const why = `${file} cannot ${what} (${String(fault)})`
      throw new FolderUnusable(`${why}: mend its rights, or choose another folder`, { cause: fault })
    }
  }

  #saveAfter(ms: number): void {
    this.#timer = setTimeout(() => void this.#save(), ms)
  }

  /** Not where the last file could not be written: that would be tried all the time. */
  #hurry(): void {
    if (this.#isHurried || this.#isWriting || !this.#isNamed) return
    this.#isHurried = true
    clearTimeout(this.#timer)
    this.#saveAfter(0)
  }

  /** While it gathers what it writes nothing else happens: so it rests the longer the more there is. */
  async #save(): Promise<void> {
    const holder = this.#holder
    if (holder === undefined) return
    this.#note()
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isHurried = false
    this.#isStale = false
    this.#isWriting = true
    const beganAt = performance.now()
    const journal = this.#nextJournal()
    const bytes = this.#bytesOf(holder, journal?.name)
    this.changes.take() // all of it was gathered, or noted, or cannot be written
    if (journal !== undefined && journal !== this.#journal) {
      if (bytes === undefined) this.#discard(journal)
      else this.#goOnIn(journal)
    }
    const { saveAfterMs, saveRestTimes } = TWIN_LIMITS
    this.#restMs = Math.max(saveAfterMs, saveRestTimes * (performance.now() - beganAt))
    if (bytes !== undefined) await (this.#written = this.#write(bytes, journal))
    this.#isWriting = false
    if (this.#isStale) this.changed()
  }

  /** One that follows an earlier file may follow the next as well: what of it is in there already does no harm. */
  #nextJournal(): Journal | undefined {
    if (this.#journal !== undefined && !this.#isNamed) return this.#journal
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      if (this.#oldJournals.length === 0 && this.#journal === undefined) this.#oldJournals = journalsIn(this.#folder)
      return new Journal(this.#folder)
    } catch (fault) {
      this.#fail(path.join(this.#folder, 'twin.*.journal'), messageOf(fault))
      return this.#journal
    }
  }

  /** A start from the file that is there still goes on from the earlier one to this one. */
  #goOnIn(journal: Journal): void {
    const earlier = this.#journal
    if (earlier !== undefined) {
      try {
        earlier.goesOnIn(journal)
      } catch {
        // Then a start goes no further than here, until the file is written.
      }
      this.#endJournal(earlier)
    }
    this.#journal = journal
    this.#isNamed = false
  }

  #endJournal(journal: Journal): void {
    journal.close()
    this.#oldJournals.push(journal.name)
    this.#journal = undefined
  }

  #discard(journal: Journal): void {
    journal.close()
    removeJournal(this.#folder, journal.name)
  }

  /** Undefined when it is too much. */
  #bytesOf(holder: Holder, journal: string | undefined): Written | undefined {
    try {
      const body = Buffer.from(JSON.stringify(holder.all()))
      const head: Head = { form: FORM, sha256: hashOf(body), journal }
      if (body.length <= this.#bytesMost) return [Buffer.from(`${JSON.stringify(head)}\n`), body]
      this.#fail(this.#file, `it would be more than ${this.#bytesMost} bytes; POST /control/reset makes room`)
    } catch (fault) {
      this.#fail(this.#file, String(fault)) // such as a text that is longer than any can be
    }
    return undefined
  }

  async #write(bytes: Written, journal: Journal | undefined): Promise<void> {
    const needless = this.#oldJournals.splice(0)
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await replaceFile(this.#file, bytes)
      this.#isNamed = journal !== undefined && journal === this.#journal
      for (const name of needless.splice(0)) removeJournal(this.#folder, name)
      this.#hasFailed = false
    } catch (fault) {
      this.#isStale = true
      this.#oldJournals.push(...needless)
      this.#fail(this.#file, `${messageOf(fault)}; it is tried again`)
    }
  }

  /** Said once, and not for each time that is tried. */
  #fail(file: string, why: string): void {
    if (!this.#hasFailed) this.#warn(`What the twin holds cannot be written to ${file}: ${why}.`)
    this.#hasFailed = true
  }
}

type Head = { form: number; sha256: string; journal?: string | undefined }
/** Its head and its body. */
type Written = readonly [Buffer, Buffer]

function readHead(line: string): Head | undefined {
  try {
    const { form, sha256, journal } = JSON.parse(line) as Partial<Head>
    if (typeof form !== 'number' || typeof sha256 !== 'string') return undefined
    return { form, sha256, journal: typeof journal === 'string' ? journal : undefined }
  } catch {
    return undefined
  }
}

const asideOf = (file: string): string => `${file}.${new Date().toISOString().replaceAll(':', '-')}.aside`

const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault))

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
    if (isMissing(fault)) return undefined
    throw fault
  }
}
