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

test('of 60 simultaneous requests over two nodes exactly the quota is accepted', async (t) => {
  const world = await startWorld(t, { otpQuota: 23 })
  const other = await world.node()
  const answers = await sendMany(world, 60, [world.first.url, other.url])
  assert.deepEqual(codesOf(answers), { accepted: 23, overQuota: 37 })
  const used = await world.query('select used from quota_usage where workspace_id = $1', [world.workspaceId])
  assert.deepEqual(used, [{ used: 23 }])
})

test('a raised or lowered quota applies immediately', async (t) => {
  const world = await startWorld(t, { otpQuota: 0 })
  const post = async () => (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })).status
  const rejected = await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })
  assert.deepEqual([rejected.status, rejected.headers.get('retry-after')], [429, null])
  await setQuota(world.parts.db, { workspaceId: world.workspaceId, kind: 'otp', monthlyUnits: 1 })
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
