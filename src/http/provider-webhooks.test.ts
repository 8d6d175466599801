import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { until } from '../../test/until.ts'
import { type World, startWorld } from '../../test/world.ts'
import { bodyRoom } from './body-room.ts'
import { providerWebhooks } from './provider-webhooks.ts'
import { buildServer } from './server.ts'

/** What is answered to the headers of a webhook whose body does not come. */
async function answerBeforeBody(
  world: World,
  { path, signature }: { path: string; signature?: string },
): Promise<string> {
  const socket = connect(Number(new URL(world.first.url).port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString()
  })
  const header = signature === undefined ? '' : `X-Hub-Signature-256: ${signature}\r\n`
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${header}Content-Length: 3145727\r\n\r\n{`)
  const answer = await until('an answer', () => /\r\n\r\n./.test(received) && received)
  socket.destroy() // a server that closes waits for bodies
  return answer
}

const refusedBecause = async (world: World): Promise<Record<string, number>> => {
  const { values } = await world.parts.metrics.refusedProviderWebhooks.get()
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.reason), value]))
}

test('a webhook for an account that nobody has is answered before its body is read', async (t) => {
  const world = await startWorld(t)
  for (const id of ['nope', '00000000-0000-4000-8000-000000000000']) {
    const answer = await answerBeforeBody(world, { path: `/whatsapp/${id}`, signature: `sha256=${'0'.repeat(64)}` })
    assert.match(answer, /^HTTP\/1\.1 404 [^]*\r\n\r\nNo WhatsApp account has this path\. /)
  }
  assert.equal((await refusedBecause(world)).account, 2)
})

test('a webhook without anything that can be its signature is answered before its body is read', async (t) => {
  const world = await startWorld(t)
  const path = world.account.webhookPath
  for (const signature of [undefined, '', 'sha256=', `sha256=${'0'.repeat(63)}`, `sha1=${'0'.repeat(64)}`]) {
    const answer = await answerBeforeBody(world, { path, ...(signature !== undefined && { signature }) })
    assert.match(answer, /^HTTP\/1\.1 401 [^]*\r\n\r\nThe signature does not fit the app secret /)
  }
  assert.equal((await refusedBecause(world)).signature, 5)
})

test('a webhook that there is no room for is answered 503 and counted', async (t) => {
  const world = await startWorld(t)
  const room = bodyRoom({ most: 1_000 })
  const server = buildServer(world.parts, [], { room, rawRoutes: (scope) => providerWebhooks(scope, world.parts) })
  t.after(() => server.close())
  const answer = await server.inject({
    method: 'POST',
    url: world.account.webhookPath,
    headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    payload: Buffer.alloc(1_001),
  })
  assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '1'])
  assert.deepEqual(await refusedBecause(world), { room: 1 })
})
