/**
 * `npm test`: one PostgreSQL for the whole run, a migrated template database in it, then every test file in a process
 * of its own. `npm test -- --postgres 15 test/journeys/quota.test.ts` chooses the server's version and the files.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { builtDashboard } from '../src/dashboard/build.ts'
import { openDb } from '../src/db.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres.ts'
import { migrate } from '../src/migrate.ts'
import { reportCoverage } from './coverage.ts'
import { TEMPLATE_DATABASE, createDatabase, urlOf } from './postgres.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const TEST_FILES = ['src/**/*.test.ts', 'test/**/*.test.ts', 'emulator/**/*.test.ts', 'dashboard/**/*.test.ts']

/** Files at a time. Each waits for the database, its own servers and the browser often enough that 2 cores carry twice as many. */
const FILES_AT_ONCE = 4
/** A test that takes this long hangs. */
const TEST_TIMEOUT_MS = 60_000
/** After this the test processes that did not end on a signal are killed. */
const GRACE_MS = 10_000

process.exitCode = await main()

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { postgres: { type: 'string', default: '18' } },
    allowPositionals: true,
  })
  const version = readVersion(values.postgres)
  const files = positionals.length > 0 ? positionals : await Array.fromAsync(glob(TEST_FILES, { cwd: ROOT }))
  const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-test-'))
  await chmod(folder, 0o711) // root's PostgreSQL runs as another user, who must pass through
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: folder, version, durable: false })
    try {
      await prepareTemplate(postgres.url)
      await builtDashboard() // once, rather than by each file that opens a page first
      const code = await runFiles(files.sort(), {
        TEST_DATABASE_URL: postgres.url,
        TEST_FOLDER: folder,
        // Each file is a process of its own that loads much the same modules.
        NODE_COMPILE_CACHE: path.join(folder, 'compiled'),
      })
      const uncovered = positionals.length === 0 ? await reportCoverage(folder) : 0
      return code || uncovered
    } finally {
      await postgres.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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

async function runFiles(files: readonly string[], environment: Record<string, string>): Promise<number> {
  const runner = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      `--test-concurrency=${FILES_AT_ONCE}`,
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      ...files,
    ],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], env: { ...ownEnvironment(), ...environment } },
  )
  let stopped: NodeJS.Signals | undefined
  const stop = (signal: NodeJS.Signals): void => {
    stopped = signal
    runner.kill(signal)
    setTimeout(() => runner.kill('SIGKILL'), GRACE_MS).unref()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const [code] = (await once(runner, 'exit')) as [number | null]
  process.off('SIGINT', stop).off('SIGTERM', stop)
  return stopped === undefined ? (code ?? 1) : 1
}

/** Settings of the developer's own instance must not reach the tests. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('DOORCODE_') && name !== 'DATABASE_URL')
  return Object.fromEntries(kept)
}
