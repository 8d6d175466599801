import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { commands } from '../../src/commands/table.ts'
import { settings } from '../../src/config.ts'
import { refusals } from '../../src/errors.ts'
import { eventTypes } from '../../src/events/event-types.ts'
import { documentedEvents } from '../../src/http/documented-events.ts'
import { REFUSALS_LOGGED_PER_SECOND } from '../../src/http/refusal-log.ts'
import { failures } from '../../src/providers/failures.ts'
import type { FailureCode } from '../../src/providers/provider.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const read = (name: string): Promise<string> => readFile(path.join(ROOT, name), 'utf8')

/** spec §7, with the codes of the contract for faults of ours (§2). */
const DOCUMENTED_REFUSALS: Readonly<Record<string, number>> = {
  API_KEY_INVALID: 401,
  OTP_SENDER_NOT_FOUND: 404,
  OTP_TEMPLATE_NOT_FOUND: 404,
  NOT_FOUND: 404,
  COD_SENDER_NOT_FOUND: 404,
  COD_TEMPLATE_NOT_FOUND: 404,
  COD_CONFIRMATION_NOT_FOUND: 404,
  OTP_SENDER_UNAVAILABLE: 409,
  OTP_TEMPLATE_NOT_USABLE: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  COD_NOT_CONFIGURED: 409,
  COD_LANGUAGE_NOT_CONFIGURED: 409,
  COD_SENDER_UNAVAILABLE: 409,
  COD_TEMPLATE_NOT_USABLE: 409,
  COD_CONFIRMATION_NOT_ELIGIBLE: 409,
  COD_REFUSAL_CHECK_EXISTS: 409,
  DEVELOPER_INVALID_INPUT: 422,
  COD_TEMPLATE_PARAMETERS_INVALID: 422,
  RECIPIENT_BLOCKED: 422,
  OTP_QUOTA_EXCEEDED: 429,
  COD_QUOTA_EXCEEDED: 429,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
}

/** spec §6 */
const DOCUMENTED_EVENTS = [
  'message.sent',
  'message.failed',
  'cod.confirmed',
  'cod.cancelled',
  'cod.reschedule_requested',
  'cod.no_response',
  'cod.failed',
  'cod.refusal_confirmed',
  'cod.refusal_denied',
  'cod.refusal_no_response',
  'cod.refusal_failed',
  'ping',
]

/** contract §6 */
const DOCUMENTED_FAILURES = [
  'RECIPIENT_UNREACHABLE',
  'RECIPIENT_NOT_ALLOWED',
  'RECIPIENT_RATE_LIMITED',
  'SENDER_RATE_LIMITED',
  'SENDER_UNAVAILABLE',
  'PROVIDER_CREDENTIALS_INVALID',
  'TEMPLATE_NOT_FOUND',
  'TEMPLATE_PAUSED',
  'TEMPLATE_DISABLED',
  'TEMPLATE_PARAMETERS_REJECTED',
  'POLICY_VIOLATION',
  'WINDOW_CLOSED',
  'PROVIDER_UNAVAILABLE',
  'SUBMISSION_EXPIRED',
  'UNKNOWN',
]

test('every refusal has the status of the specification, and none is of our own making', () => {
  const made = Object.entries(refusals).map(([code, { status }]): [string, number] => [code, status])
  const documented = made.map(([code]) => [code, DOCUMENTED_REFUSALS[code]])
  assert.deepEqual(made, documented)
  const missing = Object.keys(DOCUMENTED_REFUSALS).filter((code) => !(code in refusals))
  assert.deepEqual(missing, [])
})

test('every event is one of the specification, and docs/webhooks.md says what each means', async () => {
  const types = Object.keys(eventTypes)
  assert.deepEqual(
    types.filter((type) => !DOCUMENTED_EVENTS.includes(type)),
    [],
  )
  const rows = tableRows(await read('docs/webhooks.md')).filter(([type]) => DOCUMENTED_EVENTS.includes(type ?? ''))
  assert.deepEqual(
    rows,
    Object.entries(eventTypes).map(([type, { description }]) => [type, description]),
  )
})

type Example = {
  type: string
  timestamp: string
  data: { occurredAt?: string; failure?: { code: FailureCode; message: string } | null }
}

test('the examples of webhooks are such as are sent, in the documents and in the description of the API', async () => {
  const examples: Example[] = documentedEvents.map(({ example }) => example as Example)
  const described = examples.length
  for (const name of await documents()) examples.push(...exampleEvents(await read(name)))
  assert.ok(examples.length > described)
  for (const { type, timestamp, data } of examples) {
    const event = documentedEvents.find((each) => each.type === type) ?? assert.fail(`there is no event ${type}`)
    const { error } = event.data.safeParse(data)
    assert.equal(error, undefined, `${type}: ${JSON.stringify(data)}`)
    assert.equal(timestamp, data.occurredAt)
    if (data.failure) assert.equal(data.failure.message, failures[data.failure.code].en)
  }
})

const exampleEvents = (text: string): Example[] =>
  Array.from(text.matchAll(/```json\n([\s\S]*?)```/g), ([, json = '']) => JSON.parse(json) as Partial<Example>).filter(
    (example): example is Example => typeof example.type === 'string' && 'data' in example,
  )

test('the reasons of failures are those of the contract, each with a sentence of its own', () => {
  assert.deepEqual(Object.keys(failures).sort(), [...DOCUMENTED_FAILURES].sort())
  const sentences = Object.values(failures).map(({ en }) => en)
  assert.equal(new Set(sentences).size, sentences.length)
})

test('docs/configuration.md lists every setting with its default and meaning', async () => {
  const rows = tableRows(await read('docs/configuration.md')).filter(([name]) => /^[A-Z_]+$/.test(name ?? ''))
  const written = Object.entries(settings).map(([name, setting]) => [name, setting.default, setting.meaning])
  assert.deepEqual(rows, written)
})

test('docs/operations.md says how many refusals a second the log has room for', async () => {
  const text = (await read('docs/operations.md')).replaceAll('\n', ' ')
  const { keyed, others } = REFUSALS_LOGGED_PER_SECOND
  assert.ok(text.includes(`at most ${keyed} such lines are written for requests with a key`), String(keyed))
  assert.ok(text.includes(`at most ${others} for all others`), String(others))
})

test('only the command line reads the environment', async () => {
  const readers: string[] = []
  for await (const name of glob('src/**/*.ts', { cwd: ROOT })) {
    if (!name.endsWith('.test.ts') && /process\.env\b/.test(await read(name))) readers.push(name)
  }
  assert.deepEqual(
    readers.filter((name) => !READS_THE_ENVIRONMENT.has(name)),
    [],
  )
})

/** PATH and locale of the PostgreSQL that it starts. */
const READS_THE_ENVIRONMENT = new Set(['src/embedded-postgres/postmaster.ts', 'src/embedded-postgres/cluster.ts'])

test('every command that a document tells to run exists', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
  const unknown: string[] = []
  for (const name of await documents()) {
    const code = codeIn(await read(name))
    for (const [told, script] of code.matchAll(/\bnpm (?:run (?:-s )?)?([a-z]+)\b/g)) {
      if (!(script && (script in scripts || NPM_COMMANDS.has(script)))) unknown.push(`${name}: ${told}`)
    }
    for (const [told, words] of code.matchAll(/\bdoorcode -- ([a-z-]+(?: [a-z]+)?)/g)) {
      if (!commands.some((command) => `${words} `.startsWith(`${command.words} `))) unknown.push(`${name}: ${told}`)
    }
  }
  assert.deepEqual(unknown, [])
})

const NPM_COMMANDS = new Set(['ci', 'install', 'start', 'test'])

test('every option that a document gives to a command exists', async () => {
  const unknown: string[] = []
  for (const name of await documents()) {
    for (const [told, given = ''] of (await read(name)).matchAll(/\bdoorcode -- ([^\n`]+)/g)) {
      const command = commands.find(({ words }) => `${given} `.startsWith(`${words} `))
      const options = Object.keys(command?.options ?? {}).map((each) =>
        each.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      )
      for (const [, option = ''] of given.matchAll(/--([a-z-]+)/g)) {
        if (![...options, 'json', 'help'].includes(option)) unknown.push(`${name}: ${told}`)
      }
    }
  }
  assert.deepEqual(unknown, [])
})

test('every file that a document points to is there', async () => {
  const missing: string[] = []
  for (const name of await documents()) {
    for (const [, target = ''] of (await read(name)).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)) {
      const file = path.resolve(ROOT, path.dirname(name), target)
      await readFile(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EISDIR') missing.push(`${name}: ${target}`)
      })
    }
  }
  assert.deepEqual(missing, [])
})

test('the changelog tells of this version', async () => {
  const { version } = JSON.parse(await read('package.json')) as { version: string }
  assert.match(await read('CHANGELOG.md'), new RegExp(`^## ${version.replaceAll('.', '\\.')}$`, 'm'))
})

test('CI runs what the README and CONTRIBUTING say it runs', async () => {
  assert.match(await read('README.md'), /npm ci && npm test/)
  const lines = (await read('.ci/run')).split('\n').filter((line) => line.startsWith('npm '))
  assert.deepEqual(lines, ['npm ci', 'npm test', 'npm run check'])
})

/** Fenced blocks and what stands between backticks. */
const codeIn = (text: string): string =>
  Array.from(text.matchAll(/```[\s\S]*?```|`[^`\n]+`/g), ([code]) => code).join('\n')

async function documents(): Promise<string[]> {
  const names = await Array.fromAsync(
    glob(['*.md', 'docs/**/*.md', 'emulator/*.md', 'examples/**/*.md'], { cwd: ROOT }),
  )
  return names.sort()
}

/** The cells of every table row, without the backticks around a whole cell. */
const tableRows = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[-| ]+\|$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
    )
