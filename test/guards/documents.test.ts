import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { EXAMPLE_DOCUMENTS, withExamples } from '../../docs/examples.ts'
import { tables, withRows } from '../../docs/tables.ts'
import { TEMPLATE_LANGUAGES } from '../../src/accounts/templates/languages.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts'
import { CONFIRMATION_STATUSES } from '../../src/cod/conversation/confirmation.ts'
import { REFUSAL_STATUSES } from '../../src/cod/conversation/refusal.ts'
import { FOLLOW_UP_EXPIRES_AFTER_MS } from '../../src/cod/conversation/timers.ts'
import { defaults } from '../../src/cod/settings/settings.ts'
import { commands } from '../../src/commands/table.ts'
import { type ApiErrorCode, apiErrorText, apiErrors } from '../../src/lib/errors.ts'
import { documentedEvents } from '../../src/api/documented-events.ts'
import { REQUESTS_PER_WINDOW } from '../../src/lib/http/rate-limit.ts'
import { MAX_LISTED_KEYS } from '../../src/workspaces/keys/manage-keys.ts'
import { problemSchema } from '../../src/lib/http/problem.ts'
import { REJECTIONS_LOGGED_PER_SECOND } from '../../src/lib/http/rejection-log.ts'
import { UNKNOWN_WAIT_MS } from '../../src/messages/queue/decide.ts'
import {
  PAIR_BURST,
  PAIR_INTERVAL_MS,
  STANDARD_SENDS_PER_SECOND,
  HIGH_SENDS_PER_SECOND,
} from '../../src/messages/queue/pace.ts'
import { MESSAGE_STATUSES } from '../../src/messages/status.ts'
import { OTP_SUBMISSION_WINDOW_MS, SUBMISSION_WINDOW_MS } from '../../src/messages/submission-window.ts'
import { FAILURE_CODES, type FailureCode, failureCodes, failureText } from '../../src/providers/failure-codes.ts'
import { inEnglish, translatorOf } from '../../locales/resources.ts'
import { LANGUAGES } from '../../locales/text.ts'
import { ATTEMPT_TIMEOUT_MS, MAX_RESPONSE_BYTES } from '../../src/webhooks/delivery/post.ts'
import { RELEASE_INTERVAL_MS, MAX_RELEASED_PER_STEP } from '../../src/webhooks/delivery/release.ts'
import { MAX_EARLY_ATTEMPTS } from '../../src/webhooks/delivery/schedule.ts'
import { MAX_ENDPOINTS, PREVIOUS_SECRET_VALID_MS } from '../../src/webhooks/endpoints.ts'
import { MAX_URL_LENGTH } from '../../src/webhooks/settings.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const read = (name: string): Promise<string> => readFile(path.join(ROOT, name), 'utf8')

for (const table of tables) {
  test(`npm run docs has written docs/${table.document}: ${table.mark}`, async () => {
    const text = await read(`docs/${table.document}`)
    assert.equal(text, withRows(text, table))
  })
}

for (const document of EXAMPLE_DOCUMENTS) {
  test(`npm run docs has written the programs in docs/${document}`, async () => {
    const text = await read(`docs/${document}`)
    assert.match(text, /<!-- example: /)
    assert.equal(text, await withExamples(text))
  })
}

test('docs/api.md names each request error in exactly one ordered check', async () => {
  const checks = between(await read('docs/api.md'), 'checks')
  const named = Array.from(checks.matchAll(/`([A-Z]+_[A-Z_]+)`/g), ([, code = '']) => code)
  const ofRequests = Object.keys(apiErrors).filter((code) => !FAULTS_OF_OURS.includes(code))
  assert.deepEqual(sorted(named), sorted(ofRequests))
  const numbers = Array.from(checks.matchAll(/^(\d+)\. /gm), ([, number]) => Number(number))
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  )
})

test('the error example in docs/api.md is a real answer', async () => {
  const [, json = ''] = /```json\n([^]*?)```/.exec(await read('docs/api.md')) ?? []
  const { code, title, status } = problemSchema.parse(JSON.parse(json))
  assert.deepEqual(
    { title, status },
    { title: apiErrors[code as ApiErrorCode].title, status: apiErrors[code as ApiErrorCode].status },
  )
})

const FAULTS_OF_OURS = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']

const sorted = (texts: readonly string[]): string[] => texts.toSorted((one, other) => (one < other ? -1 : 1))

test('docs/otp.md and docs/cod.md explain every status', async () => {
  const text = await read('docs/cod.md')
  assert.deepEqual(firstCells(between(await read('docs/otp.md'), 'otp statuses')), MESSAGE_STATUSES)
  assert.deepEqual(firstCells(between(text, 'confirmation statuses')), CONFIRMATION_STATUSES)
  assert.deepEqual(firstCells(between(text, 'refusal statuses')), REFUSAL_STATUSES)
})

test('figures in the documents match the code', async () => {
  const perKey = `${REQUESTS_PER_WINDOW} requests`
  const figures: Record<string, readonly string[]> = {
    'README.md': [`Each API key may make ${REQUESTS_PER_WINDOW} requests/s`],
    'docs/api.md': [`more than ${perKey} a second`, `newest ${MAX_LISTED_KEYS}`],
    'docs/errors.md': [`${perKey} a second for each key`],
    'docs/capacity-planning.md': [`may make ${perKey} in any second`, `newest ${MAX_LISTED_KEYS}`],
    'docs/otp.md': [
      `waits ${UNKNOWN_WAIT_MS / SECOND_MS} s for a report`,
      `is ${OTP_SUBMISSION_WINDOW_MS / MINUTE_MS} minutes for a one-time code and ${SUBMISSION_WINDOW_MS / HOUR_MS} hours`,
    ],
    'docs/cod.md': [
      `| ${FOLLOW_UP_EXPIRES_AFTER_MS / HOUR_MS} hours |`,
      `\`noResponseMinutes\`, ${defaults.noResponseMinutes.toLocaleString('en')} by default`,
    ],
    'docs/failure-codes.md': [
      `${OTP_SUBMISSION_WINDOW_MS / MINUTE_MS} minutes for a one-time code, ${SUBMISSION_WINDOW_MS / HOUR_MS} hours`,
    ],
    'docs/webhooks.md': [
      `URL of at most ${MAX_URL_LENGTH.toLocaleString('en')} characters`,
      `A workspace has at most ${MAX_ENDPOINTS}`,
      `within ${ATTEMPT_TIMEOUT_MS / SECOND_MS} seconds`,
      `The first ${MAX_RESPONSE_BYTES.toLocaleString('en')} bytes`,
      `two signatures for ${PREVIOUS_SECRET_VALID_MS / HOUR_MS} hours`,
      `at most ${MAX_RELEASED_PER_STEP} events every ${RELEASE_INTERVAL_MS} ms`,
      `at most ${MAX_EARLY_ATTEMPTS} times in all`,
    ],
    'docs/whatsapp-cloud-api.md': [
      `| ${STANDARD_SENDS_PER_SECOND} messages a second per number, ${HIGH_SENDS_PER_SECOND.toLocaleString('en')} at`,
      `one message per ${PAIR_INTERVAL_MS / SECOND_MS} s from a number to one customer; ${PAIR_BURST} in a burst`,
      `Meta lists ${TEMPLATE_LANGUAGES.length}`,
    ],
  }
  for (const [name, sentences] of Object.entries(figures)) {
    const text = await read(name)
    for (const sentence of sentences) assert.ok(text.includes(sentence), `${name}: ${sentence}`)
  }
  for (const language of LANGUAGES)
    assert.match(
      translatorOf(language).textOf(apiErrorText('RATE_LIMITED', 'fix')),
      new RegExp(`\\b${REQUESTS_PER_WINDOW} `),
    )
})

type Example = {
  type: string
  timestamp: string
  data: { occurredAt?: string; failure?: { code: FailureCode; message: string } | null }
}

test('webhook examples in documents and the API document are real', async () => {
  const examples: Example[] = documentedEvents.map(({ example }) => example as Example)
  const described = examples.length
  for (const name of await documents()) examples.push(...exampleEvents(await read(name)))
  assert.ok(examples.length > described)
  for (const { type, timestamp, data } of examples) {
    const event = documentedEvents.find((each) => each.type === type) ?? assert.fail(`there is no event ${type}`)
    const { error } = event.body.safeParse({ type, timestamp, data })
    assert.equal(error, undefined, `${type}: ${JSON.stringify(data)}`)
    assert.equal(timestamp, data.occurredAt)
    if (data.failure) assert.equal(data.failure.message, inEnglish(failureText(data.failure.code)))
  }
})

const exampleEvents = (text: string): Example[] =>
  Array.from(text.matchAll(/```json\n([\s\S]*?)```/g), ([, json = '']) => JSON.parse(json) as Partial<Example>).filter(
    (example): example is Example => typeof example.type === 'string' && 'data' in example,
  )

test('every failure code has a distinct sentence', () => {
  assert.deepEqual(FAILURE_CODES.toSorted(), Object.keys(failureCodes).sort())
  const sentences = FAILURE_CODES.map((code) => inEnglish(failureText(code)))
  assert.equal(new Set(sentences).size, sentences.length)
})

test('docs/monitoring.md states how many rejections a second are logged', async () => {
  const text = (await read('docs/monitoring.md')).replaceAll('\n', ' ')
  const { keyed, others } = REJECTIONS_LOGGED_PER_SECOND
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
const READS_THE_ENVIRONMENT = new Set([
  'src/runtime/start/embedded-postgres/postmaster.ts',
  'src/runtime/start/embedded-postgres/cluster.ts',
])

test('every command in a document exists', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
  const unknown: string[] = []
  for (const name of await documents()) {
    const code = codeIn(await read(name))
    for (const [command, script] of code.matchAll(/\bnpm (?:run (?:-s )?)?([a-z]+)\b/g)) {
      if (!(script && (script in scripts || NPM_COMMANDS.has(script)))) unknown.push(`${name}: ${command}`)
    }
    for (const [text, words] of code.matchAll(/\brun (?:-s )?doorcode -- ([a-z-]+(?: [a-z-]+)?)/g)) {
      if (!commands.some((command) => `${words} `.startsWith(`${command.words} `))) unknown.push(`${name}: ${text}`)
    }
  }
  assert.deepEqual(unknown, [])
})

const NPM_COMMANDS = new Set(['ci', 'install', 'pack', 'start', 'test'])

test('every option in a document exists', async () => {
  const unknown: string[] = []
  for (const name of await documents()) {
    for (const [text, given = ''] of (await read(name)).matchAll(/\brun (?:-s )?doorcode -- ([^\n`]+)/g)) {
      const command = commands.find(({ words }) => `${given} `.startsWith(`${words} `))
      const options = Object.keys(command?.options ?? {}).map((each) =>
        each.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      )
      for (const [, option = ''] of given.matchAll(/--([a-z-]+)/g)) {
        if (![...options, 'json', 'help'].includes(option)) unknown.push(`${name}: ${text}`)
      }
    }
  }
  assert.deepEqual(unknown, [])
})

test('every file that a document links to exists', async () => {
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

test('every page and heading that code or a document cites exists', async () => {
  const missing: string[] = []
  const headings = new Map<string, Set<string>>()
  const exists = async (page: string, heading: string | undefined): Promise<boolean> => {
    if (!headings.has(page)) headings.set(page, headingsOf(await read(page).catch(() => '')))
    const known = headings.get(page) ?? new Set()
    return heading === undefined ? known.size > 0 : known.has(heading)
  }
  for (const name of await writtenFiles()) {
    const text = await read(name)
    const cited = Array.from(text.matchAll(/\bdocs\/[\w/.-]+?\.md(?:#([\w-]+))?/g), ([path, heading]) => ({
      page: path.replace(/#.*/, ''),
      heading,
    }))
    const linked = name.endsWith('.md') ? text.matchAll(/\]\(([\w/.-]+\.md)?#([\w-]+)\)/g) : []
    for (const [, target, heading] of linked)
      cited.push({ page: target ? path.join(path.dirname(name), target) : name, heading })
    for (const { page, heading } of cited)
      if (!(await exists(page, heading))) missing.push(`${name}: ${page}${heading ? `#${heading}` : ''}`)
  }
  assert.deepEqual(missing, [])
})

test('nothing cites documents outside the repository', async () => {
  const citing: string[] = []
  for (const name of await writtenFiles()) if ((await read(name)).includes('\u00a7')) citing.push(name)
  assert.deepEqual(citing, [])
})

/** Anchors as GitHub derives them from headings. */
function headingsOf(text: string): Set<string> {
  const lines = text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)
  return new Set(
    Array.from(lines, ([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{Letter}\p{Number}\- _]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

async function writtenFiles(): Promise<string[]> {
  const patterns = ['src', 'dashboard', 'packages', 'test', 'bench', 'migrations', 'docs', 'bin'].map(
    (folder) => `${folder}/**/*.{ts,tsx,js,mjs,sql,css,md}`,
  )
  const names = await Array.fromAsync(
    glob(['*.md', ...patterns], { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**', '**/built/**'] }),
  )
  return names.sort()
}

test('every source file that ARCHITECTURE and CONTRIBUTING name exists', async () => {
  const missing: string[] = []
  for (const name of ['ARCHITECTURE.md', 'CONTRIBUTING.md']) {
    for (const [, file = ''] of (await read(name)).matchAll(/`([\w./-]+\.tsx?)`/g)) {
      const places = await Array.fromAsync(glob([file, `{src,dashboard}/${file}`], { cwd: ROOT }))
      if (places.length === 0) missing.push(`${name}: ${file}`)
    }
  }
  assert.deepEqual(missing, [])
})

test('the changelog has an entry for this version', async () => {
  const { version } = JSON.parse(await read('package.json')) as { version: string }
  assert.match(await read('CHANGELOG.md'), new RegExp(`^## ${version.replaceAll('.', '\\.')}$`, 'm'))
})

test('CI runs what CONTRIBUTING states', async () => {
  assert.match(await read('CONTRIBUTING.md'), /CI runs `npm ci`, `npm test` and `npm run check`/)
  const lines = (await read('.ci/run')).split('\n').filter((line) => line.startsWith('npm '))
  assert.deepEqual(lines, ['npm ci', 'npm test', 'npm run check'])
})

/** Fenced blocks and inline code. */
const codeIn = (text: string): string =>
  Array.from(text.matchAll(/```[\s\S]*?```|`[^`\n]+`/g), ([code]) => code).join('\n')

async function documents(): Promise<string[]> {
  const names = await Array.fromAsync(glob(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'examples/*.md'], { cwd: ROOT }))
  return names.sort()
}

/** The text between two comments with this marker. */
const between = (text: string, mark: string): string =>
  text.split(`<!-- ${mark} -->`)[1]?.split(`<!-- /${mark} -->`)[0] ?? assert.fail(`no part is marked ${mark}`)

const firstCells = (table: string): (string | undefined)[] =>
  tableRows(table)
    .slice(1)
    .map(([first]) => first)

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
