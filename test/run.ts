/**
 * `npm test`: one PostgreSQL for the whole run, a migrated template database in it, then every test file, most of them in
 * a few processes that they share. `npm test -- --postgres 15 test/journeys/otp/quota.test.ts test/browser` chooses the
 * server's version, and files or folders; files that open a page get one browser.
 */
import { access, chmod, constants, glob, mkdir, mkdtemp, readFile, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import type { BrowserServer } from 'playwright-core'
import { builtDashboard } from '../src/admin/pages/pages.ts'
import { openDb } from '../src/lib/db/pool.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/runtime/start/embedded-postgres/server.ts'
import { migrate } from '../src/lib/db/migrate.ts'
import { reportCoverage } from './runner/coverage.ts'
import { CHECK_ONLY } from './runner/check-only.ts'
import { ensureInstalled } from '../tools/install.ts'
import { TEMPLATE_DATABASE, createDatabase, trustRoles, urlOf } from './database/postgres.ts'
import './runner/without-async-hooks.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const TEST_FILES = ['src', 'locales', 'test', 'trials', 'packages', 'dashboard', 'bench'].map(
  (folder) => `${folder}/**/*.test.ts`,
)
const LEFT_OUT = ['**/node_modules/**', ...CHECK_ONLY.map((folder) => `${folder}**`)]

/** Other programs' clients, which are installed when they are needed. */
const CLIENTS = 'packages/whatsapp-emulator/test/clients/'
const WITH_EXAMPLES = ['test/journeys/integrators/', 'test/programs/examples']

/** Takes files from the queue until it is empty. */
const WORKER = 'test/runner/worker.ts'
/**
 * They run next to one file in its own process. There are more than cores, since each waits for the database and the
 * browser.
 */
const WORKERS = 4

/** Long files start first, so that none is left for the end; files that mostly wait run next to those that compute. */
const LONGEST = [
  'test/journeys/cluster/lost-database.test.ts',
  'test/browser/pages.test.ts',
  'test/journeys/cluster/failing-work.test.ts',
  'test/journeys/cluster/locked-rows.test.ts',
  'test/exhaustive/crash.test.ts',
  'test/programs/demo.test.ts',
  'test/journeys/cluster/dead-node.test.ts',
  'test/journeys/data/verify-planted.test.ts',
  'test/journeys/cod/conversation.test.ts',
  'test/journeys/data/recipient-erase.test.ts',
  'test/exhaustive/cod-crash.test.ts',
  'test/programs/emulator-package.test.ts',
  'test/journeys/cluster/two-processes.test.ts',
  'test/journeys/otp/submission.test.ts',
  'test/exhaustive/cod-model.test.ts',
  'test/programs/embedded-postgres.test.ts',
  'test/exhaustive/plans.test.ts',
  'test/browser/cod-settings.test.ts',
  'test/browser/quickstart.test.ts',
  'test/exhaustive/any-input.test.ts',
  'src/webhooks/delivery/release.test.ts',
  'test/journeys/',
  'test/guards/',
]

/** These change their process, or walk all that it declares. */
const OWN_PROCESS: readonly string[] = [
  'test/programs/emulator-package.test.ts',
  'test/programs/client-package.test.ts',
  'test/programs/backup.test.ts',
  'test/programs/restore.test.ts',
  'test/programs/embedded-postgres.test.ts',
  'test/programs/demo.test.ts',
  'test/journeys/cluster/serve.test.ts',
  'test/programs/key-rotation.test.ts',
  'test/programs/key-rotation-races.test.ts',
  'test/browser/system.test.ts',
  'test/exhaustive/lists.test.ts',
  'test/exhaustive/plans.test.ts',
  'test/guards/schema.test.ts',
  'test/guards/statements.test.ts',
  'test/guards/tables.test.ts',
]

/** Each of these needs a database that no other file writes to, or reads a whole database: the worker changes to a new one before and after it. */
const OWN_DATABASE: readonly string[] = [
  'src/runtime/background/due-loops.test.ts',
  'test/journeys/operators/actions.test.ts',
  'test/journeys/dashboard/phone.test.ts',
  'test/journeys/dashboard/audit.test.ts',
  'test/journeys/cod/settings-commands.test.ts',
  'test/journeys/cluster/command-line.test.ts',
  'src/events/record.test.ts',
  'test/journeys/cluster/alerts.test.ts',
  'test/journeys/cluster/doctor.test.ts',
  'test/journeys/cluster/doctor-command.test.ts',
  'test/journeys/data/removal-held.test.ts',
  'test/journeys/data/recipient-erase.test.ts',
  'test/journeys/data/recipient-races.test.ts',
  'test/journeys/data/retention.test.ts',
  'test/journeys/cluster/long-transaction.test.ts',
  'test/journeys/cluster/stuck.test.ts',
  'test/journeys/cluster/support-bundle.test.ts',
]

/** Most objects of tests are short-lived: a larger young generation collects them at a third of the cost. */
const NODE_OPTIONS = [
  ...['without-async-hooks', 'release-ended', 'cheap-passwords'].map(
    (name) => `--import=${path.join(ROOT, `test/runner/${name}.ts`)}`,
  ),
  '--max-semi-space-size=64',
]

/** Files at a time. Each waits for the database, its own servers and the browser often enough that 2 cores carry three times as many. */
const FILES_AT_ONCE = 6
/** A test that takes this long hangs. */
const TEST_TIMEOUT_MS = 600_000
/** A run that takes this long hangs. */
const RUN_TIMEOUT_MS = 30 * 60_000
/** Programs that an interrupted test started still write for a moment; each try waits 100 ms longer than the last. */
const MAX_REMOVALS = 8

const MEMORY = '/dev/shm'
/** The most that databases, browsers' profiles and the like take. A container may have only 64 MB there. */
const ROOM_BYTES = 4 * 2 ** 30

process.exitCode = await main()

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { postgres: { type: 'string', default: '18' } },
    allowPositionals: true,
  })
  const version = readVersion(values.postgres)
  // A renamed file would otherwise leave its list without notice.
  await Promise.all([...LONGEST, ...OWN_PROCESS, ...OWN_DATABASE].map((name) => access(path.join(ROOT, name))))
  const files =
    positionals.length > 0
      ? (await Promise.all(positionals.map(testFilesOf))).flat()
      : await Array.fromAsync(glob(TEST_FILES, { cwd: ROOT, exclude: LEFT_OUT }))
  if (version === 15) await ensureInstalled('postgres15')
  if (files.some((file) => file.startsWith(CLIENTS))) await ensureInstalled('clients')
  if (files.some((file) => WITH_EXAMPLES.some((beginning) => file.startsWith(beginning))))
    await ensureInstalled('examples')
  const folder = await mkdtemp(path.join(await quickestFolder(), 'doorcode-test-'))
  await chmod(folder, 0o711) // root's PostgreSQL runs as another user, who must be able to enter it
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: folder, version, durable: false })
    try {
      await trustRoles(postgres.superuserUrl)
      await prepareTemplate(postgres)
      await builtDashboard() // once, rather than by each file that opens a page first
      const texts = await textsOf(files)
      await using browser = await browserFor(texts)
      const shared = files.length > WORKERS ? inOrder(files.filter((file) => !OWN_PROCESS.includes(file))) : []
      const own = inOrder(files.filter((file) => !shared.includes(file)))
      const workers = shared.length > 0 ? Array<string>(WORKERS).fill(WORKER) : []
      const passed = await runFiles([...workers, ...own], {
        TEST_QUEUE: JSON.stringify(shared),
        TEST_OWN_DATABASE: JSON.stringify(OWN_DATABASE),
        TEST_DATABASE_URL: postgres.superuserUrl,
        TEST_OWNER_URL: postgres.url,
        TEST_FOLDER: folder,
        TMPDIR: await temporaryFolder(folder),
        TEST_BROWSER: browser?.wsEndpoint() ?? '',
        NODE_COMPILE_CACHE: await compiledFolder(folder),
      })
      const unfinished = await filesWithoutEnd(folder, shared)
      const uncovered = positionals.length === 0 ? await reportCoverage(folder) : 0
      return passed && unfinished.length === 0 ? uncovered : 1
    } finally {
      await postgres.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: MAX_REMOVALS })
  }
}

/** A folder stands for the test files in it. */
async function testFilesOf(named: string): Promise<string[]> {
  if (named.endsWith('.ts')) return [named]
  const files = await Array.fromAsync(
    glob(`${path.normalize(`${named}/`)}**/*.test.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] }),
  )
  if (files.length === 0) throw new Error(`${named} is not a folder with test files`)
  return files
}

/**
 * In memory, if there is room. A copy of the template has 500 files, and creating them on a disk takes a third of a
 * second of CPU time.
 */
async function quickestFolder(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => undefined)
  return memory && memory.bavail * memory.bsize > ROOM_BYTES ? MEMORY : tmpdir()
}

/** For temporary files of tests; open to all users, as such folders are. */
async function temporaryFolder(folder: string): Promise<string> {
  const temporary = path.join(folder, 'tmp')
  await mkdir(temporary)
  await chmod(temporary, 0o1777)
  return temporary
}

/** Each file runs in a process that loads mostly the same modules, and so does the next run. */
async function compiledFolder(folder: string): Promise<string> {
  const kept = path.join(ROOT, 'node_modules/.cache/doorcode-test')
  try {
    await mkdir(kept, { recursive: true })
    await access(kept, constants.W_OK)
    return kept
  } catch {
    return path.join(folder, 'compiled') // node_modules of another user
  }
}

type Texts = ReadonlyMap<string, string>

async function textsOf(files: readonly string[]): Promise<Texts> {
  const read = async (file: string) => readFile(path.resolve(ROOT, file), 'utf8').catch(() => '')
  return new Map(await Promise.all(files.map(async (file) => [file, await read(file)] as const)))
}

/** One browser for all files that open pages, because starting it takes as long as a test. */
async function browserFor(texts: Texts): Promise<BrowserServer | undefined> {
  if (![...texts.values()].some((text) => text.includes("/browser.ts'"))) return undefined
  const { startBrowser } = await import('./browser/chromium.ts')
  return startBrowser()
}

function inOrder(files: readonly string[]): string[] {
  const rank = (file: string): number => {
    const found = LONGEST.findIndex((beginning) => file.startsWith(beginning))
    return found < 0 ? LONGEST.length : found
  }
  return files.toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
}

function readVersion(text: string): 15 | 18 {
  if (text === '15') return 15
  if (text === '18') return 18
  throw new Error(`--postgres may be 15 or 18, not ${text}`)
}

/** Migrated once; each file gets a copy, which takes a few hundredths of a second. */
async function prepareTemplate({ url, superuserUrl }: EmbeddedPostgres): Promise<void> {
  await createDatabase(superuserUrl, TEMPLATE_DATABASE)
  const db = openDb({ url: urlOf(url, TEMPLATE_DATABASE), poolSize: 1 })
  await migrate(db)
  await db.close() // a template with connections cannot be copied
}

/** Whether all passed. */
async function runFiles(files: readonly string[], environment: Record<string, string>): Promise<boolean> {
  const { run } = await import('node:test')
  const { spec } = await import('node:test/reporters')
  const ending = new AbortController()
  const end = (): void => ending.abort()
  const endHanging = (): void => {
    console.log(`The tests did not end within ${RUN_TIMEOUT_MS / 60_000} minutes`)
    end()
  }
  const timeout = setTimeout(endHanging, RUN_TIMEOUT_MS)
  process.on('SIGINT', end).on('SIGTERM', end)
  const results = run({
    cwd: ROOT,
    files: files.map((file) => path.resolve(ROOT, file)),
    concurrency: FILES_AT_ONCE,
    timeout: TEST_TIMEOUT_MS,
    execArgv: NODE_OPTIONS,
    signal: ending.signal,
    env: { ...ownEnvironment(), ...environment },
  })
  let passed = false
  results.on('test:summary', ({ file, success }) => {
    if (file === undefined) passed = success // the summary of the whole run has no file
  })
  const report = results.compose(spec)
  report.pipe(process.stdout)
  await finished(report)
  clearTimeout(timeout)
  process.off('SIGINT', end).off('SIGTERM', end)
  return passed && !ending.signal.aborted
}

/** The files in which a worker died. */
async function filesWithoutEnd(folder: string, files: readonly string[]): Promise<string[]> {
  const ended = new Set(await readdir(folder))
  const unfinished = files.filter((_, index) => !ended.has(`ended-${index}`))
  for (const file of unfinished) console.log(`${file} did not end: its process died or was stopped`)
  return unfinished
}

/** Settings of the developer's own instance must not reach the tests. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('DOORCODE_') && name !== 'DATABASE_URL')
  return Object.fromEntries(kept)
}
