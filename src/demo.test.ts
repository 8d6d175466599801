import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, after, test } from 'node:test'
import { DEMO, startEmulator } from '@doorcode/whatsapp-emulator'
import { TEMPLATE_DATABASE, createDatabase, serverUrl, urlOf, withConnection } from '../test/postgres.ts'
import { freePort, type Program, runProgram } from '../test/program.ts'
import { waitFor } from '../test/wait-for.ts'

test('the printed curl sends a code, and a second start keeps all data', async (t) => {
  const environment = await newEnvironment()
  const first = await start(t, environment)
  assert.match(first.stdout(), /a day of customers/)
  const body = printed(first.stdout(), /-d '([^']*)'/)
  const key = printed(first.stdout(), /Bearer ([^']+)'/)
  await send(first.stdout(), key, body)
  await waitFor('the phone to show the code', () => /the phone \+34600111222 shows: .*493817/.test(first.stdout()))
  await waitFor('a webhook that was verified', () => /webhook message\.sent .*signature valid/.test(first.stdout()))
  for (const name of ['demo.json', 'emulator.db']) {
    assert.equal((await stat(path.join(environment['DOORCODE_DATA_DIR'] ?? '', name))).mode & 0o777, 0o600)
  }
  await createTemplate(first.stdout(), 'parcel_is_here')
  first.child.kill('SIGKILL') // no harm to the next start
  await first.ended

  const second = await start(t, environment)
  assert.equal(printed(second.stdout(), /Bearer ([^']+)'/), key)
  assert.equal(printed(second.stdout(), /-d '([^']*)'/), body)
  const [phone] = await chatsOn(second.stdout(), '+34600111222')
  assert.match(phone?.entries[0]?.body ?? '', /493817/)
  const templates = await withConnection(environment['DATABASE_URL'] ?? '', (connection) =>
    connection.query(`select 1 from templates where name = 'parcel_is_here'`),
  )
  assert.equal(templates.rowCount, 1, 'Doorcode read it from the emulator')
  await send(second.stdout(), key, body)
  await waitFor('a webhook that was verified', () => /webhook message\.sent .*signature valid/.test(second.stdout()))
  second.child.kill('SIGINT')
  assert.deepEqual(await second.ended, [0, null])
  assert.match(second.stdout(), /Stopped\./)
  stopped = Promise.resolve(environment)
})

test('the printed order is answered, and the printed command lets a day pass', async (t) => {
  const environment = await environmentOfLater(t)
  const demo = await start(t, environment)
  assert.doesNotMatch(demo.stdout(), /a day of customers/, 'only the first start simulates a day')
  const key = printed(demo.stdout(), /Bearer ([^']+)'/)
  const body = printed(demo.stdout(), /-d '([^']*"reference":"A-1001"[^']*)'/)
  await post(printed(demo.stdout(), /curl -s (\S+\/cod-confirmations)/), key, body)
  for (const expected of [
    /the phone \+34600110703 shows: Hello Ana, please confirm your order A-1001/,
    /the customer \+34600110703 tapped: Change time/,
    /webhook cod\.reschedule_requested .*signature valid/,
  ]) {
    await waitFor(String(expected), () => expected.test(demo.stdout()))
  }
  const again = runProgram(t, ['start'], environment)
  assert.deepEqual(await again.ended, [1, null])
  const url = `http://127.0.0.1:${environment['DOORCODE_PORT']}`
  assert.ok(
    again.stderr().includes(`already running in ${environment['DOORCODE_DATA_DIR']} (pid ${demo.child.pid}, ${url})`),
  )
  const pinged = runProgram(t, ['endpoint', 'ping', await endpointOf(environment), '--json'], environment)
  assert.deepEqual(await pinged.ended, [0, null], pinged.stderr())
  assert.equal((JSON.parse(pinged.stdout()) as { status: string }).status, 'succeeded', pinged.stdout())
  const silent = body.replace('+34600110703', '+34600110706')
  await post(printed(demo.stdout(), /curl -s (\S+\/cod-confirmations)/), key, silent)
  await waitFor('the question', () => demo.stdout().includes('the phone +34600110706 shows'))
  const command = printed(demo.stdout(), /doorcode -- (sandbox advance .*)/).split(' ')
  const advance = runProgram(t, command, environment)
  assert.deepEqual(await advance.ended, [0, null], advance.stderr())
  assert.match(advance.stdout(), /On the way: \d+ reminders?, \d+ deadlines?, /)
  await waitFor('its webhook', () => /webhook cod\.no_response .*signature valid/.test(demo.stdout()))

  await t.test('no webhook or message can forge a line of the console', async () => {
    const type = 'ping\n12:00:00  webhook forged, signature valid\u001b[2J\u202e'
    await fetch(printed(demo.stdout(), /Webhooks +(\S+)/), { method: 'POST', body: JSON.stringify({ type }) })
    const order = body
      .replace('"Ana"', '"Ana\\u009b\\u202e"')
      .replace('+34600110703', '+34600110799')
      .replace('A-1001', 'A-1002')
    await post(printed(demo.stdout(), /curl -s (\S+\/cod-confirmations)/), key, order)
    for (const line of [
      'webhook ping ⏎ 12:00:00  webhook forged, signature valid\\u001b[2J\\u202e undefined, signature INVALID\n',
      'shows: Hello Ana\\u009b\\u202e, please',
    ]) {
      await waitFor(line, () => demo.stdout().includes(line))
    }
  })
})

test('a demo workspace that is no sandbox works, without clock hint or metrics', async (t) => {
  const environment = await environmentOfLater(t)
  await withConnection(environment['DATABASE_URL'] ?? '', (connection) =>
    connection.query(`update workspaces set sandbox = false where clock_offset_ms = 0`),
  )
  const metricsPort = await freePort()
  await occupy(t, metricsPort)
  const demo = await start(t, { ...environment, DOORCODE_METRICS_PORT: String(metricsPort) })
  assert.match(demo.stdout(), /^Metrics are off: .*:\d+ is in use .*DOORCODE_METRICS_PORT[^]* Metrics +off$/m)
  assert.doesNotMatch(demo.stdout(), /sandbox advance/)
  await send(demo.stdout(), printed(demo.stdout(), /Bearer ([^']+)'/), printed(demo.stdout(), /-d '([^']*)'/))
})

test('Ctrl-C just stops a first start, in initdb and in the simulated day', async (t) => {
  const environment = await newEnvironment()
  const home = path.join(environment['DOORCODE_DATA_DIR'] ?? '', 'postgres')
  const first = runProgram(t, ['start'], { ...environment, DATABASE_URL: '', DOORCODE_SECRET_KEY: '' })
  await waitFor('initdb', async () => (await readdir(home).catch(() => [])).some((name) => name.startsWith('unf')))
  first.child.kill('SIGINT')
  assert.deepEqual([await first.ended, first.stdout(), first.stderr()], [[0, null], '\nStopped.\n', ''])
  const second = runProgram(t, ['start'], environment)
  await waitFor('the day', () => second.stdout().includes('simulating a day'))
  second.child.kill('SIGINT')
  assert.deepEqual([await second.ended, second.stderr()], [[0, null], ''])
  assert.match(second.stdout(), /…\n\nStopped\.\n$/)
})

test('a start on used ports names each of them with its setting', async (t) => {
  const environment = await newEnvironment()
  const settings = ['DOORCODE_PORT', 'DOORCODE_EMULATOR_PORT']
  for (const setting of settings) await occupy(t, Number(environment[setting]))
  const demo = runProgram(t, ['start'], environment)
  assert.deepEqual(await demo.ended, [1, null])
  for (const [index, line] of demo.stderr().trimEnd().split('\n').entries())
    assert.match(line, new RegExp(`^127\\.0\\.0\\.1:\\d+ is in use .* set ${settings[index]} to another port`))
})

test('a start in the data folder of a running emulator fails with the setting', async (t) => {
  const environment = await newEnvironment()
  const other = await startEmulator({ data: environment['DOORCODE_DATA_DIR'] })
  t.after(() => other.close())
  const demo = runProgram(t, ['start'], environment)
  assert.deepEqual(await demo.ended, [1, null])
  assert.match(demo.stderr(), /^Another WhatsApp emulator uses .*\. Stop it, or .* with DOORCODE_DATA_DIR\.\n$/)
})

async function occupy(t: TestContext, port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
}

async function endpointOf({ DOORCODE_DATA_DIR: folder = '' }: Record<string, string>): Promise<string> {
  const saved = JSON.parse(await readFile(path.join(folder, 'demo.json'), 'utf8')) as {
    endpoint: { endpointId: string }
  }
  return saved.endpoint.endpointId
}

type Chat = { entries: { body: string }[] }

const emulatorOf = (stdout: string): string => printed(stdout, /WhatsApp emulator +(\S+)/)

async function chatsOn(stdout: string, phone: string): Promise<Chat[]> {
  const answer = await fetch(`${emulatorOf(stdout)}/control/conversations?phone=${encodeURIComponent(phone)}`)
  return ((await answer.json()) as { conversations: Chat[] }).conversations
}

async function createTemplate(stdout: string, name: string): Promise<void> {
  const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
  const answer = await fetch(`${emulatorOf(stdout)}/v25.0/${DEMO.accountId}/message_templates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DEMO.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, language: 'en', category: 'UTILITY', components }),
  })
  assert.equal(answer.status, 200, await answer.text())
}

const send = (stdout: string, key: string, body: string): Promise<void> =>
  post(printed(stdout, /curl -s (\S+\/otp\/messages)/), key, body)

async function post(url: string, key: string, body: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })
  assert.equal(answer.status, 202, await answer.text())
}

function printed(stdout: string, pattern: RegExp): string {
  const text = pattern.exec(stdout)?.[1]
  assert.ok(text, `${String(pattern)} is not in ${stdout}`)
  return text
}

async function start(t: TestContext, environment: Record<string, string>): Promise<Program> {
  const running = runProgram(t, ['start'], environment)
  await waitFor(
    () => `the demo to be ready: ${running.stderr()}`,
    () => running.stdout().includes('Ctrl-C stops it.'),
  )
  return running
}

const newEnvironment = async (): Promise<Record<string, string>> => environmentOf(await copyDatabase(TEMPLATE_DATABASE))

async function environmentOf(database: string): Promise<Record<string, string>> {
  return {
    DATABASE_URL: urlOf(serverUrl(), database),
    DOORCODE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    DOORCODE_DATA_DIR: await newFolder(),
    DOORCODE_PORT: String(await freePort()),
    DOORCODE_METRICS_PORT: '0',
    DOORCODE_EMULATOR_PORT: String(await freePortBelowAnother()),
  }
}

const folders: string[] = []
// After all tests: the programs write to them until they end.
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-demo-'))
  folders.push(folder)
  return folder
}

let stopped: Promise<Record<string, string>> | undefined

/** The environment of a demo that was stopped, shared because the first start simulates a day. */
async function startAndStop(t: TestContext): Promise<Record<string, string>> {
  const environment = await newEnvironment()
  const demo = await start(t, environment)
  demo.child.kill('SIGINT')
  assert.deepEqual(await demo.ended, [0, null])
  return environment
}

/** For a later start: each test has its own copy of database and folder. */
async function environmentOfLater(t: TestContext): Promise<Record<string, string>> {
  stopped ??= startAndStop(t)
  const { DATABASE_URL = '', DOORCODE_DATA_DIR = '' } = await stopped
  const environment = await environmentOf(await copyDatabase(new URL(DATABASE_URL).pathname.slice(1)))
  await cp(DOORCODE_DATA_DIR, environment['DOORCODE_DATA_DIR'] ?? '', { recursive: true })
  return environment
}

let copies = 0

async function copyDatabase(original: string): Promise<string> {
  copies += 1
  const name = `demo_${process.pid}_${copies}`
  await createDatabase(serverUrl(), name, original)
  return name
}

/** The receiver of webhooks takes the port after the emulator's. */
async function freePortBelowAnother(): Promise<number> {
  for (;;) {
    const port = await freePort()
    if (await freePort(port + 1).catch(() => undefined)) return port
  }
}

test('the first start simulates a day with every kind of code and order', async (t) => {
  const environment = await environmentOfLater(t)
  await withConnection(environment['DATABASE_URL'] ?? '', async (connection) => {
    const { rows } = await connection.query<{ kinds: string[]; first: Date; last: Date }>(
      `select array_agg(distinct kind || ' ' || status) as kinds, min(created_at) as first, max(created_at) as last
       from (select 'code' as kind, status, created_at from messages where kind = 'otp'
             union all select 'order', status, created_at from confirmations
             union all select 'parcel', status, created_at from refusal_checks) simulated`,
    )
    const [day] = rows
    assert.ok(day)
    const codes = ['code read', 'code delivered', 'code sent', 'code failed']
    const orders = ['order confirmed', 'order cancelled', 'order rescheduled', 'order no_response']
    for (const kind of [...codes, ...orders, 'parcel refusal_confirmed', 'parcel denied']) {
      assert.ok(day.kinds.includes(kind), `${kind} is not among ${day.kinds.join(', ')}`)
    }
    assert.ok(day.last.getTime() <= Date.now())
    assert.ok(day.last.getTime() - day.first.getTime() > 20 * 3_600_000)
  })
})
