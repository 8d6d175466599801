import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SETTINGS, readConfiguration } from '../src/configuration.ts'
import { controlRoutes } from '../src/control/routes.ts'
import { DEMO } from '../src/index.ts'
import { META_LIMITS } from '../src/limits.ts'
import { CUSTOMERS, FAILURES } from '../src/messages/presets.ts'
import { behaviourSchema, scriptSchema } from '../src/messages/script.ts'
import { startWorld } from './world.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
/** Lines without the spaces that align the cells of a table. */
const rows = readme.split('\n').map((line) => (line.startsWith('|') ? line.replace(/ *\| */g, ' | ').trim() : line))

/** The cells of each row of the table whose heading begins with this text. */
function tableOf(heading: string): string[][] {
  const at = rows.findIndex((line) => line.startsWith(`| ${heading}`))
  const end = rows.findIndex((line, position) => position > at && !line.startsWith('|'))
  return rows.slice(at + 2, end).map((line) => line.slice(2, -2).split(' | '))
}

test('the README lists exactly the presets, each with its own number', () => {
  const presets = [...FAILURES, ...CUSTOMERS]
  const listed = [...tableOf('preset | ends in | what happens'), ...tableOf('preset | ends in | asked with three')]
  assert.deepEqual(
    listed.map(([name, ending]) => [name, ending]),
    presets.map(({ name, ending }) => [`\`${name}\``, `\`${ending}\``]),
  )
  for (const key of ['name', 'ending'] as const)
    assert.equal(new Set(presets.map((preset) => preset[key])).size, presets.length)
})

test('the emulator accepts the README’s scripts', () => {
  const bodies = Array.from(readme.matchAll(/\/control\/scripts -d '([^']+)'/g), (match) => match[1] ?? '')
  assert.ok(bodies.length >= 5)
  for (const body of bodies) scriptSchema.parse(JSON.parse(body))
})

test('the README lists every setting with its default', () => {
  const expected = Object.values(SETTINGS).map((row) => [
    `\`--${row.flag}\``,
    `\`${row.environment}\``,
    row.standard === '' ? '' : `\`${row.standard}\``,
    row.what,
  ])
  assert.deepEqual(tableOf('flag'), expected)
})

test('the README has a command for every control route', () => {
  const routes = tableOf('call | what | try')
  assert.deepEqual(
    routes.map(([call, what]) => [call, what]),
    controlRoutes.map(({ method, path, what }) => [`\`${method} ${path}\``, what]),
  )
  assert.ok(routes.every(([, , command]) => command?.startsWith('`curl -s')))
})

test('the README lists every behaviour', () => {
  const named = tableOf('behaviour').flatMap(([names = '']) =>
    Array.from(names.matchAll(/`(\w+)`/g), (match) => match[1]),
  )
  assert.deepEqual(new Set(named), new Set(Object.keys(behaviourSchema.shape)))
})

test('the README lists Meta’s limits with their values', () => {
  assert.deepEqual(
    tableOf('limit'),
    Object.entries(META_LIMITS).map(([name, value]) => [`\`${name}\``, String(value)]),
  )
})

test('the README shows the fields of a clock move’s answer', async (t) => {
  const { call } = await startWorld(t)
  const [, body = '', shown = ''] = /\/control\/clock -d '([^']+)'\n```\n```json\n([^`]+)```/.exec(readme) ?? []
  const answer = await call('POST', '/control/clock', body)
  const fieldsOf = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fieldsOf(inner)]))
      : 'a value'
  assert.deepEqual(fieldsOf(answer.body), fieldsOf(JSON.parse(shown)))
})

test('the README has the ids of the demo account', () => {
  for (const value of Object.values(DEMO)) assert.ok(readme.includes(value), value)
})

test('all invalid settings are reported together', () => {
  assert.throws(() => readConfiguration(['--port', 'x', '--speed=-1'], { WHATSAPP_EMULATOR_CALLBACK_URL: 'nowhere' }), {
    message: 'port: x is not 0 to 65535\nspeed: -1 is not 0 to 1000\ncallback-url: nowhere is not an http or https URL',
  })
  assert.throws(() => readConfiguration(['--colour', 'red'], {}), /--colour'[^]*^ +--callback-url +Where webhooks go/m)
  assert.throws(() => readConfiguration(['--help'], {}), /Flags:\n +--port +Port on/)
})

test('a flag wins over the environment, and the environment over the default', () => {
  const read = readConfiguration(['--port', '1'], { WHATSAPP_EMULATOR_PORT: '2', WHATSAPP_EMULATOR_SPEED: '3' })
  assert.deepEqual([read.portNumber, read.speedFactor, read.accessToken], [1, 3, DEMO.accessToken])
})

test('an empty variable is one that is not set', () => {
  const empty = Object.fromEntries(Object.values(SETTINGS).map(({ environment }) => [environment, '']))
  assert.deepEqual(readConfiguration([], empty), readConfiguration([], {}))
})

test('a port in use is reported with its flag', async (t) => {
  const { port } = new URL((await startWorld(t)).emulator.url)
  const program = new URL('../../../bin/emulator.js', import.meta.url)
  const { status, stderr } = spawnSync(process.execPath, [fileURLToPath(program), '--port', port], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [1, `Port ${port} is in use. Stop the other program or set --port to another.\n`])
})

test('npm run emulator takes the port at which Doorcode looks for it, unless it has one of its own', async (t) => {
  const { port } = new URL((await startWorld(t)).emulator.url)
  const program = fileURLToPath(new URL('../../../bin/emulator.js', import.meta.url))
  const start = (environment: NodeJS.ProcessEnv): string =>
    spawnSync(process.execPath, [program], {
      encoding: 'utf8',
      timeout: 10_000,
      env: { ...process.env, ...environment },
    }).stderr
  const inUse = `Port ${port} is in use. Stop the other program or set --port to another.\n`
  assert.equal(start({ DOORCODE_EMULATOR_PORT: port }), inUse)
  assert.equal(start({ DOORCODE_EMULATOR_PORT: '1', WHATSAPP_EMULATOR_PORT: port }), inUse)
})
