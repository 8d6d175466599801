import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectAccount } from '../../world/set-up.ts'
import { startWorld } from '../../world/world.ts'
import { signature, postStatuses, postSigned } from '../../world/signed-webhooks.ts'

test('a webhook not signed with the app secret is rejected and not stored', async (t) => {
  const world = await startWorld(t)
  const count = () =>
    world.query('select count(*)::int as n from provider_reports where workspace_id = $1', [world.workspaceId])
  const before = await count()
  const body = '{"object":"whatsapp_business_account","entry":[]}'
  const good = signature(body)
  for (const headers of [{}, { 'x-hub-signature-256': '' }, { 'x-hub-signature-256': 'sha256=00' }]) {
    const answer = await fetch(`${world.first.url}${world.account.webhookPath}`, { method: 'POST', body, headers })
    assert.equal(answer.status, 401)
  }
  const tampered = await fetch(`${world.first.url}${world.account.webhookPath}`, {
    method: 'POST',
    body: `${body} `,
    headers: { 'x-hub-signature-256': good },
  })
  assert.equal(tampered.status, 401)
  const elsewhere = await fetch(`${world.first.url}/whatsapp/00000000-0000-4000-8000-000000000000`, {
    method: 'POST',
    body,
  })
  assert.equal(elsewhere.status, 404)
  assert.deepEqual(await count(), before)
})

test('webhooks under the previous app secret are accepted for seven days', async (t) => {
  const world = await startWorld(t, { works: false })
  const { credentials, parts } = world
  const renewed = 'renewed0secret'
  const statuses = async () => [await postSigned(world, '{}'), await postSigned(world, '{}', renewed)]
  assert.deepEqual(await statuses(), [200, 401])
  world.emulator.changeAccount(credentials.wabaId, {}).appSecret = renewed
  await connectAccount(parts, { ...credentials, appSecret: renewed })
  assert.deepEqual(await statuses(), [200, 200])
  world.advance('167h')
  await connectAccount(parts, { ...credentials, appSecret: renewed }) // another token does not extend the secret's validity
  world.advance('59m')
  assert.deepEqual(await statuses(), [200, 200])
  world.advance('2m')
  assert.deepEqual(await statuses(), [401, 200])
})

test('a second change of the app secret ends the first one immediately', async (t) => {
  const world = await startWorld(t, { works: false })
  const { credentials, parts } = world
  const account = world.emulator.changeAccount(credentials.wabaId, {})
  for (const appSecret of ['second0secret', 'third0secret']) {
    account.appSecret = appSecret
    await connectAccount(parts, { ...credentials, appSecret })
  }
  const statuses = [await postSigned(world, '{}'), await postSigned(world, '{}', 'second0secret')]
  assert.deepEqual(statuses, [401, 200])
})

test('the provider’s handshake gets its challenge only for the right token', async (t) => {
  const world = await startWorld(t)
  const ask = async (query: string) => {
    const answer = await fetch(`${world.first.url}${world.account.webhookPath}?${query}`)
    return [answer.status, await answer.text()]
  }
  const token = 'demo-verify-token'
  assert.deepEqual(await ask(`hub.mode=subscribe&hub.challenge=11%3C5&hub.verify_token=${token}`), [200, '11<5'])
  assert.equal((await ask('hub.mode=subscribe&hub.challenge=1&hub.verify_token=wrong'))[0], 403)
  for (const incomplete of [
    `hub.mode=subscribe&hub.verify_token=${token}`,
    `hub.challenge=1&hub.verify_token=${token}`,
    '',
  ]) {
    const [status, body] = await ask(incomplete)
    assert.equal(status, 400)
    assert.match(String(body), /hub\.mode=subscribe, hub\.verify_token and hub\.challenge/)
  }
})

test('an account cannot report on another account’s message', async (t) => {
  const [victim, attacker] = [await startWorld(t), await startWorld(t)]
  const otp = await victim.submitOtp()
  const message = await victim.whatsapp.gets(otp)
  const status = {
    id: message.id,
    status: 'read',
    timestamp: '1763640000',
    biz_opaque_callback_data: message.callbackData,
  }
  assert.equal(await postStatuses(attacker, [status]), 200)
  await attacker.settled()
  await victim.settled()
  assert.equal((await victim.getOtp(otp)).status, 'sending')
})
