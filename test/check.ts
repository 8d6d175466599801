/** `npm run check`: what must hold before a change goes in, which is what CI runs in addition to `npm test`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { ensureInstalled, toolsPath } from '../tools/install.ts'
import { CHECK_ONLY } from './runner/check-only.ts'

/** What another version of PostgreSQL could do differently: each statement, its plan, the schema, and a journey of each kind. */
const ON_POSTGRESQL_15 = [
  'test/guards/statements.test.ts',
  'test/exhaustive/plans.test.ts',
  'test/guards/schema.test.ts',
  'test/exhaustive/lists.test.ts',
  'test/journeys/otp/otp.test.ts',
  'test/journeys/otp/quota.test.ts',
  'test/journeys/otp/reports.test.ts',
  'test/journeys/cod/conversation.test.ts',
  'test/journeys/cod/timers.test.ts',
  'test/journeys/cluster/dead-node.test.ts',
  'test/journeys/dashboard/sign-in.test.ts',
  'test/journeys/cluster/two-processes.test.ts',
  'test/programs/backup.test.ts',
  'src/webhooks/delivery/deliver.test.ts',
]

type Step = { name: string; command: readonly [string, ...string[]] }

const STEPS: readonly Step[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types of the dashboard', command: ['tsc', '--noEmit', '-p', 'dashboard'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'format', command: ['biome', 'format'] },
  { name: 'documents', command: [process.execPath, '--test', 'test/guards/documents.test.ts'] },
  { name: 'size of node_modules', command: [process.execPath, 'tools/size.ts'] },
  {
    name: 'tests that npm test leaves out',
    command: [process.execPath, 'test/run.ts', ...CHECK_ONLY],
  },
  {
    name: 'tests on PostgreSQL 15',
    command: [process.execPath, 'test/run.ts', '--postgres', '15', ...ON_POSTGRESQL_15],
  },
]

const ROOT = path.resolve(import.meta.dirname, '..')
await ensureInstalled('check', 'bench', 'browser', 'clients', 'postgres15')
const environment = { ...process.env, PATH: toolsPath() }

const results: { name: string; passed: boolean; seconds: string }[] = []
for (const { name, command } of STEPS) {
  console.log(`\n── ${name}: ${command.join(' ').replace(process.execPath, 'node')}`)
  const startedAt = performance.now()
  const [program, ...args] = command
  const [code] = (await once(spawn(program, args, { cwd: ROOT, stdio: 'inherit', env: environment }), 'exit')) as [
    number | null,
  ]
  results.push({ name, passed: code === 0, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) })
}

console.log('')
for (const { name, passed, seconds } of results) console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
