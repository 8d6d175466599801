import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'
import { signIn } from '../../world/dashboard.ts'
import { type World, startWorld } from '../../world/world.ts'

type AskOptions = { url?: string; headers?: Record<string, string> }

/** fetch does not allow a Host header. */
function ask(world: World, path: string, host: string, { url = world.first.url, headers = {} }: AskOptions = {}) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const clientRequest = request(`${url}${path}`, { headers: { ...headers, host }, setHost: false }, (answer) => {
      text(answer).then(
        (body) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: body }),
        reject,
      )
    })
    clientRequest.on('error', reject).end()
  })
}

const PATHS = ['/dashboard/', '/dashboard/assets/x.js', '/dashboard/calls/session.current', '/dashboard/auth/ok']

test('the dashboard rejects an unknown host and names DOORCODE_PUBLIC_URL', async (t) => {
  const world = await startWorld(t)
  const { cookie } = await signIn(world, 'owner')
  const unknown = [
    'evil.example',
    'evil.example:3000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'x@localhost',
    '',
  ]
  for (const host of unknown) {
    for (const path of [
      ...PATHS,
      `/dashboard/live/${world.workspaceId}`,
      `/dashboard/emulator/${world.workspaceId}/live`,
    ]) {
      const answer = await ask(world, path, host, { headers: { cookie } })
      assert.equal(answer.status, 403, `${host} ${path}`)
      assert.ok(answer.text.startsWith(`This dashboard does not accept the host “${host}”.`), answer.text)
      assert.match(answer.text, /set DOORCODE_PUBLIC_URL to it/)
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    }
  }
})

test('only the dashboard asks for its own host', async (t) => {
  const world = await startWorld(t)
  for (const path of ['/healthz', '/readyz', '/', '/docs', '/openapi.json']) {
    assert.equal((await ask(world, path, 'any.example')).status, 200, path)
  }
  assert.equal((await ask(world, '/api/v1/otp/messages/x', 'any.example')).status, 401)
  assert.equal((await ask(world, world.account.webhookPath, 'any.example')).status, 400)
})

test('the dashboard answers on IP addresses, localhost, its public and listening names', async (t) => {
  const world = await startWorld(t)
  const settings = { DOORCODE_PUBLIC_URL: 'https://doorcode.example', DOORCODE_HOST: 'Box.internal' }
  const { url } = await world.node({ settings })
  const known = ['127.0.0.1:9', '[::1]:3000', '[::1]', '192.168.1.20', 'localhost:8080', 'app.localhost', 'LOCALHOST']
  for (const host of [...known, 'doorcode.example', 'Doorcode.Example:443', 'doorcode.example.', 'box.internal:3000']) {
    assert.equal((await ask(world, '/dashboard/calls/session.current', host, { url })).status, 200, host)
  }
})

test('a trusted proxy vouches for a host that it does not pass on', async (t) => {
  const world = await startWorld(t)
  const { url } = await world.node({
    settings: { DOORCODE_PUBLIC_URL: 'https://doorcode.example', DOORCODE_TRUSTED_PROXIES: '127.0.0.1' },
  })
  const path = '/dashboard/calls/session.current'
  const through = async (forwarded: Record<string, string>, to = url) =>
    (await ask(world, path, 'upstream:3000', { url: to, headers: { 'x-forwarded-for': '198.51.100.7', ...forwarded } }))
      .status
  assert.equal(await through({}), 200)
  assert.equal(await through({ 'x-forwarded-host': 'doorcode.example' }), 200)
  assert.equal(await through({ 'x-forwarded-host': 'evil.example' }), 403)
  assert.equal(
    await through({ 'x-forwarded-host': 'doorcode.example' }, world.first.url),
    403,
    'no proxy is trusted here',
  )
  assert.equal((await ask(world, path, 'evil.example', { url })).status, 403, 'not through the proxy')
})

test('the dashboard’s answers forbid guessing their type and, at an https address, http', async (t) => {
  const world = await startWorld(t)
  const { url } = await world.node({ settings: { DOORCODE_PUBLIC_URL: 'https://doorcode.example' } })
  for (const path of [...PATHS, `/dashboard/live/${world.workspaceId}`]) {
    const answer = await ask(world, path, 'doorcode.example', { url })
    assert.equal(answer.headers['x-content-type-options'], 'nosniff', path)
    assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000', path)
    const plain = await ask(world, path, 'localhost')
    assert.equal(plain.headers['strict-transport-security'], undefined, path)
  }
})
