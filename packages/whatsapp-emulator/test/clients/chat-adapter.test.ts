import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type WhatsAppRawMessage, WhatsAppApiError, createWhatsAppAdapter } from '@chat-adapter/whatsapp'
import { DEMO } from '../../src/index.ts'
import { type Post, CUSTOMER, startWorld } from '../world.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet }

async function start(t: TestContext) {
  const world = await startWorld(t)
  const adapterOf = (accessToken: string) =>
    createWhatsAppAdapter({
      accessToken,
      apiUrl: world.emulator.url,
      appSecret: DEMO.appSecret,
      phoneNumberId: DEMO.standardNumberId,
      verifyToken: DEMO.verifyToken,
      logger: quiet,
    })
  const adapter = adapterOf(DEMO.accessToken)
  return { ...world, adapterOf, adapter, thread: await adapter.openDM(CUSTOMER) }
}

test('the chat adapter sends a code, and the phone shows it', async (t) => {
  const { adapter, thread, emulator } = await start(t)
  const sent = await adapter.sendTemplate(thread, {
    name: 'login_code',
    language: 'en_US',
    components: [
      { type: 'body', parameters: [{ type: 'text', text: '493817' }] },
      { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: '493817' }] },
    ],
  })
  const message = await emulator.waitForMessage({ to: CUSTOMER })
  assert.deepEqual([sent.id, message.code], [message.id, '493817'])
})

test('the chat adapter sends texts, replies and cards within a service window', async (t) => {
  const { adapter, thread, emulator } = await start(t)
  const written = await emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
  await adapter.markAsRead(written.id)
  await adapter.postMessage(thread, 'One moment')
  await adapter.reply(thread, written.id, 'Here it is')
  await adapter.postMessage(thread, {
    type: 'card',
    children: [
      { type: 'text', content: 'Keep the slot?' },
      { type: 'actions', children: [{ type: 'button', id: 'keep', label: 'Keep' }] },
    ],
  })
  const [text, reply, card] = emulator.messages({ to: CUSTOMER })
  assert.deepEqual([text?.text, reply?.text, reply?.quotes], ['One moment', 'Here it is', written.id])
  assert.equal(card?.shown.buttons[0]?.text, 'Keep')
  assert.equal(emulator.inboundMessages()[0]?.readByBusiness, true)
})

test('the chat adapter takes webhooks that are signed, and no others', async (t) => {
  const { adapter, emulator, callback } = await start(t)
  await emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Olé' })
  const [post] = callback.posts
  assert.ok(post)
  const handle = async (signature: string): Promise<number> => {
    const headers = { 'x-hub-signature-256': signature }
    return (
      await adapter.handleWebhook(new Request('http://shop.example', { method: 'POST', body: post.raw, headers }))
    ).status
  }
  assert.equal(await handle(post.signature), 200)
  assert.equal(await handle(`sha256=${'0'.repeat(64)}`), 401)
  const message = adapter.parseMessage(rawOf(post))
  assert.deepEqual([message.text, message.author.userId], ['Olé', CUSTOMER.slice(1)])
})

test('the chat adapter answers the handshake', async (t) => {
  const { adapter } = await start(t)
  const handshake = (token: string) =>
    adapter.handleWebhook(
      new Request(`http://shop.example/?hub.mode=subscribe&hub.challenge=42&hub.verify_token=${token}`),
    )
  assert.equal(await (await handshake(DEMO.verifyToken)).text(), '42')
  assert.equal((await handshake('another')).status, 403)
})

test('the chat adapter uploads a file, and its media message is rejected', async (t) => {
  const { adapter, thread } = await start(t)
  const files = [{ filename: 'parcel.png', data: Buffer.from('89504e470d0a1a0a', 'hex'), mimeType: 'image/png' }]
  await assert.rejects(adapter.postMessage(thread, { raw: '', files }), (fault) => {
    assert.ok(fault instanceof WhatsAppApiError)
    // The upload's own rejection would begin with "WhatsApp API upload error".
    assert.match(fault.message, /^WhatsApp API error: 400/)
    return fault.errorCode === 131051
  })
})

test('the chat adapter takes each rejection for an error of Graph', async (t) => {
  const { adapter, adapterOf, thread } = await start(t)
  const codeOf = async (rejected: Promise<unknown>): Promise<unknown> => {
    const fault = await rejected.then(
      () => assert.fail('was taken'),
      (reason: unknown) => reason,
    )
    assert.ok(fault instanceof WhatsAppApiError)
    return fault.errorCode
  }
  assert.equal(await codeOf(adapter.addReaction(thread, 'wamid.x', '👍')), 131051)
  assert.equal(await codeOf(adapter.sendTemplate(thread, { name: 'login_code', language: 'de' })), 132001)
  assert.equal(await codeOf(adapterOf('garbage').postMessage(thread, 'Hello')), 190)
})

function rawOf({ body }: Post): WhatsAppRawMessage {
  const value = body.entry[0]?.changes[0]?.value as { messages: [WhatsAppRawMessage['message']] }
  return { message: value.messages[0], phoneNumberId: DEMO.standardNumberId }
}
