import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../../world/world.ts'

test('a sender is unavailable for each reason until the reason ends', async (t) => {
  const world = await startWorld(t)
  const reasons: Record<string, [string, string]> = {
    paused: ['update senders set paused_at = now() where id = $1', 'update senders set paused_at = null where id = $1'],
    gone: ['update senders set gone_at = now() where id = $1', 'update senders set gone_at = null where id = $1'],
    'not connected': [
      `update senders set status = 'PENDING' where id = $1`,
      `update senders set status = 'CONNECTED' where id = $1`,
    ],
    'token refused': [
      `update provider_accounts a set status = 'credentials_invalid' from senders s where s.account_id = a.id and s.id = $1`,
      `update provider_accounts a set status = 'connected' from senders s where s.account_id = a.id and s.id = $1`,
    ],
  }
  const post = async () => (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })).body.code
  for (const [reason, [begin, end]] of Object.entries(reasons)) {
    await world.query(begin, [world.senderId])
    assert.equal(await post(), 'OTP_SENDER_UNAVAILABLE', reason)
    await world.query(end, [world.senderId])
    assert.equal(await post(), undefined, reason)
  }
  await world.query(`update senders set status = 'FLAGGED' where id = $1`, [world.senderId])
  assert.equal(await post(), undefined, 'a flagged number can send')
})

test('only an approved authentication template with one parameter and OTP buttons is usable', async (t) => {
  const authentication = { language: 'en_US', category: 'AUTHENTICATION' as const }
  const otp = (name: string, more: object = {}) => ({
    ...authentication,
    name,
    components: [{ type: 'BODY' }, OTP_BUTTON],
    ...more,
  })
  const world = await startWorld(t, {
    account: {
      templates: [
        otp('good'),
        otp('without_button', { components: [{ type: 'BODY' }] }),
        otp('pending', { status: 'PENDING' }),
        otp('paused', { status: 'PAUSED' }),
        otp('rejected', { status: 'REJECTED' }),
        {
          name: 'utility',
          language: 'en_US',
          category: 'UTILITY',
          components: [{ type: 'BODY', text: 'Code {{1}} it is.' }],
        },
        {
          name: 'marketing',
          language: 'en_US',
          category: 'MARKETING',
          components: [{ type: 'BODY', text: 'Code {{1}} it is.' }],
        },
      ],
    },
  })
  const post = async (name: string) => {
    const body = world.otpBody({ template: { name, language: 'en_US' } })
    const answer = await world.request('POST', '/api/v1/otp/messages', { body })
    return answer.body.code ?? answer.status
  }
  assert.equal(await post('good'), 202)
  assert.equal(await post('without_button'), 202)
  for (const name of ['pending', 'paused', 'rejected', 'utility', 'marketing']) {
    assert.equal(await post(name), 'OTP_TEMPLATE_NOT_USABLE', name)
  }
  assert.equal(await post('GOOD'), 'OTP_TEMPLATE_NOT_FOUND', 'a name is compared letter by letter')
})

const OTP_BUTTON = { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] }
