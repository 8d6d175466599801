import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setQuota } from '../../../src/workspaces/quota.ts'
import { type World, startWorld } from '../../world/world.ts'

const sendMany = (world: World, count: number, urls: readonly string[]) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      world.request('POST', '/api/v1/otp/messages', { body: world.otpBody(), url: urls[index % urls.length] ?? '' }),
    ),
  )

const codesOf = (answers: { status: number; body: Record<string, unknown> }[]) => ({
  accepted: answers.filter(({ status }) => status === 202).length,
  overQuota: answers.filter(({ body }) => body.code === 'OTP_QUOTA_EXCEEDED').length,
})

test('of 50 simultaneous requests exactly the quota is accepted', async (t) => {
  const world = await startWorld(t, { otpQuota: 17 })
  const answers = await sendMany(world, 50, [world.first.url])
  assert.deepEqual(codesOf(answers), { accepted: 17, overQuota: 33 })
  const [row] = await world.query<{ used: number }>('select used from quota_usage where workspace_id = $1', [
    world.workspaceId,
  ])
  assert.equal(row?.used, 17)
})

test('the quota is exact over two nodes', async (t) => {
  const world = await startWorld(t, { otpQuota: 23 })
  const other = await world.node()
  const answers = await sendMany(world, 60, [world.first.url, other.url])
  assert.deepEqual(codesOf(answers), { accepted: 23, overQuota: 37 })
})

test('a quota of zero refuses the first request', async (t) => {
  const world = await startWorld(t, { otpQuota: 0 })
  const answer = await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })
  assert.deepEqual([answer.status, answer.body.code], [429, 'OTP_QUOTA_EXCEEDED'])
  assert.equal(answer.headers.get('retry-after'), null)
})

test('a raised or lowered quota applies at once', async (t) => {
  const world = await startWorld(t, { otpQuota: 1 })
  const post = async () => (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })).status
  assert.deepEqual([await post(), await post()], [202, 429])
  await setQuota(world.parts.db, { workspaceId: world.workspaceId, kind: 'otp', monthlyUnits: 2 })
  assert.deepEqual([await post(), await post()], [202, 429])
  await setQuota(world.parts.db, { workspaceId: world.workspaceId, kind: 'otp', monthlyUnits: 1 })
  assert.equal(await post(), 429)
})

test('each UTC month starts with no units used', async (t) => {
  const world = await startWorld(t, { otpQuota: 1 })
  const post = async () => (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })).status
  assert.deepEqual([await post(), await post()], [202, 429])
  const now = world.clock.now()
  const monthEndsAt = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
  const untilLastSecond = monthEndsAt - now.getTime() - 5_000
  world.advance(`${untilLastSecond}ms`)
  assert.equal(await post(), 429)
  world.advance('5s')
  assert.deepEqual([await post(), await post()], [202, 429])
})

test('a failed message returns no unit', async (t) => {
  const world = await startWorld(t, { otpQuota: 1 })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [{ status: 'failed', errors: [131026] }])
  assert.equal((await world.getOtp(otp)).status, 'failed')
  assert.equal((await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })).status, 429)
})

test('a repeated request is answered even when the quota is used up', async (t) => {
  const world = await startWorld(t, { otpQuota: 1 })
  const request = { body: world.otpBody(), headers: { 'idempotency-key': 'k' } }
  const first = await world.request('POST', '/api/v1/otp/messages', request)
  assert.equal((await world.request('POST', '/api/v1/otp/messages', request)).text, first.text)
})

test('invalid requests in a burst do not affect the valid ones', async (t) => {
  const world = await startWorld(t, { otpQuota: 20 })
  const bodies = Array.from({ length: 60 }, (_, index) => {
    const body = world.otpBody()
    if (index % 3 === 1) return { ...body, template: { name: 'missing', language: 'en_US' } }
    if (index % 3 === 2) return { ...body, senderId: '00000000-0000-4000-8000-000000000000' }
    return body
  })
  const answers = await Promise.all(bodies.map((body) => world.request('POST', '/api/v1/otp/messages', { body })))
  const count = (code: string) => answers.filter(({ body }) => body.code === code).length
  assert.equal(answers.filter(({ status }) => status === 202).length, 20)
  assert.deepEqual([count('OTP_TEMPLATE_NOT_FOUND'), count('OTP_SENDER_NOT_FOUND')], [20, 20])
})
