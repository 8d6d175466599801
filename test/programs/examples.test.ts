import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, glob, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { NODE_MODULES, packedClient } from './packed.ts'
import { type Program, freePort, run as start } from './program.ts'
import { codAccount } from '../world/cod.ts'
import { postHook, supabaseBody, supabaseHeaders } from '../world/hooks.ts'
import { addEndpoint } from '../world/set-up.ts'
import { waitFor } from '../world/wait-for.ts'
import { type World, newPhone, startWorld } from '../world/world.ts'
import { sign } from '../../src/webhooks/delivery/sign.ts'
import { startInstance } from '../../packages/client/test/instance.ts'

const run = promisify(execFile)

const EXAMPLES = path.resolve(import.meta.dirname, '../../examples')

const client = await packedClient(
  ...['@types/node', 'fastify'].map((name) => path.join(NODE_MODULES, name)),
  path.join(EXAMPLES, 'node_modules/express'),
)
/** The examples in a project that has installed the packed client and the frameworks. */
let prepared: Promise<string> | undefined
const project = (): Promise<string> => (prepared ??= prepare())

async function prepare(): Promise<string> {
  const { project: folder } = await client()
  const filter = (file: string): boolean => !/\/(node_modules|package(-lock)?\.json)$/.test(file)
  await cp(EXAMPLES, folder, { recursive: true, filter })
  await writeFile(path.join(folder, 'serve-next.js'), SERVE_NEXT)
  await writeFile(path.join(folder, 'php/serve-laravel.php'), SERVE_LARAVEL)
  return folder
}

/** Calls the handlers as Next.js does. */
const SERVE_NEXT = `
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
createServer(async (incoming, outgoing) => {
  const { POST } = await import('./next/app' + incoming.url + '/route.ts')
  const body = await buffer(incoming)
  const response = await POST(new Request('http://localhost' + incoming.url, { method: 'POST', headers: incoming.headers, body }))
  outgoing.writeHead(response.status).end(await response.text())
}).listen(process.env.PORT, '127.0.0.1', () => console.log('listening'))
`

/** Debian's packages of Laravel's router. */
const ILLUMINATE = '/usr/share/php/Illuminate'

/** Laravel's own router with its routes, without an application around it. */
const SERVE_LARAVEL = `<?php
foreach (['Http', 'Routing', 'Events', 'Container', 'Support'] as $part)
    if (is_file("${ILLUMINATE}/$part/autoload.php")) require_once "${ILLUMINATE}/$part/autoload.php";
$app = new Illuminate\\Container\\Container();
Illuminate\\Container\\Container::setInstance($app);
Illuminate\\Support\\Facades\\Facade::setFacadeApplication($app);
$nothing = new class implements Illuminate\\Contracts\\Events\\Dispatcher {
    public function listen($events, $listener = null) {}
    public function hasListeners($eventName) { return false; }
    public function subscribe($subscriber) {}
    public function until($event, $payload = []) {}
    public function dispatch($event, $payload = [], $halt = false) {}
    public function push($event, $payload = []) {}
    public function flush($event) {}
    public function forget($event) {}
    public function forgetPushed() {}
};
$router = new Illuminate\\Routing\\Router($nothing, $app);
$app->instance('router', $router);
require __DIR__ . '/laravel.php';
$request = Illuminate\\Http\\Request::capture();
$app->instance(Illuminate\\Http\\Request::class, $request);
$router->dispatch($request)->send();
`

const works = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0
const python = ['python3', '/usr/bin/python3'].find((each) => works(each, '-c', 'import fastapi, uvicorn')) ?? 'python3'
const hasPython = works(python, '-c', 'import sys; sys.exit(sys.version_info < (3, 10))')
const hasFastApi = hasPython && works(python, '-c', 'import fastapi, uvicorn')
const hasPhp = works('php', '-r', 'exit(PHP_VERSION_ID >= 80100 && extension_loaded("curl") ? 0 : 1);')
const hasLaravel = hasPhp && existsSync(`${ILLUMINATE}/Routing/autoload.php`)

type Example = {
  name: string
  words: (port: number) => readonly string[]
  /** Why it cannot run here. */
  skip?: string | false
}

const phpServer = (port: number, file: string): readonly string[] => ['php', '-S', `127.0.0.1:${port}`, file]

/** Each sends a code at /login, and prints each webhook that it has verified at /webhooks. */
const SERVERS: readonly Example[] = [
  { name: 'Express', words: () => [process.execPath, 'express.js'] },
  { name: 'Fastify', words: () => [process.execPath, 'fastify.js'] },
  { name: 'Next.js', words: () => [process.execPath, 'serve-next.js'] },
  {
    name: 'Python with its standard library',
    words: () => [python, 'python/server.py'],
    skip: !hasPython && 'there is no Python 3.10 or later',
  },
  {
    name: 'FastAPI',
    words: () => [python, 'python/fastapi_app.py'],
    skip: !hasFastApi && 'Python has no packages fastapi and uvicorn',
  },
  {
    name: 'plain PHP',
    words: (port) => phpServer(port, 'php/plain.php'),
    skip: !hasPhp && 'there is no PHP 8.1 or later with curl',
  },
  {
    name: 'Laravel',
    words: (port) => phpServer(port, 'php/serve-laravel.php'),
    skip: !hasLaravel && 'there is no PHP with the Debian package php-illuminate-routing',
  },
]

/** The example on a port, with an endpoint of the workspace that leads to it. */
async function serve(
  t: TestContext,
  world: World,
  words: Example['words'],
  more: Readonly<Record<string, string>> = {},
) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { secret } = await addEndpoint(world.parts, { workspaceId: world.workspaceId, url: `${url}/webhooks` })
  const environment = {
    DOORCODE_URL: world.first.url,
    DOORCODE_API_KEY: await world.freshKey(),
    DOORCODE_WEBHOOK_SECRET: secret,
    SENDER_ID: world.senderId,
    PORT: String(port),
    PYTHONDONTWRITEBYTECODE: '1',
    ...more,
  }
  const program = start(t, words(port), environment, await project())
  await printed(program, /listening|Development Server .* started/)
  const post = async (to: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url + to, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, text: await response.text() }
  }
  return { program, post, url, secret }
}

async function printed({ stdout, stderr }: Program, text: string | RegExp): Promise<void> {
  const all = (): string => stdout() + stderr()
  await waitFor(
    () => `the example to print ${String(text)}, but it wrote ${all()}`,
    () => (typeof text === 'string' ? all().includes(text) : text.test(all())),
  )
}

for (const { name, words, skip = false } of SERVERS)
  test(`the example for ${name} sends a code, and acts only on a genuine webhook`, { skip }, async (t) => {
    const world = await startWorld(t)
    const { program, post } = await serve(t, world, words)
    const invalid = await post('/login', { phone: '0612345678' })
    assert.equal(invalid.status, 422, invalid.text)
    assert.match(invalid.text, /"\/to"|"\\\/to"/)
    const sent = await post('/login', { phone: newPhone() })
    assert.equal(sent.status, 202, sent.text + program.stderr())
    const { messageId } = JSON.parse(sent.text) as { messageId: string }
    const forged = await post('/webhooks', { type: 'message.sent', data: { messageId } })
    assert.equal(forged.status, 400)
    await world.whatsapp.reports({ messageId }, ['sent'])
    await printed(program, `message.sent ${messageId}`)
    assert.equal((program.stdout() + program.stderr()).split(messageId).length, 2, 'only the genuine one was printed')
  })

const sendsItself = ({ name }: Example): boolean => ['Python with its standard library', 'plain PHP'].includes(name)

for (const { name, words, skip = false } of SERVERS.filter(sendsItself))
  test(`the example for ${name} sends again what got no response, and survives the page of a proxy`, {
    skip,
  }, async (t) => {
    const world = await startWorld(t)
    const { url, requests } = await startInstance(t, [
      { breaks: true },
      { status: 202, body: { messageId: 'm-1' } },
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
    ])
    const { program, post } = await serve(t, world, words, { DOORCODE_URL: url })
    const sent = await post('/login', { phone: newPhone() })
    assert.deepEqual([sent.status, JSON.parse(sent.text)], [202, { messageId: 'm-1' }], program.stderr())
    const [lost, again] = requests.map(({ headers, body }) => ({ key: headers['idempotency-key'], body }))
    assert.deepEqual(again, lost)
    const unsent = await post('/login', { phone: newPhone() })
    assert.equal(unsent.status, 503, program.stderr())
  })

for (const { name, words, skip = false } of SERVERS.filter(sendsItself))
  test(`the example for ${name} follows no redirect: the key reaches only the host that it is given`, {
    skip,
  }, async (t) => {
    const world = await startWorld(t)
    const other = await startInstance(t, [{ status: 202, body: { messageId: 'm-1' } }])
    const { url } = await startInstance(t, [{ status: 302, headers: { location: other.url } }])
    const { program, post } = await serve(t, world, words, { DOORCODE_URL: url })
    const { status } = await post('/login', { phone: newPhone() })
    assert.deepEqual([status, other.requests], [503, []], program.stderr())
  })

for (const { name, words, skip = false } of SERVERS.filter(sendsItself))
  test(`the example for ${name} acts on no webhook while its secret is not set, and says which variable is missing`, {
    skip,
  }, async (t) => {
    for (const secret of ['', 'whsec_None']) {
      const { program, url } = await serve(t, await startWorld(t), words, { DOORCODE_WEBHOOK_SECRET: secret })
      const body = '{"type":"message.sent","data":{"messageId":"m-1"}}'
      const headers = sign({ id: randomUUID(), at: new Date(), body }, [secret])
      const answer = await fetch(`${url}/webhooks`, { method: 'POST', headers: { ...headers }, body }).catch(() => null)
      assert.ok(answer === null || answer.status === 500, program.stderr())
      await printed(program, 'Set DOORCODE_WEBHOOK_SECRET')
      assert.ok(!(program.stdout() + program.stderr()).includes('m-1'))
    }
  })

for (const { name, words, skip = false } of SERVERS.filter(({ name }) => /Python|FastAPI|PHP|Laravel/.test(name)))
  for (const { does, settings, prints } of [
    {
      does: 'reports a wrong key instead of blaming the number',
      settings: { DOORCODE_API_KEY: 'dck_unknown' },
      prints: 'API_KEY_INVALID',
    },
    { does: 'answers while Doorcode is down', settings: { DOORCODE_URL: 'http://127.0.0.1:9' }, prints: 'NO_RESPONSE' },
  ])
    test(`the example for ${name} ${does}`, { skip }, async (t) => {
      const { program, post } = await serve(t, await startWorld(t), words, settings)
      assert.equal((await post('/login', { phone: newPhone() })).status, 503, program.stderr())
      await printed(program, prints)
    })

test('the example for Supabase sends the code that Supabase signs, once, and acts only on a genuine webhook', async (t) => {
  const world = await startWorld(t)
  const secret = `v1,whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const words = () => [process.execPath, 'supabase.ts']
  const { program, post, url } = await serve(t, world, words, { SEND_SMS_HOOK_SECRET: secret })
  const windowMs = 5 * 60_000
  const midWindow = Math.floor(Date.now() / windowMs) * windowMs + windowMs / 2
  const call = (fields: Parameters<typeof supabaseBody>[0], { signedWith = secret, at = midWindow } = {}) => {
    const body = supabaseBody(fields)
    return postHook(`${url}/send-sms`, body, supabaseHeaders(body, new Date(at), [signedWith]))
  }
  const fields = { phone: newPhone().slice(1), code: '493817', locale: 'ar-MA' }
  const signedWith = `v1,whsec_${Buffer.alloc(32, 8).toString('base64')}`
  assert.equal((await call(fields, { signedWith })).status, 401)
  for (const answer of [await call(fields), await call(fields)])
    assert.deepEqual([answer.status, answer.body], [200, {}], answer.text + program.stderr())
  const messages = await world.query<{ id: string; recipient: string; language: string }>(
    'select id, recipient, template_language as language from messages where workspace_id = $1',
    [world.workspaceId],
  )
  const [{ id: messageId, ...sent } = { id: '' }, ...others] = messages
  assert.deepEqual([sent, others], [{ recipient: `+${fields.phone}`, language: 'ar' }, []])
  assert.equal(await world.codeOn({ messageId }), fields.code)
  const refused = await call({ ...fields, phone: '0612' })
  assert.deepEqual([refused.status, (refused.body as { error: { http_code: number } }).error.http_code], [200, 422])
  assert.equal((await post('/webhooks', { type: 'message.sent', data: { messageId } })).status, 400)
  await world.whatsapp.reports({ messageId }, ['sent'])
  await printed(program, `message.sent ${messageId}`)
  const changedTo = newPhone().slice(1)
  for (const phone of [fields.phone, '']) assert.deepEqual((await call({ ...fields, phone, changedTo })).body, {})
  const messagesTo = (phone: string) =>
    world.query('select id from messages where workspace_id = $1 and recipient = $2', [world.workspaceId, `+${phone}`])
  assert.equal((await messagesTo(changedTo)).length, 1, 'a number that a user adds gets its code')
  assert.match((await call({ ...fields, code: '222222', changedTo: null })).text, /"http_code":422/)
  for (const at of [Date.now() - 4 * 60_000, Date.now() + 4 * 60_000]) await call({ ...fields, code: '111111' }, { at })
  assert.equal((await messagesTo(fields.phone)).length, 3, 'a later code that is equal by chance is sent')
})

/** Each creates an order at /orders, and acts on the webhooks at /webhooks. */
const SHOPS: readonly Example[] = [
  { name: 'Node.js', words: () => [process.execPath, 'orders.ts'] },
  {
    name: 'Python',
    words: () => [python, 'python/orders.py'],
    skip: !hasPython && 'there is no Python 3.10 or later',
  },
  {
    name: 'PHP',
    words: (port) => phpServer(port, 'php/orders.php'),
    skip: !hasPhp && 'there is no PHP 8.1 or later with curl',
  },
]

for (const { name, words, skip = false } of SHOPS)
  test(`the example of a shop for ${name} creates an order once, and acts on what its customer answers`, {
    skip,
  }, async (t) => {
    const world = await startWorld(t, { account: codAccount(), cod: { deliveryDays: { skipWeekdays: [] } } })
    const { program, post } = await serve(t, world, words)
    const create = async (id: string, to: string) => {
      const order = { id, customer: 'Ana', phone: to, total: '349 MAD' }
      const created = await post('/orders', order)
      assert.equal(created.status, 202, created.text + program.stderr())
      assert.equal((await post('/orders', order)).status, 202, 'the same order again')
      await world.settled()
      assert.equal(world.customer({ to }).screen().length, 1, 'the customer was asked once')
      return world.customer({ to })
    }
    const confirming = await create('A-1', newPhone())
    await confirming.taps('Confirm')
    await printed(program, 'cod.confirmed A-1 ready_to_ship')
    await confirming.taps('Cancel', { on: confirming.screen()[0] })
    await printed(program, 'cod.cancelled A-1 cancelled')
    const rescheduling = await create('A-2', newPhone())
    await rescheduling.taps('Change time')
    await rescheduling.taps(1)
    await rescheduling.taps('12:00-18:00')
    await printed(program, /cod\.reschedule_requested A-2 ready_to_ship \d{4}-\d\d-\d\d 12:00-18:00/)
    await rescheduling.taps('Confirm', { on: rescheduling.screen()[0] })
    await printed(program, /cod\.confirmed A-2 ready_to_ship *\n/)
    const unreachable = await create('A-3', newPhone())
    await world.reported(unreachable.last(), { status: 'failed', errors: [131026] })
    await printed(program, 'cod.failed A-3 call_the_customer')
    assert.equal((await post('/webhooks', { type: 'cod.confirmed' })).status, 400)
  })

for (const { name, words, skip = false } of SHOPS)
  test(`the example of a shop for ${name} acts on an answer that comes after an event about the parcel`, {
    skip,
  }, async (t) => {
    const world = await startWorld(t, { account: codAccount(), cod: { deliveryDays: { skipWeekdays: [] } } })
    const { program, post, url, secret } = await serve(t, world, words)
    await post('/orders', { id: 'A-1', customer: 'Ana', phone: newPhone(), total: '349 MAD' })
    // An endpoint that was resumed gets new events first, and the held ones when its operator sends them again.
    for (const [type, occurredAt] of [
      ['cod.refusal_denied', '2026-12-02T09:00:00.000Z'],
      ['cod.confirmed', '2026-12-01T09:00:00.000Z'],
    ]) {
      const body = JSON.stringify({ type, data: { reference: 'A-1', occurredAt, reschedule: null } })
      const headers = sign({ id: randomUUID(), at: new Date(), body }, [secret])
      await fetch(`${url}/webhooks`, { method: 'POST', headers: { ...headers }, body })
    }
    await printed(program, 'cod.confirmed A-1 ready_to_ship')
  })

test('the examples in TypeScript type-check under --strict', async () => {
  const folder = await project()
  const files = await Array.fromAsync(glob(['*.ts', 'next/**/*.ts'], { cwd: folder }))
  assert.ok(files.length > 2)
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
  await run(path.join(NODE_MODULES, '.bin/tsc'), [...flags, ...files], { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => assert.fail(stdout),
  )
})

test('every file of PHP is correct PHP', { skip: !works('php', '--version') && 'there is no PHP' }, async () => {
  for await (const file of glob('php/*.php', { cwd: EXAMPLES })) await run('php', ['-l', path.join(EXAMPLES, file)])
})

test('the README of the examples links to each file', async () => {
  const readme = await readFile(path.join(EXAMPLES, 'README.md'), 'utf8')
  for await (const file of glob('**/*.{js,ts,py,php}', { cwd: EXAMPLES, exclude: ['node_modules'] }))
    assert.ok(readme.includes(`](${file})`), file)
})
