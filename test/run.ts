/**
 * `npm test`: one PostgreSQL for the whole run, a migrated template database in it, one browser, then every test file in
 * a process of its own, but for those that start nothing. `npm test -- --postgres 15 test/journeys/quota.test.ts` chooses
 * the server's version and the files.
 */
import { access, chmod, constants, glob, mkdir, mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import type { BrowserServer } from 'playwright-core'
import { builtDashboard } from '../src/dashboard/build.ts'
import { openDb } from '../src/db.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres.ts'
import { migrate } from '../src/migrate.ts'
import { reportCoverage } from './coverage.ts'
import { TEMPLATE_DATABASE, createDatabase, urlOf } from './postgres.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const TEST_FILES = ['src/**/*.test.ts', 'test/**/*.test.ts', 'emulator/**/*.test.ts', 'dashboard/**/*.test.ts']

/** Imports the files that start nothing. */
const TOGETHER = 'test/together.ts'

/** What takes longest begins first, so that no long file is left to run alone at the end. */
const LONGEST = [
  'test/journeys/crash.test.ts',
  'test/journeys/dashboard-pages.test.ts',
  'src/demo.test.ts',
  'test/journeys/cod-crash.test.ts',
  'test/journeys/dashboard-sign-in.test.ts',
  'test/journeys/cod-model.test.ts',
  'src/embedded-postgres.test.ts',
  TOGETHER,
  'test/journeys/dashboard-',
  'test/journeys/',
  'test/guards/',
]

/** Words of a file that starts something, reads its surroundings, or ends something when it is over. */
const STARTS_SOMETHING = /\/test\/|\/browser\.ts'|node:(child_process|net|http|os)|start[A-Z]\w*\(|process\.|\bafter\(/

/** Files at a time. Each waits for the database, its own servers and the browser often enough that 2 cores carry twice as many. */
const FILES_AT_ONCE = 4
/** A test that takes this long hangs. */
const TEST_TIMEOUT_MS = 60_000
/** What a test that was cut off had started still writes for a moment; each try waits 100 ms longer than the last. */
const REMOVALS_MOST = 8

const MEMORY = '/dev/shm'
/** Databases, browsers' profiles and the like, at their most; a container may have but 64 MB there. */
const ROOM_BYTES = 4 * 2 ** 30

process.exitCode = await main()

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { postgres: { type: 'string', default: '18' } },
    allowPositionals: true,
  })
  const version = readVersion(values.postgres)
  const files = positionals.length > 0 ? positionals : await Array.fromAsync(glob(TEST_FILES, { cwd: ROOT }))
  const folder = await mkdtemp(path.join(await quickestFolder(), 'doorcode-test-'))
  await chmod(folder, 0o711) // root's PostgreSQL runs as another user, who must pass through
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: folder, version, durable: false })
    try {
      await prepareTemplate(postgres.url)
      await builtDashboard() // once, rather than by each file that opens a page first
      const texts = await textsOf(files)
      await using browser = await browserFor(texts)
      const together = texts.size > 1 ? startNothing(texts) : []
      const alone = files.filter((file) => !together.includes(file))
      const passed = await runFiles(inOrder(together.length > 0 ? [...alone, TOGETHER] : alone), {
        TEST_TOGETHER: JSON.stringify(together),
        TEST_DATABASE_URL: postgres.url,
        TEST_FOLDER: folder,
        TMPDIR: await temporaryFolder(folder),
        TEST_BROWSER: browser?.wsEndpoint() ?? '',
        NODE_COMPILE_CACHE: await compiledFolder(folder),
      })
      const uncovered = positionals.length === 0 ? await reportCoverage(folder) : 0
      return passed ? uncovered : 1
    } finally {
      await postgres.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: REMOVALS_MOST })
  }
}

/**
 * In memory, where there is room. A copy of the template is 500 files, and on a disk their making takes a third of a
 * second of a processor's time.
 */
async function quickestFolder(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => undefined)
  return memory && memory.bavail * memory.bsize > ROOM_BYTES ? MEMORY : tmpdir()
}

/** For all that tests put down; open to all users, as such folders are. */
async function temporaryFolder(folder: string): Promise<string> {
  const temporary = path.join(folder, 'tmp')
  await mkdir(temporary)
  await chmod(temporary, 0o1777)
  return temporary
}

/** Each file is a process of its own that loads much the same modules, and so is the next run. */
async function compiledFolder(folder: string): Promise<string> {
  const kept = path.join(ROOT, 'node_modules/.cache/doorcode-test')
  try {
    await mkdir(kept, { recursive: true })
    await access(kept, constants.W_OK)
    return kept
  } catch {
    return path.join(folder, 'compiled') // somebody else's node_modules
  }
}

type Texts = ReadonlyMap<string, string>

async function textsOf(files: readonly string[]): Promise<Texts> {
  const read = async (file: string) => readFile(path.resolve(ROOT, file), 'utf8').catch(() => '')
  return new Map(await Promise.all(files.map(async (file) => [file, await read(file)] as const)))
}

/** Tests of functions. They can share a process, where those of `test/` count on one of their own. */
function startNothing(texts: Texts): string[] {
  const pure = ([file, text]: [string, string]) =>
    text !== '' && !file.startsWith('test/') && !STARTS_SOMETHING.test(text)
  return [...texts].filter(pure).map(([file]) => file)
}

/** One for all files that open pages: its start takes as long as many a test. */
async function browserFor(texts: Texts): Promise<BrowserServer | undefined> {
  if (![...texts.values()].some((text) => text.includes("/browser.ts'"))) return undefined
  const { startBrowser } = await import('./browser.ts')
  return startBrowser()
}

function inOrder(files: readonly string[]): string[] {
  const place = (file: string): number => {
    const found = LONGEST.findIndex((beginning) => file.startsWith(beginning))
    return found < 0 ? LONGEST.length : found
  }
  return files.toSorted((one, other) => place(one) - place(other) || (one < other ? -1 : 1))
}

function readVersion(text: string): 15 | 18 {
  if (text === '15') return 15
  if (text === '18') return 18
  throw new Error(`--postgres may be 15 or 18, not ${text}`)
}

/** Migrated once; each file gets a copy, which takes a few hundredths of a second. */
async function prepareTemplate(serverUrl: string): Promise<void> {
  await createDatabase(serverUrl, TEMPLATE_DATABASE)
  const db = openDb({ url: urlOf(serverUrl, TEMPLATE_DATABASE), poolSize: 1 })
  await migrate(db)
  await db.close() // a template with connections cannot be copied
}

/** Whether all passed. */
async function runFiles(files: readonly string[], environment: Record<string, string>): Promise<boolean> {
  const ending = new AbortController()
  const end = (): void => ending.abort()
  process.on('SIGINT', end).on('SIGTERM', end)
  const results = run({
    cwd: ROOT,
    files: files.map((file) => path.resolve(ROOT, file)),
    concurrency: FILES_AT_ONCE,
    timeout: TEST_TIMEOUT_MS,
    signal: ending.signal,
    env: { ...ownEnvironment(), ...environment },
  })
  let passed = false
  results.on('test:summary', ({ file, success }) => {
    if (file === undefined) passed = success // of the whole
  })
  const report = results.compose(spec)
  report.pipe(process.stdout)
  await finished(report)
  process.off('SIGINT', end).off('SIGTERM', end)
  return passed && !ending.signal.aborted
}

/** Settings of the developer's own instance must not reach the tests. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('DOORCODE_') && name !== 'DATABASE_URL')
  return Object.fromEntries(kept)
}
