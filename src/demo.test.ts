import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, after, test } from 'node:test'
import { DEMO, startEmulator } from '../emulator/emulator.ts'
import { TEMPLATE_DATABASE, createDatabase, serverUrl, urlOf, withConnection } from '../test/postgres.ts'
import { freePort, type Program, runProgram } from '../test/program.ts'
import { until } from '../test/until.ts'

test('the printed curl sends a code to the phone and a verified webhook back, and a second start finds all of it again', async (t) => {
  const environment = await newEnvironment()
  const first = await start(t, environment)
  const body = printed(first.stdout(), /-d '(.*)'/)
  const key = printed(first.stdout(), /Bearer ([^']+)'/)
  await send(first.stdout(), key, body)
  await until('the phone to show the code', () => /the phone \+34600111222 shows: .*493817/.test(first.stdout()))
  await until('a webhook that was verified', () => /webhook message\.sent .*signature is right/.test(first.stdout()))
  for (const name of ['demo.json', 'twin.json']) {
    assert.equal((await stat(path.join(environment['DOORCODE_DATA_DIR'] ?? '', name))).mode & 0o777, 0o600)
  }
  await createTemplate(first.stdout(), 'parcel_is_here')
  await until('the twin to have written it', async () => {
    const written = await readFile(path.join(environment['DOORCODE_DATA_DIR'] ?? '', 'twin.json'), 'utf8')
    return written.includes('493817') && written.includes('parcel_is_here')
  })
  first.child.kill('SIGKILL') // no harm to the next start
  await first.ended

  const second = await start(t, environment)
  assert.equal(printed(second.stdout(), /Bearer ([^']+)'/), key)
  assert.equal(printed(second.stdout(), /-d '(.*)'/), body)
  const [phone] = await chatsOn(second.stdout(), '+34600111222')
  assert.match(phone?.entries[0]?.body ?? '', /493817/)
  const templates = await withConnection(environment['DATABASE_URL'] ?? '', (connection) =>
    connection.query(`select 1 from templates where name = 'parcel_is_here'`),
  )
  assert.equal(templates.rowCount, 1, 'Doorcode has found it at the twin')
  await send(second.stdout(), key, body)
  await until('a webhook that was verified', () => /webhook message\.sent .*signature is right/.test(second.stdout()))
  second.child.kill('SIGINT')
  assert.deepEqual(await second.ended, [0, null])
  assert.match(second.stdout(), /Stopped\./)
})

test('the printed order is answered by its customer, and the printed command lets a day pass for another one', async (t) => {
  const environment = await environmentOfLater(t)
  const demo = await start(t, environment)
  const key = printed(demo.stdout(), /Bearer ([^']+)'/)
  const body = printed(demo.stdout(), /-d '(.*"reference":"A-1001"}*)'/)
  await post(printed(demo.stdout(), /curl -s (\S+\/cod-confirmations)/), key, body)
  for (const what of [
    /the phone \+34600110703 shows: Hello Ana, please confirm your order A-1001/,
    /the customer \+34600110703 tapped: Change time/,
    /webhook cod\.reschedule_requested .*signature is right/,
  ]) {
    await until(String(what), () => what.test(demo.stdout()), PATIENCE_MS)
  }
  const pinged = runProgram(t, ['endpoint', 'ping', await endpointOf(environment), '--json'], environment)
  assert.deepEqual(await pinged.ended, [0, null], pinged.stderr())
  assert.equal((JSON.parse(pinged.stdout()) as { status: string }).status, 'succeeded', pinged.stdout())
  const silent = body.replace('+34600110703', '+34600110706')
  await post(printed(demo.stdout(), /curl -s (\S+\/cod-confirmations)/), key, silent)
  await until('the question', () => demo.stdout().includes('the phone +34600110706 shows'))
  const command = printed(demo.stdout(), /doorcode -- (sandbox advance .*)/).split(' ')
  const advance = runProgram(t, command, environment)
  assert.deepEqual(await advance.ended, [0, null], advance.stderr())
  assert.match(advance.stdout(), /On the way: \d+ reminders?, \d+ deadlines?, /)
  await until('its webhook', () => /webhook cod\.no_response .*signature is right/.test(demo.stdout()))
})

test('a demo workspace of before stays usable, and nothing is said of moving its clock', async (t) => {
  const environment = await environmentOfLater(t)
  await withConnection(environment['DATABASE_URL'] ?? '', (connection) =>
    connection.query(`update workspaces set sandbox = false where clock_offset_ms = 0`),
  )
  const demo = await start(t, environment)
  assert.doesNotMatch(demo.stdout(), /sandbox advance/)
  await send(demo.stdout(), printed(demo.stdout(), /Bearer ([^']+)'/), printed(demo.stdout(), /-d '(.*)'/))
})

/** The first start lives through a day. */
const FIRST_START_MS = 45_000
/** The customer takes 3 s for each of three answers. */
const PATIENCE_MS = 25_000

test('a port of the twin that is taken is told with its setting', async (t) => {
  const environment = await newEnvironment()
  const other = createServer().listen(Number(environment['DOORCODE_TWIN_PORT']), '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const demo = runProgram(t, ['start'], environment)
  assert.deepEqual(await demo.ended, [1, null])
  assert.match(demo.stderr(), /^127\.0\.0\.1:\d+ is taken: .* DOORCODE_TWIN_PORT to another port\n$/)
})

test('a data folder whose twin runs already is told with its setting, before anything is begun there', async (t) => {
  const environment = await newEnvironment()
  const other = await startEmulator({ data: environment['DOORCODE_DATA_DIR'] })
  t.after(() => other.close())
  const demo = runProgram(t, ['start'], environment)
  assert.deepEqual(await demo.ended, [1, null])
  assert.match(demo.stderr(), /^another twin that runs keeps .*: end it, or .* with DOORCODE_DATA_DIR\n$/)
})

async function endpointOf({ DOORCODE_DATA_DIR: folder = '' }: Record<string, string>): Promise<string> {
  const kept = JSON.parse(await readFile(path.join(folder, 'demo.json'), 'utf8')) as {
    endpoint: { endpointId: string }
  }
  return kept.endpoint.endpointId
}

type Chat = { entries: { body: string }[] }

const twinOf = (stdout: string): string => printed(stdout, /WhatsApp twin +(\S+)/)

async function chatsOn(stdout: string, phone: string): Promise<Chat[]> {
  const answer = await fetch(`${twinOf(stdout)}/control/conversations?phone=${encodeURIComponent(phone)}`)
  return ((await answer.json()) as { conversations: Chat[] }).conversations
}

async function createTemplate(stdout: string, name: string): Promise<void> {
  const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
  const answer = await fetch(`${twinOf(stdout)}/v25.0/${DEMO.accountId}/message_templates`, {
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

function printed(stdout: string, what: RegExp): string {
  const found = what.exec(stdout)?.[1]
  assert.ok(found, `${String(what)} is not in ${stdout}`)
  return found
}

async function start(t: TestContext, environment: Record<string, string>): Promise<Program> {
  const running = runProgram(t, ['start'], environment)
  await until(
    () => `the demo to be ready: ${running.stderr()}`,
    () => running.stdout().includes('Ctrl-C stops it.'),
    FIRST_START_MS,
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
    DOORCODE_TWIN_PORT: String(await freePortBelowAnother()),
  }
}

const folders: string[] = []
// Not with their tests: what runs on them ends last, and writes until then.
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-demo-'))
  folders.push(folder)
  return folder
}

type FirstStart = { database: string; folder: string }

let firstStart: Promise<FirstStart> | undefined

/** What a first start that was ended in order has left; there is one of them, since it lives through a day. */
async function runFirstStart(t: TestContext): Promise<FirstStart> {
  const database = await copyDatabase(TEMPLATE_DATABASE)
  const environment = await environmentOf(database)
  const demo = await start(t, environment)
  assert.match(demo.stdout(), /a day of customers/)
  demo.child.kill('SIGINT')
  assert.deepEqual(await demo.ended, [0, null])
  return { database, folder: environment['DOORCODE_DATA_DIR'] ?? '' }
}

/** For a start that is not the first: database and folder are copies, so that each test has its own. */
async function environmentOfLater(t: TestContext): Promise<Record<string, string>> {
  firstStart ??= runFirstStart(t)
  const { database, folder } = await firstStart
  const environment = await environmentOf(await copyDatabase(database))
  await cp(folder, environment['DOORCODE_DATA_DIR'] ?? '', { recursive: true })
  return environment
}

let copies = 0

async function copyDatabase(original: string): Promise<string> {
  copies += 1
  const name = `demo_${process.pid}_${copies}`
  await createDatabase(serverUrl(), name, original)
  return name
}

/** The receiver of webhooks takes the port after the twin's. */
async function freePortBelowAnother(): Promise<number> {
  for (;;) {
    const port = await freePort()
    if (await freePort(port + 1).catch(() => undefined)) return port
  }
}

test('a first start has lived through a day: codes and orders of all kinds, none of them later than now', async (t) => {
  const environment = await environmentOfLater(t)
  await withConnection(environment['DATABASE_URL'] ?? '', async (connection) => {
    const { rows } = await connection.query<{ kinds: string[]; first: Date; last: Date }>(
      `select array_agg(distinct kind || ' ' || status) as kinds, min(created_at) as first, max(created_at) as last
       from (select 'code' as kind, status, created_at from messages where kind = 'otp'
             union all select 'order', status, created_at from confirmations
             union all select 'parcel', status, created_at from refusal_checks) lived`,
    )
    const [lived] = rows
    assert.ok(lived)
    const codes = ['code read', 'code delivered', 'code sent', 'code failed']
    const orders = ['order confirmed', 'order cancelled', 'order rescheduled', 'order no_response']
    for (const kind of [...codes, ...orders, 'parcel refusal_confirmed', 'parcel denied']) {
      assert.ok(lived.kinds.includes(kind), `${kind} is not among ${lived.kinds.join(', ')}`)
    }
    assert.ok(lived.last.getTime() <= Date.now())
    assert.ok(lived.last.getTime() - lived.first.getTime() > 20 * 3_600_000)
  })
  const second = await start(t, environment)
  assert.doesNotMatch(second.stdout(), /a day of customers/)
})
