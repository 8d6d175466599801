import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { fileDatabase } from '../test/database.ts'
import { freePort, type Program, runProgram } from '../test/program.ts'
import { until } from '../test/until.ts'

test('a server says when it is ready, and ends in order on a signal', async (t) => {
  const server = await serve(t)
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  assert.match(await (await fetch(`${server.metricsUrl}/metrics`)).text(), /doorcode_/)
  server.child.kill('SIGTERM')
  assert.deepEqual(await server.ended, [0, null])
  assert.match(server.stdout(), /"signal":"SIGTERM","msg":"shutting down"[\s\S]*"msg":"stopped"/)
  assert.equal(server.stderr(), '')
})

test('a server that nobody owns prints the first owner’s link beside its log, and no longer when there is one', async (t) => {
  const first = await serve(t)
  const line =
    first
      .stdout()
      .split('\n')
      .find((each) => each.includes('/dashboard/welcome#')) ?? ''
  assert.match(line, /^Nobody owns this instance yet\. .*: http:\/\/127\.0\.0\.1:\d+\/dashboard\/welcome#[\w-]{43}$/)
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
  first.child.kill('SIGTERM')
  await first.ended
  const second = await serve(t)
  assert.doesNotMatch(second.stdout(), /welcome#/)
})

test('one Ctrl-C that npm doubles is one signal', async (t) => {
  const server = await serve(t)
  server.child.kill('SIGINT')
  server.child.kill('SIGINT')
  assert.deepEqual(await server.ended, [0, null])
})

test('a server that waits for its database ends on the first signal', async (t) => {
  const server = await run(t, { DATABASE_URL: 'postgres://app:pw@127.0.0.1:1/doorcode' })
  await until('the server to wait', () => server.stdout().includes('waiting for the database'))
  server.child.kill('SIGTERM')
  assert.deepEqual(await server.ended, [1, null])
  assert.equal(server.stderr(), 'the wait for the database was ended by a signal\n')
})

test('a port that is taken is told with the setting that changes it, and without a stack trace', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { port } = other.address() as AddressInfo
  const api = await run(t, { DOORCODE_PORT: String(port) })
  assert.deepEqual(await api.ended, [1, null])
  assert.equal(
    api.stderr(),
    `127.0.0.1:${port} is taken: end what listens there, or set DOORCODE_PORT to another port\n`,
  )
  const metrics = await run(t, { DOORCODE_METRICS_PORT: String(port) })
  assert.deepEqual(await metrics.ended, [1, null])
  assert.match(metrics.stderr(), /set DOORCODE_METRICS_PORT to another port\n$/)
})

test('an address of another machine is told', async (t) => {
  const server = await run(t, { DOORCODE_HOST: '192.0.2.1' })
  assert.deepEqual(await server.ended, [1, null])
  assert.match(server.stderr(), /^192\.0\.2\.1:\d+ is no address of this machine: set DOORCODE_HOST/)
})

test('a node that serves no dashboard does without the library that people sign in with', async (t) => {
  const settings = (roles: string) => ({ DOORCODE_ROLES: roles, NODE_OPTIONS: `--import=${TELLS_OF_SIGN_IN}` })
  assert.equal((await serve(t, settings('api,worker'))).stderr(), '')
  assert.match((await serve(t, settings('dashboard'))).stderr(), /loaded/)
})

/** A module that runs before the program: it tells of each file of the library that is loaded. */
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
  const line = await until(
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
  return runProgram(t, ['serve'], {
    DATABASE_URL: await fileDatabase(),
    DOORCODE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    DOORCODE_PORT: String(await freePort()),
    DOORCODE_METRICS_PORT: String(await freePort()),
    ...environment,
  })
}
