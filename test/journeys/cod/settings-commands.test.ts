import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { defaultSettings } from '../../../src/cod/settings/settings.ts'
import { fileDatabase } from '../../database/database.ts'
import { environmentOf, runCommand } from '../../world/command-line.ts'

const PROGRAM = path.join(import.meta.dirname, '../../../bin/doorcode.js')
const UNKNOWN = '019f0000-0000-7000-8000-000000000000'
const SMALLEST = { timeZone: 'asia/karachi' }
const STORED = defaultSettings('Asia/Karachi')

let folder = ''
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-settings-'))
})
after(() => rm(folder, { recursive: true }))

test('"get --json" prints a file that "set" accepts unchanged', async () => {
  const workspace = await newWorkspace()
  const stored = await set(workspace, SMALLEST, '--json')
  assert.deepEqual(JSON.parse(stored.stdout), STORED)
  const got = await get(workspace, '--json')
  assert.deepEqual(JSON.parse(got.stdout), STORED)
  const again = await set(workspace, got.stdout, '--json')
  assert.equal(again.stdout, stored.stdout)
})

test('settings left out of a new file return to their defaults', async () => {
  const workspace = await newWorkspace()
  const settings = {
    ...SMALLEST,
    deliveryDays: { offered: 1, skipWeekdays: ['friday'] },
    refusal: { reminderMinutes: 60 },
  }
  const first = await set(workspace, settings)
  assert.match(first.stdout, /Asia\/Karachi[^]*1 offered from tomorrow, never friday[^]*reminder after 60 minutes/)
  await set(workspace, SMALLEST)
  const { stdout } = await get(workspace, '--json')
  assert.deepEqual(JSON.parse(stdout), STORED)
})

test('settings of one workspace do not affect another', async () => {
  const [one, other] = [await newWorkspace(), await newWorkspace()]
  await set(one, SMALLEST)
  const { code, stderr } = await get(other)
  assert.equal(code, 1)
  assert.match(stderr, /has no cash-on-delivery settings yet/)
})

test('a file with faults changes nothing and reports all faults together', async () => {
  const workspace = await newWorkspace()
  await set(workspace, SMALLEST)
  const faulty = await file({ timeZone: '+05:00', deliveryDays: { offered: 9 }, colour: 'red' })
  const { code, stdout, stderr } = await run('cod-settings', 'set', '--workspace', workspace, '--file', faulty)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(
    stderr,
    /--file has 3 faults:\n {2}\/timeZone must be[^]*\n {2}\/deliveryDays\/offered must[^]*\n {2}\/colour is not/,
  )
  const got = await get(workspace, '--json')
  assert.deepEqual(JSON.parse(got.stdout), STORED)
})

test('faults of the file and of other options are reported together', async () => {
  const { code, stderr } = await set('7', {}, '--json')
  assert.equal(code, 1)
  const problem = JSON.parse(stderr) as Record<string, unknown>
  assert.equal(problem['code'], 'DEVELOPER_INVALID_INPUT')
  assert.match(
    String(problem['detail']),
    /--workspace must be a UUID[^]*--file has a fault:\n {2}\/timeZone is required/,
  )
})

test('settings of a workspace that does not exist are neither shown nor stored', async () => {
  for (const rest of [['get'], ['set', '--file', await file(SMALLEST)]]) {
    const { code, stderr } = await run('cod-settings', ...rest, '--workspace', UNKNOWN)
    assert.equal(code, 1)
    assert.match(stderr, /No workspace has the id/)
  }
})

/** The bytes of a file, and the error. */
const unreadable: readonly [string, string | Buffer, RegExp][] = [
  ['an empty file', '', /must be JSON, and \S+\.json is not: Unexpected end of JSON input/],
  ['a comma too many', '{"timeZone":"UTC",\n}', /is not: Expected double-quoted property name .*\(line 2 column 1\)/],
  ['no text', Buffer.from([0x7b, 0xff]), /must be text in UTF-8/],
  ['a novel', Buffer.alloc(1_048_577, ' '), /must have at most 1048576 bytes/],
]

for (const [what, bytes, expected] of unreadable) {
  test(`${what} is rejected with its name and the fault`, async () => {
    const { code, stderr } = await set(UNKNOWN, bytes)
    assert.equal(code, 1)
    assert.match(stderr, expected)
  })
}

test('a missing file or a folder is reported by name', async () => {
  for (const [name, expected] of [
    [path.join(folder, 'missing.json'), /--file cannot be read: ENOENT.*missing\.json/],
    [folder, /--file cannot be read: EISDIR/],
  ] as const) {
    assert.match((await run('cod-settings', 'set', '--workspace', UNKNOWN, '--file', name)).stderr, expected)
  }
})

test('a byte order mark before the JSON is accepted', async () => {
  const { code } = await set(await newWorkspace(), '\ufeff{"timeZone":"UTC"}')
  assert.equal(code, 0)
})

test('"-" reads the settings from standard input', async () => {
  const workspace = await newWorkspace()
  const words = [PROGRAM, 'cod-settings', 'set', '--workspace', workspace, '--file', '-', '--json']
  const variables = await environment()
  const setFrom = (input: string) =>
    spawnSync(process.execPath, words, { input, encoding: 'utf8', env: { ...process.env, ...variables } })
  assert.deepEqual(JSON.parse(setFrom(JSON.stringify(SMALLEST)).stdout), STORED)
  assert.match(setFrom('{"timeZone": 5}').stderr, /\/timeZone must be a string/)
})

test('a standard input that cannot be read is reported with the reason', async () => {
  const input = await open(folder)
  const words = [PROGRAM, 'cod-settings', 'set', '--workspace', UNKNOWN, '--file', '-']
  const { stderr } = spawnSync(process.execPath, words, { stdio: [input.fd, 'pipe', 'pipe'], encoding: 'utf8' })
  await input.close()
  assert.match(stderr, /--file cannot be read: EISDIR/)
})

const set = async (workspace: string, content: object | string | Buffer, ...more: string[]) =>
  run('cod-settings', 'set', '--workspace', workspace, '--file', await file(content), ...more)

const get = (workspace: string, ...more: string[]) => run('cod-settings', 'get', '--workspace', workspace, ...more)

let files = 0

/** A file of JSON, of text or of bytes. */
async function file(content: object | string | Buffer): Promise<string> {
  files += 1
  const name = path.join(folder, `${files}.json`)
  await writeFile(name, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content))
  return name
}

async function newWorkspace(): Promise<string> {
  const { stdout } = await run('workspace', 'create', '--name', 'Shop', '--json')
  return (JSON.parse(stdout) as { workspaceId: string }).workspaceId
}

const environment = async () => environmentOf({ databaseUrl: await fileDatabase() })

const run = async (...args: string[]) => runCommand(args, await environment())
