import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client, MessageType } from '@great-detail/whatsapp'
import { DEMO } from '../../src/index.ts'
import { CUSTOMER, listen, startWorld } from '../world.ts'

const PDF = Buffer.from('%PDF-1.7 a bill')
const from = { phoneNumberID: DEMO.standardNumberId, to: CUSTOMER }

async function start(t: TestContext) {
  const world = await startWorld(t)
  return { ...world, client: clientOf(world.emulator.url), garbage: clientOf(world.emulator.url, 'garbage') }
}

function clientOf(baseUrl: string, token: string = DEMO.accessToken) {
  return new Client({ baseUrl, request: { headers: { Authorization: `Bearer ${token}` }, retry: 0 } })
}

test('Great Detail’s client sends a code, and the phone shows it', async (t) => {
  const { client, emulator } = await start(t)
  const answer = await client.message
    .createMessage({
      ...from,
      type: MessageType.Template,
      template: {
        name: 'login_code',
        language: { code: 'en_US' },
        components: [
          { type: 'body', parameters: [{ type: 'text', text: '493817' }] },
          { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '493817' }] },
        ],
      },
    })
    .json()
  const message = await emulator.waitForMessage({ to: CUSTOMER })
  assert.deepEqual([answer.messages[0]?.id, message.code], [message.id, '493817'])
})

test('Great Detail’s client sends texts and buttons within a service window', async (t) => {
  const { client, emulator } = await start(t)
  const written = await emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
  await client.message.createStatus({ phoneNumberID: from.phoneNumberID, status: 'read', message_id: written.id })
  await client.message.createMessage({ ...from, type: MessageType.Text, text: { body: 'One moment' } })
  await client.message.createMessage({
    ...from,
    type: MessageType.Interactive,
    interactive: {
      type: 'button',
      body: { text: 'Keep the slot?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'keep', title: 'Keep' } }] },
    },
  })
  const [text, buttons] = emulator.messages({ to: CUSTOMER })
  assert.deepEqual([text?.text, buttons?.shown.buttons[0]?.payload], ['One moment', 'keep'])
  assert.equal(emulator.inboundMessages()[0]?.readByBusiness, true)
})

test('Great Detail’s client filters templates by several values in one call', async (t) => {
  const { client, emulator } = await start(t)
  const named = async (options: Parameters<typeof client.template.list>[1]) => {
    const { data } = await client.template.list(DEMO.accountId, options).json()
    return data.map(({ name, language }) => `${name}/${language}`)
  }
  assert.deepEqual(await named({ status: ['PAUSED', 'PENDING'] }), ['order_shipped/en', 'order_delayed/en'])
  assert.deepEqual(await named({ category: ['MARKETING'], fields: ['name', 'language'] }), ['summer_offer/en'])
  assert.deepEqual(await named({ name_or_content: 'please confirm' }), ['order_confirmation/en'])
  const offer = emulator.getAccount(DEMO.accountId).templates.get('summer_offer\0en')
  emulator.changeTemplate(offer?.id ?? '', { quality: 'GREEN' })
  assert.deepEqual(await named({ quality_score: ['GREEN', 'YELLOW'] }), ['summer_offer/en'])
})

test('Great Detail’s client creates a template, reads it and deletes it', async (t) => {
  const { client } = await start(t)
  const example = { body_text_named_params: [{ param_name: 'name', example: 'Ana' }] }
  const created = await client.template
    .create(DEMO.accountId, {
      name: 'parcel_here',
      language: 'en',
      category: 'UTILITY',
      parameter_format: 'NAMED',
      components: [{ type: 'BODY', text: 'Hello, {{name}}, your parcel is here.', example }],
    })
    .json()
  const read = await client.template.get(created.id, { fields: ['name', 'status', 'parameter_format'] }).json()
  assert.deepEqual([read.name, read.parameter_format], ['parcel_here', 'NAMED'])
  const deleted = await client.template.delete(DEMO.accountId, { name: 'parcel_here', hsm_id: created.id }).json()
  assert.deepEqual(deleted, { success: true })
})

test('Great Detail’s client reads the account and its numbers', async (t) => {
  const { client } = await start(t)
  const account = await client.whatsappBusinessAccount.get(DEMO.accountId, { fields: ['id', 'name'] }).json()
  assert.equal(account.id, DEMO.accountId)
  const numbers = await client.phoneNumbers
    .listPhoneNumbers({ businessAccountID: DEMO.accountId, fields: ['id', 'throughput', 'status'] })
    .json()
  assert.deepEqual(
    numbers.data.map(({ id }) => id),
    [DEMO.standardNumberId, DEMO.highNumberId],
  )
  const fields = ['display_phone_number', 'quality_score'] as const
  const number = await client.phoneNumbers.getPhoneNumber({ ...from, fields: [...fields] }).json()
  assert.equal(number.display_phone_number, DEMO.standardNumber)
})

test('Great Detail’s client subscribes a callback of its own', async (t) => {
  const { client, emulator } = await start(t)
  const other = await listen(t)
  await client.subscribedApps.createSubscription({
    businessAccountID: DEMO.accountId,
    override_callback_uri: other.url,
    verify_token: DEMO.verifyToken,
  })
  const { data } = await client.subscribedApps.listSubscriptions({ businessAccountID: DEMO.accountId }).json()
  assert.equal(data.length, 1)
  await emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
  assert.equal(other.posts.length, 1)
})

test('Great Detail’s client uploads a file, downloads it and deletes it', async (t) => {
  const { client } = await start(t)
  const file = new Blob([PDF], { type: 'application/pdf' })
  const { id } = await client.media
    .upload({ phoneNumberID: from.phoneNumberID, mimeType: 'application/pdf', filename: 'bill.pdf', file })
    .json()
  const { url } = await client.media.getURL({ mediaID: id, phoneNumberID: from.phoneNumberID }).json()
  const headers = { Authorization: `Bearer ${DEMO.accessToken}` }
  const downloaded = await client.media.download({ mediaURL: url, request: { headers } }).arrayBuffer()
  assert.deepEqual(Buffer.from(downloaded), PDF)
  assert.deepEqual(await client.media.delete({ mediaID: id }).json(), { success: true })
})

test('Great Detail’s client verifies each webhook and the handshake', async (t) => {
  const { client, emulator, callback } = await start(t)
  await emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Olé' })
  const [post] = callback.posts
  assert.ok(post)
  const headers = { 'x-hub-signature-256': post.signature }
  const event = await client.webhook.eventNotification({ method: 'POST', query: {}, body: post.raw, headers })
  await event.verifySignature(DEMO.appSecret)
  await assert.rejects(event.verifySignature('another'))
  const query = { 'hub.mode': 'subscribe', 'hub.challenge': '42', 'hub.verify_token': DEMO.verifyToken }
  const handshake = await client.webhook.register({ method: 'GET', query, headers: {} })
  assert.deepEqual([handshake.verifyToken, handshake.accept()], [DEMO.verifyToken, '42'])
})

test('Great Detail’s client takes each rejection for an error of Graph', async (t) => {
  const { client, garbage } = await start(t)
  const codeOf = async (rejected: Promise<unknown>): Promise<unknown> => {
    const fault = await rejected.then(
      () => assert.fail('was taken'),
      (reason: unknown) => reason,
    )
    return (fault as { data: { error: { code: number } } }).data.error.code
  }
  const text = { type: MessageType.Text, text: { body: 'Hello' } } as const
  assert.equal(await codeOf(garbage.message.createMessage({ ...from, ...text })), 190)
  assert.equal(await codeOf(client.template.listLibrary({})), 100)
  assert.equal(await codeOf(client.businessProfile.getBusinessProfile({ ...from, fields: ['about'] })), 2500)
})
