import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { DEMO, demoAccount, startEmulator } from '../src/index.ts'
import { CUSTOMER, otp, startWorld } from './world.ts'

test('the default statuses carry callback data, and the first two pricing', async (t) => {
  const world = await startWorld(t)
  await world.sendOtp({ biz_opaque_callback_data: 'job-1' })
  await world.emulator.idle()
  const [message] = world.emulator.messages()
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'authentication' }
  const common = {
    id: message?.id,
    timestamp: '1795176000',
    recipient_id: '34600111222',
    recipient_user_id: message?.userId,
    biz_opaque_callback_data: 'job-1',
  }
  assert.deepEqual(world.statuses(), [
    { ...common, status: 'sent', pricing },
    { ...common, status: 'delivered', pricing },
    { ...common, status: 'read' },
  ])
})

test('the signature covers the bytes as sent, with Meta’s escapes', async (t) => {
  const world = await startWorld(t)
  await world.emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'é 😀 a/b c@d' })
  const [post] = world.callback.posts
  assert.ok(post !== undefined && post.signed)
  assert.ok(post.raw.includes(String.raw`\u00e9 \ud83d\ude00 a\/b c\u0040d`))
  assert.deepEqual(world.inboundMessages()[0]?.['text'], { body: 'é 😀 a/b c@d' })
  const reserialised = createHmac('sha256', DEMO.appSecret).update(JSON.stringify(post.body)).digest('hex')
  assert.notEqual(`sha256=${reserialised}`, post.signature)
})

test('simultaneous updates share a post, in order', async (t) => {
  const world = await startWorld(t, { batch: { maxUpdates: 1000 } })
  world.emulator.pauseStatuses()
  await Promise.all(Array.from({ length: 20 }, () => world.sendOtp()))
  await world.emulator.idle()
  world.emulator.resumeStatuses()
  await world.emulator.idle()
  assert.equal(world.callback.posts.length, 1)
  assert.equal(world.statuses().length, 60)
  for (const message of world.emulator.messages()) {
    const statuses = world.statuses().filter((status) => status.id === message.id)
    assert.deepEqual(
      statuses.map((status) => status.status),
      ['sent', 'delivered', 'read'],
    )
  }
})

test('a post never exceeds the configured number of updates', async (t) => {
  const world = await startWorld(t, { batch: { maxUpdates: 1 } })
  await world.sendOtp()
  await world.emulator.idle()
  assert.equal(world.callback.posts.length, 3)
})

test('a post is retried unchanged until it is answered 200', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  world.callback.answerFirst(500, 404, 201)
  await world.sendOtp()
  const message = await world.emulator.waitForMessage()
  await world.emulator.report(message, ['sent'])
  await world.emulator.idle()
  assert.equal(world.callback.posts.length, 4)
  assert.equal(new Set(world.callback.posts.map((post) => post.raw + post.signature)).size, 1)
  const post = message.statuses[0]?.post
  assert.deepEqual(
    [post?.state, post?.attempts.map((attempt) => attempt.httpStatus)],
    ['answered', [500, 404, 201, 200]],
  )
})

test('a post is lost after the last retry', async (t) => {
  const world = await startWorld(t, { retryGapsMs: [0, 1], statuses: 'manual' })
  world.callback.answerWith((_request, response) => {
    response.socket?.destroy()
  })
  await world.sendOtp()
  const [post] = await world.emulator.report(await world.emulator.waitForMessage(), ['sent'])
  await world.emulator.idle()
  assert.deepEqual([post?.state, post?.attempts.length], ['lost', 3])
  assert.equal(world.emulator.metrics.webhooks.lost, 1)
})

test('a callback that redirects is not followed', async (t) => {
  const world = await startWorld(t, { retryGapsMs: [], statuses: 'manual' })
  world.callback.answerWith((_request, response) => response.writeHead(302, { location: world.callback.url }).end())
  await world.sendOtp()
  await world.emulator.report(await world.emulator.waitForMessage(), ['sent'])
  assert.equal(world.callback.posts.length, 1)
})

test('webhooks are sent only with a subscription', async (t) => {
  const world = await startWorld(t, { account: { subscribed: false } })
  await world.sendOtp()
  await world.emulator.idle()
  assert.deepEqual(world.callback.posts, [])
  const path = `/v25.0/${DEMO.accountId}/subscribed_apps`
  assert.deepEqual((await world.call('GET', path)).body, { data: [] })
  assert.deepEqual((await world.call('POST', path)).body, { success: true })
  assert.equal((await world.call('GET', path)).at('data', 'length'), 1)
  await world.sendOtp()
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), ['sent', 'delivered', 'read'])
  await world.call('DELETE', path)
  assert.deepEqual((await world.call('GET', path)).body, { data: [] })
})

test('an override callback is verified before it is used', async (t) => {
  const world = await startWorld(t, { account: { callbackUrl: 'http://127.0.0.1:9/dead' } })
  const path = `/v25.0/${DEMO.accountId}/subscribed_apps`
  const override = { override_callback_uri: world.callback.url, verify_token: DEMO.verifyToken }
  const wrong = await world.call('POST', path, { ...override, verify_token: 'wrong' })
  assert.deepEqual([wrong.status, wrong.at('error', 'code')], [400, 100])
  assert.equal((await world.call('POST', path, { override_callback_uri: world.callback.url })).status, 400)
  assert.equal((await world.call('POST', path, override)).status, 200)
  assert.equal((await world.call('GET', path)).at('data', 0, 'override_callback_uri'), world.callback.url)
  await world.sendOtp()
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), ['sent', 'delivered', 'read'])
})

test('a pause holds statuses back until resume', async (t) => {
  const world = await startWorld(t)
  world.emulator.pauseStatuses()
  await world.sendOtp()
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), [])
  world.emulator.resumeStatuses()
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), ['sent', 'delivered', 'read'])
})

test('closing drops plans and lets the program end', async () => {
  const emulator = await startEmulator({ accounts: [demoAccount({ callbackUrl: 'http://127.0.0.1:9/dead' })] })
  emulator.script({ behaviour: { connection: 'hang_after_accepting' } })
  const hanging = fetchOtp(emulator.url)
  await emulator.waitForMessage()
  await emulator.close()
  await assert.rejects(hanging)
  await emulator.idle()
})

async function fetchOtp(url: string): Promise<unknown> {
  const { request } = await import('undici')
  return await request(`${url}/${DEMO.standardNumberId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DEMO.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', to: CUSTOMER, ...otp() }),
  })
}
