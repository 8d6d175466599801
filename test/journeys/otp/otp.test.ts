import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSigned } from '../../world/receiver.ts'
import { startWorld } from '../../world/world.ts'

test('a code reaches the phone and its outcome arrives as one webhook', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const otp = await world.sendOtp({ code: '493817', reference: 'login-8812' })
  assert.deepEqual({ status: otp.status, reference: otp.reference }, { status: 'queued', reference: 'login-8812' })

  const message = await world.whatsapp.gets(otp)
  assert.equal(message.to, otp.to)
  assert.equal(message.code, '493817')
  assert.deepEqual(message.template, { name: 'login_code', language: 'en_US', category: 'AUTHENTICATION' })

  await world.whatsapp.reports(otp, ['sent', 'delivered', 'read'])
  const status = await world.getOtp(otp)
  assert.equal(status.status, 'read')
  assert.equal(status.to, otp.to)
  assert.equal(status.reference, 'login-8812')
  assert.equal(status.failure, null)
  assert.ok(status.sentAt)

  assert.equal(receiver.received.length, 1)
  const [webhook] = receiver.received
  assert.ok(webhook)
  assertSigned(webhook, receiver.secret)
  const { type, timestamp, data } = webhook.event
  assert.equal(type, 'message.sent')
  assert.equal(timestamp, data.occurredAt)
  const { occurredAt: _, ...reported } = data
  assert.deepEqual(reported, { ...status, status: 'sent' })
})

test('the code is in the template’s body and button, and in no answer', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  const message = await world.whatsapp.gets(otp)
  assert.deepEqual(message.parameters, [otp.code])
  assert.equal(message.shown.buttons[0]?.code, otp.code)
  assert.ok(!JSON.stringify(await world.getOtp(otp)).includes(otp.code))
})

test('the usual reports in a row end as "read" with one event', async (t) => {
  const world = await startWorld(t, { statuses: 'automatic' })
  const receiver = await world.receiver()
  const otps = await Promise.all(Array.from({ length: 10 }, () => world.sendOtp()))
  for (const otp of otps) await world.whatsapp.gets(otp)
  await world.settled()
  for (const otp of otps) assert.equal((await world.getOtp(otp)).status, 'read')
  assert.deepEqual(
    receiver
      .events()
      .map((event) => String(event.data.messageId))
      .sort(),
    otps.map(({ messageId }) => messageId).sort(),
  )
})

test('an upper-case id is answered in lower case', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp({ senderId: world.senderId.toUpperCase() })
  const answer = await world.request('GET', `/api/v1/otp/messages/${otp.messageId.toUpperCase()}`)
  assert.equal(answer.status, 200)
  assert.equal(answer.body.messageId, otp.messageId)
  assert.equal(otp.messageId, otp.messageId.toLowerCase())
})

test('a recipient is normalized to E.164', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp({ to: '  +212 (0)6 12-34-56-78 ' })
  assert.equal((await world.getOtp(otp)).to, '+212612345678')
})

test('an omitted reference and an empty one differ', async (t) => {
  const world = await startWorld(t)
  assert.equal((await world.sendOtp()).reference, null)
  assert.equal((await world.sendOtp({ reference: '' })).reference, '')
})

test('every type of OTP button gets its code', async (t) => {
  for (const otpButtons of ['URL', 'OTP'] as const) {
    const world = await startWorld(t, { account: { otpButtons, templates: OTP_TEMPLATES } })
    for (const { name } of OTP_TEMPLATES) {
      const otp = await world.sendOtp({ template: { name, language: 'en_US' } })
      assert.equal((await world.whatsapp.gets(otp)).code, otp.code, `${name}, read back as ${otpButtons}`)
    }
  }
})

const APPS = [{ package_name: 'com.example.shop', signature_hash: 'K8a/AINcGX7' }]
const otpTemplate = (name: string, button: object | undefined) => ({
  name,
  language: 'en_US',
  category: 'AUTHENTICATION' as const,
  components: [
    { type: 'BODY' },
    ...(button ? [{ type: 'BUTTONS', buttons: [{ type: 'OTP', text: 'Copy code', ...button }] }] : []),
  ],
})
const OTP_TEMPLATES = [
  otpTemplate('copy_code', { otp_type: 'COPY_CODE' }),
  otpTemplate('one_tap', { otp_type: 'ONE_TAP', supported_apps: APPS }),
  otpTemplate('zero_tap', { otp_type: 'ZERO_TAP', supported_apps: APPS, zero_tap_terms_accepted: true }),
]
