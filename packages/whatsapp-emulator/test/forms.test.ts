import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO } from '../src/index.ts'
import { CUSTOMER, order, startWorld } from './world.ts'

const headers = { authorization: `Bearer ${DEMO.accessToken}` }
const MESSAGES = `/v25.0/${DEMO.standardNumberId}/messages`

test('a form with JSON members sends a message', async (t) => {
  const { emulator } = await startWorld(t)
  const send = async (body: URLSearchParams | FormData) =>
    (await fetch(`${emulator.url}${MESSAGES}`, { method: 'POST', headers, body })).status
  const members = { messaging_product: 'whatsapp', to: CUSTOMER, biz_opaque_callback_data: '{"order":1}' }
  const template = JSON.stringify(order().template)
  const parts = new FormData()
  for (const [name, value] of Object.entries({ ...members, type: 'template', template })) parts.set(name, value)
  assert.equal(await send(new URLSearchParams({ ...members, type: 'template', template })), 200)
  assert.equal(await send(new URLSearchParams({ ...members, text: '{"body":"Hello"}' })), 200)
  assert.equal(await send(parts), 200)
  assert.deepEqual(
    emulator.messages().map(({ type, callbackData }) => [type, callbackData]),
    [
      ['template', '{"order":1}'],
      ['text', '{"order":1}'],
      ['template', '{"order":1}'],
    ],
  )
})

test('a template is created from a form', async (t) => {
  const { emulator } = await startWorld(t)
  const body = new URLSearchParams({
    name: 'parcel_here',
    language: 'en',
    category: 'UTILITY',
    message_send_ttl_seconds: '600',
    components: JSON.stringify([{ type: 'BODY', text: 'Your parcel is here.' }]),
  })
  await fetch(`${emulator.url}/v25.0/${DEMO.accountId}/message_templates`, { method: 'POST', headers, body })
  assert.equal(emulator.getAccount(DEMO.accountId).templates.get('parcel_here\0en')?.ttlSeconds, 600)
})

test('an unreadable form is a Graph error', async (t) => {
  const { emulator } = await startWorld(t)
  const multipart = { ...headers, 'content-type': 'multipart/form-data; boundary=x' }
  const rejections = [
    { headers, body: new URLSearchParams({ messaging_product: 'whatsapp', to: CUSTOMER, text: '{"body":' }) },
    { headers: multipart, body: 'no form' },
    { headers: { ...headers, 'content-type': 'multipart/form-data' }, body: '--x\r\n' },
  ]
  for (const rejected of rejections) {
    const answer = await fetch(`${emulator.url}${MESSAGES}`, { method: 'POST', ...rejected })
    const { error } = (await answer.json()) as { error: { code: number; type: string } }
    assert.deepEqual([answer.status, error.code, error.type], [400, 100, 'OAuthException'])
  }
})
