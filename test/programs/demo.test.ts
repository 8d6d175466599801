import assert from 'node:assert/strict'
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, after, test } from 'node:test'
import { DEMO, startEmulator } from '@doorcode/whatsapp-emulator'
import { runCommand } from '../world/command-line.ts'
import { TEMPLATE_DATABASE, createDatabase, serverUrl, urlOf, withConnection } from '../database/postgres.ts'
import { freePort, type Program, runProgram } from './program.ts'
import { listen } from '../world/listen.ts'
import { waitFor } from '../world/wait-for.ts'

test('a demo works as it prints, and each start keeps all data', async (t) => {
  const environment = await newEnvironment()
  const first = await start(t, environment)
  const key = printed(first.stdout(), /Bearer ([^']+)'/)
  const code = printed(first.stdout(), /-d '([^']*)'/)

  await t.test(
    'the first start makes a month with every kind of code and order before it prints commands to try',
    async () => {
      assert.match(first.stdout(), /A month of customers/)
      assert.doesNotMatch(first.stdout(), /webhook cod/)
      await assertMonth(environment)
    },
  )

  await t.test('doctor reports no late work or stuck lease after the month', async () => {
    const { stdout } = await runCommand(['doctor', '--json'], environment)
    const { findings } = JSON.parse(stdout) as { findings: { check: string; code: string }[] }
    const found = findings.filter(({ check }) => ['work', 'leases'].includes(check)).map(({ code }) => code)
    assert.deepEqual(found, ['ok', 'ok'])
  })

  await t.test('the printed curl sends a code', async () => {
    await send(first.stdout(), key, code)
    await waitFor('the phone to show the code', () => /the phone \+34600111222 shows: .*493817/.test(first.stdout()))
    await waitFor('a webhook that was verified', () => /webhook message\.sent .*signature valid/.test(first.stdout()))
    for (const name of ['demo.json', 'emulator.db']) {
      assert.equal((await stat(path.join(environment['DOORCODE_DATA_DIR'] ?? '', name))).mode & 0o777, 0o600)
    }
  })
  await createTemplate(first.stdout(), 'parcel_is_here')
  first.child.kill('SIGKILL') // no harm to the next start
  await first.ended

  await t.test('startup continues without metrics if their port is in use', async (t) => {
    const metricsPort = await freePort()
    await occupy(t, metricsPort)
    const second = await start(t, { ...environment, DOORCODE_METRICS_PORT: String(metricsPort) })
    assert.doesNotMatch(second.stdout(), /A month of customers/, 'only the first start makes a month')
    assert.match(second.stdout(), /^Metrics are off: .*:\d+ is in use\. .*DOORCODE_METRICS_PORT[^]* Metrics +off$/m)
    assert.equal(printed(second.stdout(), /Bearer ([^']+)'/), key)
    assert.equal(printed(second.stdout(), /-d '([^']*)'/), code)
    const [phone] = await chatsOn(second.stdout(), '+34600111222')
    assert.match(phone?.entries[0]?.body ?? '', /493817/)
    const templates = await query(environment, `select 1 from templates where name = 'parcel_is_here'`)
    assert.equal(templates.length, 1, 'Doorcode read it from the emulator')
    await send(second.stdout(), key, code)
    await waitFor('a webhook that was verified', () => /webhook message\.sent .*signature valid/.test(second.stdout()))
    second.child.kill('SIGINT')
    assert.deepEqual(await second.ended, [0, null])
    assert.match(second.stdout(), /Stopped\./)
  })

  const demo = await start(t, environment)
  const order = printed(demo.stdout(), /-d '([^']*"reference":"A-1001"[^']*)'/)
  const orders = printed(demo.stdout(), /curl -s (\S+\/cod-confirmations)/)

  await t.test('the printed order is answered', async () => {
    await post(orders, key, order)
    for (const expected of [
      /the phone \+34600110703 shows: Hello Ana, please confirm your order A-1001/,
      /the customer \+34600110703 tapped: Change time/,
      /webhook cod\.reschedule_requested .*signature valid/,
    ]) {
      await waitFor(String(expected), () => expected.test(demo.stdout()))
    }
  })

  await t.test('a second demo in the folder names the first', async () => {
    const { code, stderr } = await runCommand(['start'], environment)
    assert.equal(code, 1)
    const url = `http://127.0.0.1:${environment['DOORCODE_PORT']}`
    assert.ok(stderr.includes(`already running in ${environment['DOORCODE_DATA_DIR']} (pid ${demo.child.pid}, ${url})`))
  })

  await t.test('a command may ping the demo’s private endpoint', async () => {
    const pinged = await runCommand(['endpoint', 'ping', await endpointOf(environment), '--json'], environment)
    assert.equal(pinged.code, 0, pinged.stderr)
    assert.equal((JSON.parse(pinged.stdout) as { status: string }).status, 'succeeded', pinged.stdout)
  })

  await t.test('no webhook or message can forge a line of the console', async () => {
    const type = 'ping\n12:00:00  webhook forged, signature valid\u001b[2J\u202e'
    await fetch(printed(demo.stdout(), /Webhooks +(\S+)/), { method: 'POST', body: JSON.stringify({ type }) })
    const forging = order
      .replace('"Ana"', '"Ana\\u009b\\u202e"')
      .replace('+34600110703', '+34600110799')
      .replace('A-1001', 'A-1002')
    await post(orders, key, forging)
    for (const line of [
      'webhook ping ⏎ 12:00:00  webhook forged, signature valid\\u001b[2J\\u202e undefined, signature INVALID\n',
      'shows: Hello Ana\\u009b\\u202e, please',
    ]) {
      await waitFor(line, () => demo.stdout().includes(line))
    }
  })

  await t.test('a phone without WhatsApp shows nothing', async () => {
    await post(orders, key, order.replace('+34600110703', '+34600111026').replace('A-1001', 'A-1026'))
    await waitFor('its webhook', () => /webhook cod\.failed .*signature valid/.test(demo.stdout()))
    assert.match(demo.stdout(), /WhatsApp does not deliver to \+34600111026: Hello Ana, .* A-1026/)
    assert.doesNotMatch(demo.stdout(), /the phone \+34600111026 shows/)
  })

  await t.test('the printed command lets a day pass', async () => {
    await post(orders, key, order.replace('+34600110703', '+34600110706'))
    await waitFor('the question', () => demo.stdout().includes('the phone +34600110706 shows'))
    const command = printed(demo.stdout(), /^  doorcode (sandbox advance .*)/m).split(' ')
    const advance = await runCommand(command, environment)
    assert.equal(advance.code, 0, advance.stderr)
    assert.match(advance.stdout, /On the way: \d+ reminders?, \d+ deadlines?, /)
    await waitFor('its webhook', () => /webhook cod\.no_response .*signature valid/.test(demo.stdout()))
  })
})

/** On an idle machine it takes 20 s, beside other tests several times as long. */
const MAX_MONTH_TAKES_MS = 300_000

async function assertMonth(environment: Record<string, string>): Promise<void> {
  assert.deepEqual(await query(environment, 'select from sandbox_work'), [], 'the commands come after the month')
  const [month] = await query<{ kinds: string[]; first: Date; last: Date; days: number }>(
    environment,
    `select array_agg(distinct kind || ' ' || status) as kinds, min(created_at) as first, max(created_at) as last,
       count(distinct created_at::date)::int as days
     from (select 'code' as kind, status, created_at from messages where kind = 'otp'
           union all select 'verification', status, created_at from otp_verifications
           union all select 'order', status, created_at from confirmations
           union all select 'parcel', status, created_at from refusal_checks) simulated`,
  )
  assert.ok(month)
  const codes = ['code read', 'code delivered', 'code sent', 'code failed', 'verification approved']
  const orders = ['order confirmed', 'order cancelled', 'order rescheduled', 'order no_response', 'order failed']
  for (const kind of [...codes, ...orders, 'parcel refusal_confirmed', 'parcel denied']) {
    assert.ok(month.kinds.includes(kind), `${kind} is not among ${month.kinds.join(', ')}`)
  }
  assert.ok(month.last.getTime() <= Date.now())
  assert.ok(month.days >= 29, `${month.days} days`)
}

test('Ctrl-C just stops a first start, in initdb and while the month is made', async (t) => {
  const environment = await newEnvironment()
  const home = path.join(environment['DOORCODE_DATA_DIR'] ?? '', 'postgres')
  const first = runProgram(t, ['start'], { ...environment, DATABASE_URL: '', DOORCODE_SECRET_KEY: '' })
  await waitFor('initdb', async () => (await readdir(home).catch(() => [])).some((name) => name.startsWith('unf')))
  first.child.kill('SIGINT')
  assert.deepEqual([await first.ended, first.stdout(), first.stderr()], [[0, null], '\nStopped.\n', ''])
  const second = runProgram(t, ['start'], environment)
  await waitFor('the month', () => second.stdout().includes('A month of customers'))
  second.child.kill('SIGINT')
  assert.deepEqual([await second.ended, second.stderr()], [[0, null], ''])
  assert.match(second.stdout(), /…\n\nStopped\.\n$/)
})

test('a demo never starts on a database of a shop, and changes nothing in it', async () => {
  const environment = await newEnvironment()
  await runCommand(['workspace', 'create', '--name', 'Shop'], environment)
  await query(environment, 'delete from migrations where number >= 6')
  const otherKey = Buffer.alloc(32, 9).toString('base64')
  const npm = { npm_lifecycle_event: 'start' }
  const { code, stderr } = await runCommand(['start'], { ...environment, ...npm, DOORCODE_SECRET_KEY: otherKey })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /workspaces that are not sandboxes \("Shop"\)\. To run .* "npm run -s doorcode -- serve"\. .* DOORCODE_DATA_DIR to a new/,
  )
  assert.deepEqual(await query(environment, 'select max(number) from migrations'), [{ max: 5 }])
  assert.deepEqual(await query(environment, 'select name from workspaces'), [{ name: 'Shop' }])
  assert.deepEqual(await query(environment, 'select from nodes'), [], 'no node worked on it')
})

test('a start on used ports names each of them with its setting', async (t) => {
  const environment = await newEnvironment()
  const settings = ['DOORCODE_PORT', 'DOORCODE_EMULATOR_PORT']
  for (const setting of settings) await occupy(t, Number(environment[setting]))
  const { code, stderr } = await runCommand(['start'], environment)
  assert.equal(code, 1)
  const lines = stderr.trimEnd().split('\n')
  assert.equal(lines.length, settings.length)
  for (const [index, line] of lines.entries())
    assert.match(line, new RegExp(`^127\\.0\\.0\\.1:\\d+ is in use\\. .* set ${settings[index]} to another port`))
})

test('a start in the data folder of a running emulator fails with the setting', async (t) => {
  const environment = await newEnvironment()
  const other = await startEmulator({ data: environment['DOORCODE_DATA_DIR'] })
  t.after(() => other.close())
  const { code, stderr } = await runCommand(['start'], environment)
  assert.equal(code, 1)
  assert.match(stderr, /^Another WhatsApp emulator uses .*\. Stop it, or .* with DOORCODE_DATA_DIR\.\n$/)
})

const query = <Row extends object>(environment: Record<string, string>, text: string): Promise<Row[]> =>
  withConnection(environment['DATABASE_URL'] ?? '', async (connection) => (await connection.query<Row>(text)).rows)

const occupy = (t: TestContext, port: number): Promise<string> => listen(t, createServer(), port)

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
    () => `the commands that the demo prints: ${running.stderr()}`,
    () => running.stdout().includes('sandbox advance'),
    MAX_MONTH_TAKES_MS,
  )
  return running
}

let databases = 0

async function newEnvironment(): Promise<Record<string, string>> {
  databases += 1
  const database = `demo_${process.pid}_${databases}`
  await createDatabase(serverUrl(), database, TEMPLATE_DATABASE)
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
// Folders are removed after all tests, because the programs write to them until they end.
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-demo-'))
  folders.push(folder)
  return folder
}

/** The receiver of webhooks takes the port after the emulator's. */
async function freePortBelowAnother(): Promise<number> {
  for (;;) {
    const port = await freePort()
    if (await freePort(port + 1).catch(() => undefined)) return port
  }
}
