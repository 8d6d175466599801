import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCommand } from '../../world/command-line.ts'
import { fileDatabase, ownDatabase } from '../../database/database.ts'
import { withConnection } from '../../database/postgres.ts'
import { INSTANCE_KEY } from '../../world/node.ts'
import { freePort, type Program, run as runOther, runProgram, runScript } from '../../programs/program.ts'
import { listen } from '../../world/listen.ts'
import { temporaryFolder } from '../../world/temporary-folder.ts'
import { waitFor } from '../../world/wait-for.ts'

test('a server logs its life, and offers setup until an owner exists', async (t) => {
  const first = await serve(t)
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
  assert.match(await (await fetch(`${first.metricsUrl}/metrics`)).text(), /doorcode_/)
  const line =
    first
      .stdout()
      .split('\n')
      .find((each) => each.includes('/dashboard/welcome#')) ?? ''
  assert.match(line, /^This instance has no owner yet\. .*: http:\/\/127\.0\.0\.1:\d+\/dashboard\/welcome#[\w-]{43}$/)
  const answer = await fetch(`${first.url}/dashboard/calls/session.accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: first.url },
    body: JSON.stringify({
      token: line.split('#')[1],
      email: 'first@shop.example',
      name: 'First',
      password: 'correct horse battery',
    }),
  })
  assert.equal(answer.status, 200, await answer.text())
  await assertSlowHash('first@shop.example', 'correct horse battery')
  first.child.kill('SIGTERM')
  assert.deepEqual(await first.ended, [0, null])
  assert.match(first.stdout(), /"signal":"SIGTERM","msg":"shutting down"[\s\S]*"msg":"stopped"/)
  const serving = first
    .stdout()
    .split('\n')
    .find((each) => each.includes('"msg":"serving"'))
  assert.match(serving ?? '', /"release":"0\.1\.0","node":"[0-9a-f-]{36}"/)
  assert.equal(first.stderr(), '')

  const second = await serve(t, { NODE_OPTIONS: `--import=${TELLS_OF_SIGN_IN}` })
  assert.doesNotMatch(second.stdout(), /welcome#/)
  const signedIn = await fetch(`${second.url}/dashboard/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: second.url },
    body: JSON.stringify({ email: 'first@shop.example', password: 'correct horse battery' }),
  })
  assert.equal(signedIn.status, 200, await signedIn.text())
  await t.test('only a node with the dashboard loads the sign-in library', async (t) => {
    assert.match(second.stderr(), /loaded/)
    const settings = { DOORCODE_ROLES: 'api,worker', NODE_OPTIONS: `--import=${TELLS_OF_SIGN_IN}` }
    assert.equal((await serve(t, settings)).stderr(), '')
  })
  await t.test('a Ctrl-C that npm sends twice counts once', async () => {
    second.child.kill('SIGINT')
    second.child.kill('SIGINT')
    assert.deepEqual(await second.ended, [0, null])
  })
})

/** 32 MiB for each guess. Other tests hash cheaply (test/runner/cheap-passwords.ts). */
const HASH_COST = { N: 2 ** 14, r: 16, p: 1, maxmem: 2 ** 27 }

async function assertSlowHash(email: string, password: string): Promise<void> {
  const stored = await withConnection(await fileDatabase(), (connection) =>
    connection.query<{ password: string }>(
      `select a."password" from auth."account" a join auth."user" u on u."id" = a."userId" where u."email" = $1`,
      [email],
    ),
  )
  const [salt = '', key] = stored.rows[0]?.password.split(':') ?? []
  assert.equal(scryptSync(password, salt, 64, HASH_COST).toString('hex'), key)
}

test('a draining server still answers requests, but is not ready', async (t) => {
  const server = await serve(t, { DOORCODE_ROLES: 'api', DOORCODE_DRAIN_SECONDS: '2' })
  server.child.kill('SIGTERM')
  await waitFor('the server to drain', async () => (await fetch(`${server.url}/readyz`)).status === 503)
  assert.equal((await fetch(`${server.url}/api/v1/otp/messages`, { method: 'POST' })).status, 401)
  assert.deepEqual(await server.ended, [0, null])
})

test('a server whose terminal is closed shuts down as after Ctrl-C', async (t) => {
  const server = await serve(t)
  server.child.kill('SIGHUP')
  assert.deepEqual(await server.ended, [0, null])
  assert.match(server.stdout(), /"signal":"SIGHUP","msg":"shutting down"[\s\S]*"msg":"stopped"/)
})

const withFullDisk = { skip: !existsSync('/dev/full') }

test('a server whose output finds no room serves on, and says so when it stops', withFullDisk, async (t) => {
  const { url } = await ownDatabase(t) // without an owner, so that the server prints a link
  const environment: Record<string, string> = { ...(await newEnvironment()), DATABASE_URL: url }
  const command = `exec '${process.execPath}' bin/doorcode.js serve > /dev/full`
  const server = runOther(t, ['/bin/sh', '-c', command], environment)
  await waitFor(
    () => `the server to be ready: ${server.stderr()}`,
    async () => (await fetch(`http://127.0.0.1:${environment['DOORCODE_PORT']}/readyz`).catch(() => undefined))?.ok,
  )
  server.child.kill('SIGTERM')
  assert.deepEqual([await server.ended, server.stderr()], [[1, null], 'The output could not be written (ENOSPC).\n'])
})

test('a signal to “npm run doorcode” reaches the server', async (t) => {
  const server = runScript(t, ['serve'], {
    ...(await newEnvironment()),
    DATABASE_URL: 'postgres://app:pw@127.0.0.1:1/doorcode',
  })
  await waitFor('the server to wait', () => server.stdout().includes('waiting for the database'))
  server.child.kill('SIGTERM')
  assert.deepEqual(await server.ended, [1, null])
})

test('a server waiting for its database stops on the first signal', async (t) => {
  const server = await run(t, { DATABASE_URL: 'postgres://app:pw@127.0.0.1:1/doorcode' })
  await waitFor('the server to wait', () => server.stdout().includes('waiting for the database'))
  server.child.kill('SIGTERM')
  assert.deepEqual(await server.ended, [1, null])
  assert.equal(server.stderr(), 'A signal ended the wait for the database.\n')
})

test('a port in use is reported with its setting and without a stack trace', async (t) => {
  const used = await listen(t, createServer())
  const port = used.split(':')[1] ?? ''
  const api = await runFails({ DOORCODE_PORT: port })
  const sentence = `^${used} is in use\\. Stop the other program or set DOORCODE_PORT to another port, such as \\d+\\.\\n$`
  assert.match(api, new RegExp(sentence))
  const metrics = await runFails({ DOORCODE_METRICS_PORT: port })
  assert.match(metrics, /set DOORCODE_METRICS_PORT to another port, such as \d+\.\n$/)
})

test('a server whose data folder is deleted says so and stops', async (t) => {
  const dataDir = path.join(await temporaryFolder(t), 'data')
  const server = await serve(t, { DATABASE_URL: '', DOORCODE_SECRET_KEY: '', DOORCODE_DATA_DIR: dataDir })
  await rm(dataDir, { recursive: true, maxRetries: 5 }) // the server still creates files in it
  assert.deepEqual(await server.ended, [1, null])
  assert.match(server.stderr(), /^The data folder .* was deleted or moved while Doorcode was running, .*\n$/)
  assert.match(server.stdout(), /"level":60,.*"msg":"The data folder .* was deleted or moved while/)
})

test('an address of another machine is reported', async () => {
  assert.match(
    await runFails({ DOORCODE_HOST: '192.0.2.1' }),
    /^192\.0\.2\.1 is not an address of this machine\. Set DOORCODE_HOST[^\n]*\n$/,
  )
})

/** A module that runs before the program: it reports each file of the library that is loaded. */
const TELLS_OF_SIGN_IN = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (url.includes('/better-auth/')) process.stderr.write('loaded ' + url + '\\n')
      return next(url, context)
    },
  })`)}`

async function serve(
  t: TestContext,
  environment: Record<string, string> = {},
): Promise<Program & { url: string; metricsUrl: string }> {
  const running = await run(t, environment)
  const line = await waitFor(
    () => `the server to be ready: ${running.stderr()}`,
    () =>
      running
        .stdout()
        .split('\n')
        .find((each) => each.includes('"msg":"serving"')),
  )
  return { ...running, ...(JSON.parse(line) as { url: string; metricsUrl: string }) }
}

async function run(t: TestContext, environment: Record<string, string> = {}): Promise<Program> {
  return runProgram(t, ['serve'], { ...(await newEnvironment()), ...environment })
}

/** Returns the error of a server that cannot start. */
async function runFails(environment: Record<string, string>): Promise<string> {
  const { code, stderr } = await runCommand(['serve'], { ...(await newEnvironment()), ...environment })
  assert.equal(code, 1)
  return stderr
}

const newEnvironment = async (): Promise<Record<string, string>> => ({
  DATABASE_URL: await fileDatabase(),
  DOORCODE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  DOORCODE_PORT: String(await freePort()),
  DOORCODE_METRICS_PORT: String(await freePort()),
})

for (const [program, sql, name] of [
  ['Laravel', 'create table migrations (id serial primary key, migration text, batch int)', 'migrations'],
  ['a shop', 'create table messages (id serial primary key, body text)', 'messages'],
  ['a shop with workspaces', 'create table workspaces (id serial primary key, title text)', 'workspaces'],
  ['Supabase', 'create schema auth', 'auth'],
] as const)
  test(`nothing is left in the database of ${program}, and the error says whose it is`, async (t) => {
    const { url } = await ownDatabase(t)
    const ask = (text: string) => withConnection(url, async (connection) => (await connection.query(text)).rows)
    await ask(sql)
    const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace`
    const before = await ask(tables)
    const environment = {
      DATABASE_URL: url,
      DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
      DOORCODE_DATA_DIR: await temporaryFolder(t),
      DOORCODE_PORT: String(await freePort()),
      DOORCODE_METRICS_PORT: '0',
    }
    for (const args of [
      ['serve'],
      ['start'],
      ['workspace', 'create', '--name', 'Shop'],
      ['workspace', 'list'],
      ['doctor'],
    ]) {
      const { code, stdout, stderr } = await runCommand(args, environment)
      assert.equal(code, 1)
      assert.match(stdout + stderr, new RegExp(`used by another program, which has "${name}" in it`), args.join(' '))
    }
    assert.deepEqual(await ask(tables), before)
  })

test('several nodes begin an installation at the same time', async (t) => {
  const { url } = await ownDatabase(t)
  const environment = { DATABASE_URL: url, DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64') }
  const created = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => runCommand(['workspace', 'create', '--name', name], environment)),
  )
  for (const { code, stderr } of created) assert.deepEqual([code, stderr], [0, ''])
})
