import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type Server, createServer as createTcpServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { toProblem } from '../../../src/commands/line/problem.ts'
import { listenCommand, runListen } from '../../../src/commands/listen/listen.ts'
import { readConfig } from '../../../src/lib/config.ts'
import { newId, newWebhookSecret } from '../../../src/lib/ids.ts'
import { revokeKey } from '../../../src/workspaces/keys/keys.ts'
import { runCommand } from '../../world/command-line.ts'
import { freePort } from '../../programs/program.ts'
import { type Receiver, assertSigned, startReceiver } from '../../world/receiver.ts'
import { record } from '../../database/events.ts'
import { listen } from '../../world/listen.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

type Line = Record<string, unknown> & { kind: string }

/** `listen --json` in this process; `stop` is Ctrl-C. */
async function startListening(t: TestContext, world: World, given: { forward: string; [option: string]: unknown }) {
  const { environment = {}, ...values } = given
  const lines: Line[] = []
  const end = new AbortController()
  const call = {
    values: { url: world.first.url, apiKey: await world.freshKey(), fromStart: false, ...values },
    json: true,
    print: (line: string) => void lines.push(JSON.parse(line) as Line),
    program: 'doorcode',
  }
  let error: unknown
  const ended = runListen(readConfig(environment as Record<string, string>), call, end.signal).catch(
    (thrown: unknown) => (error = thrown),
  )
  const stop = async (): Promise<Line | undefined> => {
    end.abort()
    await ended
    return lines.at(-1)
  }
  t.after(stop)
  const line = (kind: string, count = 1): Promise<Line> =>
    waitFor(
      () => `${count} lines of ${kind} in ${JSON.stringify(lines)}`,
      () => {
        if (error !== undefined && kind !== 'stopped') throw error
        return lines.filter((each) => each.kind === kind)[count - 1]
      },
    )
  return { lines, line, stop, ended, error: () => error }
}

async function receiverOf(t: TestContext): Promise<Receiver> {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  return receiver
}

const codeOf = (error: unknown): string => toProblem(error).code
const detailOf = (error: unknown): string => toProblem(error).detail

test('new events reach the local server in order, signed, as an endpoint gets them', async (t) => {
  const world = await startWorld(t)
  const [endpoint, local] = [await world.receiver(), await receiverOf(t)]
  await world.whatsapp.reports(await world.sendOtp(), ['sent']) // before it listens
  await waitFor('it to be readable', async () => {
    const { body } = await world.request('GET', '/api/v1/events')
    return (body.events as unknown[]).length === 1
  })
  const listening = await startListening(t, world, { forward: local.url })
  const { secret } = await listening.line('listening')
  await world.codSettings()
  await world.whatsapp.reports(await world.sendOtp(), ['sent'])
  await world.confirmedOrder()
  await local.waitFor(2)
  assert.deepEqual(local.types(), ['message.sent', 'cod.confirmed'])
  const sent = new Map(endpoint.received.map(({ id, body }) => [id, body]))
  for (const received of local.received) {
    assertSigned(received, String(secret))
    assert.equal(received.body, sent.get(received.id))
    assert.equal(received.headers['content-type'], 'application/json')
  }
  const { httpStatus, type } = await listening.line('forwarded', 2)
  assert.deepEqual([httpStatus, type], [204, 'cod.confirmed'])
})

test('while the local server is down events wait, then arrive in order, without gaps', async (t) => {
  const world = await startWorld(t, { works: false })
  const port = await freePort()
  const listening = await startListening(t, world, { forward: `http://127.0.0.1:${port}/hooks`, fromStart: true })
  await listening.line('listening')
  const ids = await record(world, 3)
  const { reason } = await listening.line('waiting')
  assert.match(String(reason), /cannot be reached\. The connection was refused: /)
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    response.writeHead(204).end()
  })
  await listen(t, server, port)
  await listening.line('forwarded', 3)
  await listening.line('resumed')
  assert.deepEqual(received, ids.toSorted())
})

test('an error answer is shown, and the next event follows', async (t) => {
  const world = await startWorld(t, { works: false })
  const local = await receiverOf(t)
  local.answers({ status: 500 }, { status: 302, headers: { location: '/elsewhere' } })
  await record(world, 3)
  const listening = await startListening(t, world, { forward: local.url, fromStart: true })
  await listening.line('forwarded', 3)
  assert.deepEqual(
    listening.lines.filter(({ kind }) => kind === 'forwarded').map(({ httpStatus }) => httpStatus),
    [500, 302, 204],
  )
})

test('Ctrl-C stops it and prints a command that continues after the last event', async (t) => {
  const world = await startWorld(t, { works: false })
  const local = await receiverOf(t)
  const secret = newWebhookSecret()
  const environment = { DOORCODE_WEBHOOK_SECRET: secret }
  const first = await startListening(t, world, { forward: local.url, environment })
  assert.equal((await first.line('listening')).secret, null)
  const [one] = await record(world, 1)
  await first.line('forwarded')
  const last = await first.stop()
  const command = `doorcode listen --forward ${local.url} --url ${world.first.url} --after ${one} --json`
  assert.deepEqual(last, { kind: 'stopped', after: one, continueCommand: command })
  const [two] = await record(world, 1)
  const second = await startListening(t, world, { forward: local.url, environment, after: one })
  await second.line('forwarded')
  assert.deepEqual(local.ids(), [one, two])
  for (const received of local.received) assertSigned(received, secret)
})

test('an instance that restarts delays events and loses none', async (t) => {
  const world = await startWorld(t, { works: false })
  const port = await freePort()
  const other = await world.node({ works: false, port })
  const local = await receiverOf(t)
  const listening = await startListening(t, world, { forward: local.url, url: other.url })
  await listening.line('listening')
  await other.app.stop()
  const [id] = await record(world, 1)
  await listening.line('waiting')
  await world.node({ works: false, port })
  assert.equal((await listening.line('forwarded')).id, id)
})

test('a position that the instance no longer knows leads to --from-start', async (t) => {
  const world = await startWorld(t, { works: false })
  const local = await receiverOf(t)
  const event = { id: newId(), type: 'message.sent', timestamp: new Date().toISOString(), data: {} }
  const answers = [
    { status: 200, body: { events: [event], hasMore: false, next: event.id } },
    { status: 404, body: { code: 'EVENT_NOT_FOUND', detail: 'gone' } },
  ]
  const http = createServer((_, response) => {
    const { status, body } = answers.shift() ?? {}
    response.writeHead(status ?? 500).end(JSON.stringify(body))
  })
  const listening = await startListening(t, world, { forward: local.url, url: await urlOfServer(t, http) })
  await listening.ended
  assert.match(detailOf(listening.error()), /later ones may be missing\. .* --from-start instead of --after/)
  assert.match(String((await listening.line('stopped'))['continueCommand']), / --from-start --json$/)
})

test('a wrong key, event, address or combination stops it with a clear error', async (t) => {
  const world = await startWorld(t, { works: false })
  const local = await receiverOf(t)
  const failure = async (options: object): Promise<string> => {
    const listening = await startListening(t, world, { forward: local.url, ...options })
    await listening.ended
    assert.deepEqual(listening.lines, [])
    return `${codeOf(listening.error())} ${detailOf(listening.error())}`
  }
  const wrongKey = `dck_${'a'.repeat(12)}_${'b'.repeat(43)}`
  assert.match(await failure({ apiKey: wrongKey }), /^API_KEY_INVALID .* does not accept the API key/)
  assert.match(await failure({ apiKey: 'dck_short' }), /^DEVELOPER_INVALID_INPUT The API key is incomplete/)
  assert.match(await failure({ apiKey: undefined }), /^DEVELOPER_INVALID_INPUT Set DOORCODE_API_KEY or --api-key/)
  assert.match(await failure({ after: newId() }), /^EVENT_NOT_FOUND .* or --from-start/)
  assert.match(await failure({ after: newId(), fromStart: true }), /Use either --after or --from-start/)
  const unused = `http://127.0.0.1:${await freePort()}`
  assert.match(await failure({ url: unused }), /^SERVICE_UNAVAILABLE .* The connection was refused/)
  const tls = world.first.url.replace('http:', 'https:')
  assert.match(await failure({ url: tls }), /^SERVICE_UNAVAILABLE .* cannot be reached\. It does not speak TLS/)
  let answer: { status: number; headers?: Record<string, string>; body?: string } = { status: 200 }
  const http = createServer((_, response) => response.writeHead(answer.status, answer.headers).end(answer.body))
  const wrong = await urlOfServer(t, http)
  for (const { message, ...given } of WRONG_ANSWERS) {
    answer = given
    assert.match(await failure({ url: wrong }), message)
  }
  const other = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'))
  assert.match(await failure({ url: await urlOfServer(t, other) }), /^SERVICE_UNAVAILABLE .*Check --url/)
})

/** `message` says what to do. */
const WRONG_ANSWERS = [
  {
    status: 308,
    headers: { location: 'https://a.example/api/v1/events?wait=0' },
    message: /redirects to https:\/\/a\.example\. Set --url to https:\/\/a\.example$/,
  },
  {
    status: 302,
    headers: { location: '/login' },
    message: /redirects GET \/api\/v1\/events to \/login\. .* exempt \/api from it\./,
  },
  { status: 200, body: '{"events":[{"id":"x"}],"next":null}', message: /something other than events\. Set --url to/ },
  { status: 200, body: '<h1>Welcome</h1>', message: /something other than events\. Set --url to/ },
  { status: 404, body: '<h1>Not here</h1>', message: /responded with 404 .* It is not Doorcode, .* Set --url to/ },
  {
    status: 401,
    body: 'Who are you?',
    message: /responded with 401, but the response is not Doorcode’s: .* let \/api pass/,
  },
  { status: 502, body: '<h1>Bad gateway</h1>', message: /^SERVICE_UNAVAILABLE .* responded with 502\. Check --url/ },
]

const urlOfServer = async (t: TestContext, server: Server): Promise<string> => `http://${await listen(t, server)}`

test('the API’s base address, with or without a final slash, works as --url', () => {
  const { options } = listenCommand
  for (const path of ['', '/', '/api/v1', '/api/v1/', '/api/v1/events'])
    assert.equal(options['url']?.read(`https://a.example${path}`), 'https://a.example')
  for (const path of ['/shop', '/dashboard/', '/?a=1'])
    assert.throws(() => options['url']?.read(`https://a.example${path}`), /without a path/)
})

test('a lasting rate limit is shown', async (t) => {
  const world = await startWorld(t, { works: false })
  const problem = JSON.stringify({ code: 'RATE_LIMITED', detail: 'This key already has 10 requests that wait.' })
  const page = JSON.stringify({ events: [], hasMore: false, next: null })
  let isFirst = true
  const server = createServer((_, response) => {
    response.writeHead(isFirst ? 200 : 429).end(isFirst ? page : problem)
    isFirst = false
  })
  const url = await urlOfServer(t, server)
  const listening = await startListening(t, world, { forward: 'http://127.0.0.1:1/', url })
  assert.match(String((await listening.line('waiting')).reason), /already has 10 requests that wait/)
})

test('"--after latest" forwards only new events', async (t) => {
  const world = await startWorld(t, { works: false })
  const local = await receiverOf(t)
  const [old] = await record(world, 1)
  await waitFor('it to be readable', async () => {
    const { body } = await world.request('GET', '/api/v1/events')
    return (body.events as unknown[]).length === 1
  })
  const listening = await startListening(t, world, { forward: local.url, after: 'latest' })
  assert.equal((await listening.line('listening')).from, 'now')
  const [next] = await record(world, 1)
  assert.equal((await listening.line('forwarded')).id, next)
  assert.notEqual(next, old)
})

test('a key that is revoked meanwhile stops it, and the position is printed', async (t) => {
  const world = await startWorld(t, { works: false })
  const local = await receiverOf(t)
  const apiKey = await world.freshKey()
  const listening = await startListening(t, world, { forward: local.url, fromStart: true, apiKey })
  const [id] = await record(world, 1)
  await listening.line('forwarded')
  await revokeKey(world.parts.db, { ...world, publicId: apiKey.split('_')[1] ?? '' })
  await waitFor(
    'the key to be rejected',
    async () => (await world.request('GET', '/api/v1/events', { key: apiKey })).status === 401,
  )
  await record(world, 1)
  await listening.ended
  assert.equal(codeOf(listening.error()), 'API_KEY_INVALID')
  assert.equal(listening.lines.at(-1)?.after, id)
})

test('all mistakes in the command line are reported together, without the key', async () => {
  const key = 'dck_secretsecret'
  const { code, stderr } = await runCommand(
    ['listen', '--forward', 'localhost:8080', '--url', 'https://a.example/shop', '--after', 'x', '--api-key', key],
    {},
  )
  assert.equal(code, 1)
  for (const fault of ['--forward must be', '--url must be', '--after must be'])
    assert.ok(stderr.includes(fault), stderr)
  assert.ok(!stderr.includes(key))
  const missing = await runCommand(['listen', '--forward', 'http://localhost:8080'], {})
  assert.match(missing.stderr, /Set DOORCODE_API_KEY/)
})
