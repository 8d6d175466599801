import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { DEMO, demoAccount, startEmulator } from '@doorcode/whatsapp-emulator'
import type { OutgoingMessage, ProviderTemplate } from '../../../src/providers/provider.ts'
import { createWhatsApp } from '../../../src/providers/whatsapp/whatsapp.ts'
import { listen } from '../../world/listen.ts'

type Received = { raw: Buffer; headers: IncomingHttpHeaders }

/** The adapter against the emulator, which is as strict as the provider. */
async function start(t: TestContext) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void buffer(request).then((raw) => {
      received.push({ raw, headers: request.headers })
      return response.end()
    })
  })
  const callbackUrl = `http://${await listen(t, server)}/`
  const emulator = await startEmulator({
    speed: 0,
    statuses: 'manual',
    accounts: [demoAccount({ callbackUrl })],
  })
  const provider = createWhatsApp()
  t.after(() => Promise.all([provider.close(), emulator.close()]))
  const account = { wabaId: DEMO.accountId, graphUrl: emulator.url, accessToken: DEMO.accessToken }
  const { templates } = await provider.list(account)
  const template = templates.find(({ name, language }) => name === 'login_code' && language === 'en_US')
  assert.ok(template)
  return { provider, account, template, emulator, received }
}

const CODE = 'A1B2C3'

const otp = (template: ProviderTemplate, messageId: string): OutgoingMessage => ({
  kind: 'otp',
  messageId,
  phoneNumberId: DEMO.standardNumberId,
  recipient: '+34600111222',
  content: { type: 'otp', template, code: CODE },
})

test('statuses are signed and identify their message', async (t) => {
  const { provider, account, template, emulator, received } = await start(t)
  const messageId = randomUUID()
  const outcome = await provider.send(account, otp(template, messageId))
  const message = await emulator.waitForMessage()
  await emulator.report(message, ['sent', 'delivered', 'failed'])
  await emulator.idle()
  const items = received.flatMap(({ raw, headers }) => {
    assert.ok(provider.verify({ appSecret: DEMO.appSecret }, raw, headers))
    assert.ok(!provider.verify({ appSecret: 'another' }, raw, headers))
    return provider.parse(raw)
  })
  const outcomes = new Set(items.map(({ body }) => provider.readStatus(body)?.outcome))
  assert.deepEqual(outcomes, new Set(['sent', 'delivered', 'failed']))
  for (const item of items) {
    assert.equal(item.messageId, messageId)
    assert.equal(item.providerMessageId, outcome.outcome === 'accepted' ? outcome.providerMessageId : '')
    assert.ok(!item.body.includes(CODE))
  }
})

test('each documented error of the provider is a rejection with its code', async (t) => {
  const { provider, account, template, emulator } = await start(t)
  for (const code of [4, 190, 131_026, 131_048, 131_056, 132_001, 132_015, 131_000]) {
    const script = emulator.script({ behaviour: { error: code } })
    const outcome = await provider.send(account, otp(template, randomUUID()))
    script.remove()
    assert.equal(outcome.outcome === 'rejected' ? outcome.error.code : outcome.outcome, code)
  }
})
