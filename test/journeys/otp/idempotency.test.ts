import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type World, newCode, newPhone, startWorld } from '../../world/world.ts'

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })

async function unitsUsed(world: World): Promise<number> {
  const rows = await world.query<{ used: number }>(
    `select coalesce(sum(used), 0)::int as used from quota_usage where workspace_id = $1 and kind = 'otp'`,
    [world.workspaceId],
  )
  return rows[0]?.used ?? 0
}

test('a repeat gets the first answer at any time, and sends and costs nothing', async (t) => {
  const world = await startWorld(t)
  const body = world.otpBody({ reference: 'r-1' })
  const first = await world.request('POST', '/api/v1/otp/messages', { body, ...withKey('k') })
  assert.equal(first.status, 202)
  const otp = { messageId: String(first.body.messageId) }
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  const again = await world.request('POST', '/api/v1/otp/messages', { body, ...withKey('k') })
  assert.equal(again.status, 202)
  assert.equal(again.text, first.text)
  await world.settled()
  assert.equal(world.whatsapp.got(otp).length, 1)
  assert.equal(await unitsUsed(world), 1)
})

test('another code under the same key is accepted but does not replace the message', async (t) => {
  const world = await startWorld(t)
  const body = world.otpBody({ code: 'FIRST1' })
  const first = await world.request('POST', '/api/v1/otp/messages', { body, ...withKey('k') })
  const again = await world.request('POST', '/api/v1/otp/messages', {
    body: { ...body, code: 'OTHER2' },
    ...withKey('k'),
  })
  assert.equal(again.text, first.text)
  await world.settled()
  assert.deepEqual(
    world.emulator.messages({ to: body.to }).map((message) => message.code),
    ['FIRST1'],
  )
})

test('the same values in another form are the same request', async (t) => {
  const world = await startWorld(t)
  const body = world.otpBody({ to: '+212612345678' })
  const first = await world.request('POST', '/api/v1/otp/messages', { body, ...withKey('k') })
  const other = { ...body, to: ' +212 612-345-678 ', senderId: body.senderId.toUpperCase() }
  assert.equal((await world.request('POST', '/api/v1/otp/messages', { body: other, ...withKey('k') })).text, first.text)
})

test('each changed value under the same key is rejected, and the first request stands', async (t) => {
  const world = await startWorld(t)
  const body = world.otpBody({ reference: 'r-1' })
  const first = await world.request('POST', '/api/v1/otp/messages', { body, ...withKey('k') })
  const otherSender = world.account.senders[1]?.senderId
  const { reference: _, ...withoutReference } = { reference: undefined, ...body }
  const changes = {
    to: { ...body, to: newPhone() },
    senderId: { ...body, senderId: otherSender },
    'template name': { ...body, template: { name: 'another', language: 'en_US' } },
    'template language': { ...body, template: { name: 'login_code', language: 'fr' } },
    reference: { ...body, reference: 'r-2' },
    'empty reference': { ...body, reference: '' },
    'no reference': withoutReference,
  }
  for (const [what, changed] of Object.entries(changes)) {
    const answer = await world.request('POST', '/api/v1/otp/messages', { body: changed, ...withKey('k') })
    assert.deepEqual([what, answer.status, answer.body.code], [what, 409, 'IDEMPOTENCY_KEY_REUSED'])
  }
  assert.equal((await world.request('POST', '/api/v1/otp/messages', { body, ...withKey('k') })).text, first.text)
  assert.equal(await unitsUsed(world), 1)
})

test('an empty key is a key like any other, and no key is none', async (t) => {
  const world = await startWorld(t)
  const body = world.otpBody()
  const empty = await world.request('POST', '/api/v1/otp/messages', { body, ...withKey('') })
  assert.equal((await world.request('POST', '/api/v1/otp/messages', { body, ...withKey('') })).text, empty.text)
  const without = await world.request('POST', '/api/v1/otp/messages', { body })
  assert.notEqual(without.body.messageId, empty.body.messageId)
  const again = await world.request('POST', '/api/v1/otp/messages', { body })
  assert.notEqual(again.body.messageId, without.body.messageId)
})

test('a key beyond ASCII is the same text in UTF-8 and in Latin-1', async (t) => {
  const world = await startWorld(t)
  const body = world.otpBody()
  const post = async (key: string) =>
    (await world.request('POST', '/api/v1/otp/messages', { body, ...withKey(key) })).text
  const first = await post('Pâté')
  assert.equal(await post(Buffer.from('Pâté').toString('latin1')), first)
  assert.notEqual(await post('Pate'), first)
})

test('two workspaces may use the same key', async (t) => {
  const [one, other] = [await startWorld(t), await startWorld(t)]
  const first = await one.sendOtp({}, withKey('k'))
  const second = await other.sendOtp({}, withKey('k'))
  assert.notEqual(first.messageId, second.messageId)
})

test('a rejected request leaves its key free', async (t) => {
  const world = await startWorld(t)
  const body = world.otpBody()
  const missing = { ...body, template: { name: 'missing', language: 'en_US' } }
  const rejected = await world.request('POST', '/api/v1/otp/messages', { body: missing, ...withKey('k') })
  assert.equal(rejected.status, 404)
  const accepted = await world.request('POST', '/api/v1/otp/messages', { body, ...withKey('k') })
  assert.equal(accepted.status, 202)
})

test('60 concurrent requests over two nodes share one acceptance and its answer', async (t) => {
  const world = await startWorld(t)
  const other = await world.node()
  const body = world.otpBody()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      world.request('POST', '/api/v1/otp/messages', {
        body: { ...body, code: newCode() },
        ...withKey('k'),
        url: index % 2 ? other.url : world.first.url,
      }),
    ),
  )
  assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal(answers[0]?.status, 202)
  await world.settled()
  assert.equal(world.emulator.messages({ to: body.to }).length, 1)
  assert.equal(await unitsUsed(world), 1)
})

test('of concurrent different requests with one key one wins and others get 409', async (t) => {
  const world = await startWorld(t)
  const bodies = [world.otpBody(), world.otpBody()]
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      world.request('POST', '/api/v1/otp/messages', { body: bodies[index % 2], ...withKey('k') }),
    ),
  )
  const accepted = answers.filter(({ status }) => status === 202)
  assert.equal(accepted.length, 20)
  assert.equal(new Set(accepted.map(({ text }) => text)).size, 1)
  assert.deepEqual(
    new Set(answers.filter(({ status }) => status !== 202).map(({ body }) => body.code)),
    new Set(['IDEMPOTENCY_KEY_REUSED']),
  )
  assert.equal(await unitsUsed(world), 1)
})
