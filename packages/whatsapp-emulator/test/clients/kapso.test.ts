import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { GraphApiError, TemplateDefinition, WhatsAppClient } from '@kapso/whatsapp-cloud-api'
import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server'
import { DEMO } from '../../src/index.ts'
import { CUSTOMER, startWorld } from '../world.ts'

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const from = { phoneNumberId: DEMO.standardNumberId, to: CUSTOMER }
const account = { businessAccountId: DEMO.accountId }

async function start(t: TestContext) {
  const world = await startWorld(t)
  return { ...world, client: new WhatsAppClient({ accessToken: DEMO.accessToken, baseUrl: world.emulator.url }) }
}

test('Kapso’s client sends a code, and the phone shows it', async (t) => {
  const { client, emulator } = await start(t)
  const answer = await client.messages.sendTemplate({
    ...from,
    bizOpaqueCallbackData: 'job-1',
    template: {
      name: 'login_code',
      language: { code: 'en_US' },
      components: [
        { type: 'body', parameters: [{ type: 'text', text: '493817' }] },
        { type: 'button', subType: 'url', index: '0', parameters: [{ type: 'text', text: '493817' }] },
      ],
    },
  })
  const message = await emulator.waitForMessage({ to: CUSTOMER })
  assert.equal(answer.messages[0]?.id, message.id)
  assert.deepEqual([message.code, message.callbackData], ['493817', 'job-1'])
})

test('Kapso’s client sends texts, buttons and lists within a service window', async (t) => {
  const { client, emulator } = await start(t)
  const written = await emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
  await client.messages.markRead({ ...from, messageId: written.id })
  await client.messages.sendText({ ...from, body: 'One moment', contextMessageId: written.id })
  await client.messages.sendInteractiveButtons({
    ...from,
    bodyText: 'Keep the slot?',
    buttons: [{ id: 'keep', title: 'Keep' }],
  })
  await client.messages.sendInteractiveList({
    ...from,
    bodyText: 'Choose a slot',
    buttonText: 'Slots',
    sections: [{ title: 'Tuesday', rows: [{ id: 's1', title: '10:30' }] }],
  })
  const [text, buttons, list] = emulator.messages({ to: CUSTOMER })
  assert.deepEqual([text?.text, text?.quotes], ['One moment', written.id])
  assert.equal(buttons?.shown.buttons[0]?.payload, 'keep')
  assert.equal(list?.shown.list?.rows[0]?.id, 's1')
  assert.equal(emulator.inboundMessages()[0]?.readByBusiness, true)
})

test('Kapso’s client pages through all templates by cursor', async (t) => {
  const { client } = await start(t)
  const first = await client.templates.list({ ...account, limit: 5 })
  const rest = await client.templates.list({ ...account, limit: 5, after: first.paging.cursors?.after ?? '' })
  assert.equal(new Set([...first.data, ...rest.data].map(({ id }) => id)).size, 9)
  assert.equal((await client.templates.list({ ...account, status: 'PAUSED' })).data[0]?.name, 'order_delayed')
})

test('Kapso’s client creates a template, and deletes it', async (t) => {
  const { client, emulator } = await start(t)
  const definition = TemplateDefinition.buildTemplateDefinition({
    name: 'parcel_here',
    language: 'en',
    category: 'UTILITY',
    components: [
      { type: 'BODY', text: 'Your parcel {{1}} is here.', example: { bodyText: [['A-1']] } },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] },
    ],
  })
  const created = await client.templates.create({ ...account, ...definition })
  const held = () => emulator.getAccount(DEMO.accountId).templates.get('parcel_here\0en')
  assert.equal(held()?.id, created.id)
  await client.templates.delete({ ...account, name: 'parcel_here' })
  assert.equal(held(), undefined)
})

test('Kapso’s client uploads a file, downloads it and deletes it', async (t) => {
  const { client } = await start(t)
  const file = new Blob([PNG], { type: 'image/png' })
  const { id } = await client.media.upload({ ...from, type: 'image/png', file, fileName: 'parcel.png' })
  const meta = await client.media.get({ mediaId: id, phoneNumberId: DEMO.standardNumberId })
  assert.deepEqual([meta.id, meta.mimeType, Number(meta.fileSize)], [id, 'image/png', PNG.length])
  const bytes = (await client.media.download({ mediaId: id, auth: 'always' })) as ArrayBuffer
  assert.deepEqual(Buffer.from(bytes), PNG)
  await client.media.delete({ mediaId: id })
  await assert.rejects(client.media.get({ mediaId: id }), { code: 100, errorSubcode: 33 })
})

test('Kapso’s client registers a number and takes it off again', async (t) => {
  const { client, emulator } = await start(t)
  const status = () => emulator.getAccount(DEMO.accountId).numbers.get(DEMO.standardNumberId)?.status
  await client.phoneNumbers.deregister(from)
  assert.equal(status(), 'DISCONNECTED')
  await client.phoneNumbers.register({ ...from, pin: '123456' })
  assert.equal(status(), 'CONNECTED')
})

test('Kapso’s client verifies each webhook and reads it', async (t) => {
  const { client, emulator, callback } = await start(t)
  await emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Olé' })
  await client.messages.sendText({ ...from, body: 'Hello' })
  await emulator.idle()
  for (const { raw, signature } of callback.posts) {
    assert.ok(verifySignature({ appSecret: DEMO.appSecret, rawBody: raw, signatureHeader: signature }))
    assert.ok(!verifySignature({ appSecret: 'another', rawBody: raw, signatureHeader: signature }))
  }
  const read = callback.posts.map(({ body }) => normalizeWebhook(body))
  assert.equal(read[0]?.messages[0]?.text?.body, 'Olé')
  assert.deepEqual(
    read.flatMap(({ statuses }) => statuses.map(({ status }) => status)),
    ['sent', 'delivered', 'read'],
  )
})

test('Kapso’s client takes each rejection for an error of Graph', async (t) => {
  const { client, emulator } = await start(t)
  const garbage = new WhatsAppClient({ accessToken: 'garbage', baseUrl: emulator.url })
  const location = { latitude: 40.4, longitude: -3.7 }
  const rejections = [
    [() => client.messages.sendLocation({ ...from, location }), 131051],
    [() => client.messages.sendImage({ ...from, image: { link: 'https://shop.example/a.png' } }), 131051],
    [() => client.phoneNumbers.businessProfile.get(from), 2500],
    [() => client.templates.get({ ...account, templateId: '1' }), 2500],
    [() => client.media.upload({ ...from, type: 'image/png', file: PNG }), 100],
    [() => garbage.messages.sendText({ ...from, body: 'Hello' }), 190],
  ] as const
  for (const [call, code] of rejections) {
    await assert.rejects(call, (fault) => fault instanceof GraphApiError && fault.code === code)
  }
})
