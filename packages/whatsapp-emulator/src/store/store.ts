import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { EMULATOR_LIMITS } from '../limits.ts'
import { jsonInteger } from '../reading.ts'
import type { Storage } from './saved-map.ts'

const FILE = 'emulator.db'
/** Increased when earlier emulators cannot read the file. */
const FORM = 3
const PAGE_BYTES = 4_096
const RETRY_AFTER_MS = 1_000
/** Unwritten changes while the disk fails; beyond it the emulator stops saving. */
const MAX_UNWRITTEN = 500_000
/** After this many new posts, unused ones are removed. */
const PRUNE_AFTER_POSTS = 10_000

const SQLITE_BUSY = 5
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/**
 * One connection locks the file while it is open; the kernel releases the lock however the process ends. kill -9 loses no
 * commit. `normal` syncs only at checkpoints: a power cut may lose the last commits, but never damages the file.
 */
const OPENING = `
  pragma locking_mode = exclusive;
  pragma page_size = ${PAGE_BYTES};
  pragma journal_mode = wal;
  pragma synchronous = normal;
`

const SCHEMA = `
  begin;
  create table head (only integer primary key check (only = 1), value text not null) strict;
  create table things (
    position integer primary key,
    section text not null,
    key text not null,
    value text not null,
    unique (section, key)
  ) strict;
  pragma user_version = ${FORM};
  commit;
`

// A key keeps its position, like in a Map.
const PUT =
  'insert into things (section, key, value) values (?, ?, ?) on conflict (section, key) do update set value = excluded.value'
const REMOVE = 'delete from things where section = ? and key = ?'
const PUT_HEAD = 'insert into head (only, value) values (1, ?) on conflict do update set value = excluded.value'
const PRUNE = `delete from things where section = 'posts' and key not in (select value from json_each(?))`

type Row = readonly [key: string, row: unknown]
type SavedState = { head: unknown; rows: ReadonlyMap<string, readonly Row[]> }

/** The state outside the rows, and the ids of the posts that are still in use. */
export type StateSource = { head: () => object; usedPosts: () => readonly string[] }

type Options = { folder: string; maxBytes?: number | undefined; warn: (line: string) => void }
type Change = { section: string; key: string; row?: () => unknown }

/** The folder cannot be used; the message says why and how to fix it. */
export class FolderError extends Error {}

/** The emulator's state in a SQLite file. Each answer is one transaction. */
export class Store implements Storage {
  readonly #folder: string
  readonly #file: string
  readonly #options: Options
  readonly #unwritten = new Map<string, Change>()
  #database: DatabaseSync | undefined
  /** Nothing is written before `begin` sets it. */
  #source: StateSource | undefined
  /** The saved state, until `begin`. */
  #saved: SavedState | undefined
  #soon: NodeJS.Immediate | undefined
  #retry: NodeJS.Timeout | undefined
  #postsUnpruned = PRUNE_AFTER_POSTS
  #isChanged = false
  #hasFailed = false
  #isOver = false

  constructor(options: Options) {
    this.#options = options
    this.#folder = path.resolve(options.folder)
    this.#file = path.join(this.#folder, FILE)
  }

  get isOpen(): boolean {
    return this.#database !== undefined
  }

  get head(): unknown {
    return this.#saved?.head
  }

  rows(section: string): readonly Row[] {
    return this.#saved?.rows.get(section) ?? []
  }

  /** Reads what the folder holds; a file that cannot be read is put aside. Throws FolderError. Does not create the folder. */
  read(): void {
    const folder = this.#require('be read', () => statSync(this.#folder, { throwIfNoEntry: false }))
    if (folder === undefined) return
    if (!folder.isDirectory()) throw this.#unusable('be read', `${this.#folder} is not a folder`)
    const file = this.#require('be read', () => statSync(this.#file, { throwIfNoEntry: false }))
    if (file?.isFile() === false) this.putAside('it is not a file')
    else if (file?.size === 0) this.putAside('it is empty')
    else if (file !== undefined) this.#readFile()
    else this.#tryToOpen()
  }

  /** Keeps the old file for inspection. Drops unwritten changes. */
  putAside(why: string): void {
    this.#saved = undefined
    this.#unwritten.clear()
    this.#close()
    const aside = `${this.#file}.${new Date().toISOString().replaceAll(':', '-')}.aside`
    this.#require(`be put aside, though ${why}`, () => {
      // SQLite finds a log by the name of its file.
      if (existsSync(`${this.#file}-wal`)) renameSync(`${this.#file}-wal`, `${aside}-wal`)
      renameSync(this.#file, aside)
    })
    this.#options.warn(
      `The saved state could not be used because ${why}. It is now ${aside}, and the emulator starts empty.`,
    )
    this.#tryToOpen()
  }

  /** Starts to write changes. Creates the folder if it is missing. */
  begin(source: StateSource): void {
    if (this.#source !== undefined) return
    this.#source = source
    this.#saved = undefined
    if (!this.isOpen) this.#tryToOpen({ makeFolder: true })
    this.#isChanged = true
    this.flush()
  }

  put(section: string, key: string, row: () => unknown): void {
    this.#note({ section, key, row })
    if (section === 'posts') this.#postsUnpruned++
  }

  remove(section: string, key: string): void {
    this.#note({ section, key })
  }

  touch(): void {
    this.#isChanged = true
    // Schedules one save per turn of the event loop.
    if (this.#source !== undefined && !this.#isOver) this.#soon ??= setImmediate(() => this.flush())
  }

  /** Writes all changes in one transaction. Call it before changes become visible. */
  flush(): void {
    clearImmediate(this.#soon)
    this.#soon = undefined
    const [database, source] = [this.#database, this.#source]
    if (!this.#isChanged || database === undefined || source === undefined) return
    clearTimeout(this.#retry)
    try {
      database.exec('begin')
      this.#write(database, source)
      database.exec('commit')
      this.#unwritten.clear()
      this.#isChanged = false
      this.#hasFailed = false
    } catch (fault) {
      if (database.isTransaction) database.exec('rollback')
      this.#fail(`${messageOf(fault)}; the emulator tries again. POST /control/reset makes room`)
      this.#retry = setTimeout(() => this.flush(), RETRY_AFTER_MS).unref()
    }
  }

  /** Writes the last changes and releases the folder. */
  close(): void {
    this.flush()
    this.#isOver = true
    this.#close()
  }

  #note(change: Change): void {
    if (this.#isOver) return
    this.#unwritten.set(`${change.section}/${change.key}`, change)
    this.touch()
    if (this.#unwritten.size <= MAX_UNWRITTEN) return
    this.#options.warn(
      `More than ${MAX_UNWRITTEN} changes could not be written: ${this.#file} stays as it was before them.`,
    )
    this.#isOver = true
    this.#unwritten.clear()
    this.#close()
  }

  #write(database: DatabaseSync, { head, usedPosts }: StateSource): void {
    const [put, remove] = [database.prepare(PUT), database.prepare(REMOVE)]
    const rows = [...this.#unwritten.values()].map(({ section, key, row }) => ({ section, key, value: row?.() }))
    // Removals first: they make room in a full file.
    for (const { section, key, value } of rows) if (value === undefined) remove.run(section, key)
    for (const { section, key, value } of rows) if (value !== undefined) put.run(section, key, JSON.stringify(value))
    database.prepare(PUT_HEAD).run(JSON.stringify(head()))
    if (this.#postsUnpruned < PRUNE_AFTER_POSTS) return
    database.prepare(PRUNE).run(JSON.stringify(usedPosts()))
    this.#postsUnpruned = 0
  }

  #readFile(): void {
    try {
      const database = this.#open()
      const { user_version: form } = database.prepare('pragma user_version').get() as { user_version: number }
      if (form !== FORM) return this.putAside(`${form > FORM ? 'a newer' : 'an older'} release has written it`)
      const { quick_check: check } = database.prepare('pragma quick_check(1)').get() as { quick_check: string }
      if (check === 'ok') this.#saved = readAll(database)
      else this.putAside('it is damaged')
    } catch (fault) {
      if (isSqlite(fault, SQLITE_NOTADB, SQLITE_CORRUPT)) return this.putAside('it is damaged')
      if (fault instanceof SyntaxError) return this.putAside(`it was not understood (${String(fault)})`)
      throw this.#unusable('be opened', fault)
    }
  }

  /** If nothing can be written, the emulator warns and runs without a store. */
  #tryToOpen({ makeFolder = false } = {}): void {
    try {
      if (makeFolder) mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      this.#open()
    } catch (fault) {
      if (fault instanceof FolderError && !makeFolder) throw fault
      this.#fail(messageOf(fault))
    }
  }

  #open(): DatabaseSync {
    closeSync(openSync(this.#file, 'a', 0o600)) // for its owner only; SQLite gives its log the same rights
    const database = new DatabaseSync(this.#file, { timeout: 0 })
    this.#database = database
    try {
      database.exec(OPENING)
      const { maxBytes = EMULATOR_LIMITS.storeBytes } = this.#options
      database.exec(`pragma max_page_count = ${Math.ceil(maxBytes / PAGE_BYTES)}`)
      if (database.prepare('select 1 from sqlite_schema limit 1').get() === undefined) database.exec(SCHEMA)
      return database
    } catch (fault) {
      this.#close()
      if (!isSqlite(fault, SQLITE_BUSY)) throw fault
      throw new FolderError(`Another WhatsApp emulator uses ${this.#folder}. Stop it, or choose another folder`)
    }
  }

  #close(): void {
    clearTimeout(this.#retry)
    clearImmediate(this.#soon)
    this.#database?.close()
    this.#database = undefined
  }

  #require<Result>(what: string, act: () => Result): Result {
    try {
      return act()
    } catch (fault) {
      throw this.#unusable(what, fault)
    }
  }

  #unusable(what: string, fault: unknown): FolderError {
    if (fault instanceof FolderError) return fault
    const why = `${this.#file} cannot ${what} (${String(fault)})`
    return new FolderError(`${why}: fix its permissions, or choose another folder`, { cause: fault })
  }

  /** Warns once per series of failures. */
  #fail(why: string): void {
    if (!this.#hasFailed) this.#options.warn(`The state of the emulator cannot be written to ${this.#file}: ${why}.`)
    this.#hasFailed = true
  }
}

function readAll(database: DatabaseSync): SavedState | undefined {
  const head = database.prepare('select value from head').get() as { value: string } | undefined
  if (head === undefined) return undefined
  const rows = new Map<string, Row[]>()
  const stored = database.prepare('select section, key, value from things order by position').iterate()
  for (const { section, key, value } of stored as Iterable<{ section: string; key: string; value: string }>) {
    const row = [key, JSON.parse(value, withLongIntegers)] as const
    if (rows.get(section)?.push(row) === undefined) rows.set(section, [row])
  }
  return { head: JSON.parse(head.value, withLongIntegers), rows }
}

/** Template ids exceed 2^53, so their digits are kept. */
function withLongIntegers(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
  return isLong ? jsonInteger(source) : value
}

/** The low byte of an extended code is the plain one. */
const isSqlite = (fault: unknown, ...codes: number[]): boolean =>
  fault instanceof Error && 'errcode' in fault && codes.includes(Number(fault.errcode) & 0xff)

const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault))
