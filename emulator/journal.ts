import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { TWIN_LIMITS } from './limits.ts'

/** Counted up when earlier twins could not read its lines. */
const FORM = 1
const NAME = /^twin\.[0-9a-f]{16}\.journal$/
/** One that was begun for a file which was not written goes on with another: there is never a third. */
const IN_A_ROW_MOST = 3

/**
 * What has changed since twin.json was gathered, a line of JSON for each moment, so that a process that is killed has
 * forgotten nothing that it answered. Each belongs to the one file that names it. A line is written at once and is not
 * synced: the kernel has it, which outlives the process.
 */
export class Journal {
  readonly name: string
  readonly #handle: number
  #bytes = 0

  constructor(folder: string) {
    this.name = `twin.${randomBytes(8).toString('hex')}.journal`
    this.#handle = openSync(path.join(folder, this.name), 'ax', 0o600) // for its owner alone, as twin.json
    this.#append({ form: FORM })
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Throws when it could not be written; a part of the line may be there then, and nothing may follow it. */
  append(change: object): void {
    this.#append({ change })
  }

  /** What comes after this is in another one. */
  goesOnIn(next: Journal): void {
    this.#append({ next: next.name })
  }

  close(): void {
    closeSync(this.#handle)
  }

  #append(line: Line): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    this.#bytes += bytes.length
    if (this.#bytes > TWIN_LIMITS.journalBytes)
      throw new Error(`it would be more than ${TWIN_LIMITS.journalBytes} bytes`)
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#handle, bytes, at)
  }
}

type Line = { form: number } | { change: object } | { next: string }
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown
/** `fault`: why what follows could not be read, and where it stands. */
type Read = { changes: unknown[]; fault: { file: string; why: string } | undefined }

/** All that was written to it and to those in which it goes on, up to the first line that cannot be read. */
export async function readJournal(folder: string, first: string, revive: Reviver): Promise<Read> {
  const changes: unknown[] = []
  let name: string | undefined = first
  for (let place = 0; name !== undefined && place < IN_A_ROW_MOST; place++) {
    const file = path.join(folder, name)
    name = undefined
    const why = NAME.test(path.basename(file)) ? whyNotRead(file) : 'its name is no journal’s'
    if (why !== undefined) return { changes, fault: { file, why } }
    // What comes behind the last end of a line was being written when the process ended.
    const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
    for (const [at, text] of lines.entries()) {
      const line = readLine(text, revive)
      if (line === undefined) return { changes, fault: { file, why: `its line ${at + 1} is damaged` } }
      if ('form' in line && line.form > FORM) return { changes, fault: { file, why: 'a newer release has written it' } }
      if ('change' in line) changes.push(line.change)
      if ('next' in line) name = line.next
    }
  }
  return { changes, fault: undefined }
}

export function journalsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => NAME.test(name))
}

/** One that is gone already is as good. */
export function removeJournal(folder: string, name: string): void {
  try {
    unlinkSync(path.join(folder, name))
  } catch (fault) {
    if (!isMissing(fault)) throw fault
  }
}

/** There is no such file. */
export const isMissing = (fault: unknown): boolean =>
  fault instanceof Error && 'code' in fault && fault.code === 'ENOENT'

function whyNotRead(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return 'it is missing'
  if (!found.isFile()) return 'it is no file'
  return found.size > TWIN_LIMITS.journalBytes ? 'it is larger than any that a twin writes' : undefined
}

function readLine(text: string, revive: Reviver): Line | undefined {
  try {
    const line: unknown = JSON.parse(text, revive)
    const isLine = typeof line === 'object' && line !== null && ('form' in line || 'change' in line || 'next' in line)
    return isLine ? (line as Line) : undefined
  } catch {
    return undefined
  }
}
