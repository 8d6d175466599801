import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPhone, startWorld } from '../../world/world.ts'

type InputFault = { in: string; pointer: string; detail: string }

const POST = '/api/v1/otp/messages'
const faultsOf = (answer: { body: Record<string, unknown> }): string[] =>
  ((answer.body.errors ?? []) as InputFault[]).map((fault) => `${fault.in} ${fault.pointer}`).sort()

test('a byte order mark before the body changes nothing', async (t) => {
  const world = await startWorld(t)
  const rawBody = `\uFEFF${JSON.stringify(world.otpBody())}`
  assert.equal((await world.request('POST', POST, { rawBody })).status, 202)
})

test('each field has its exact documented limits', async (t) => {
  const world = await startWorld(t)
  const body = world.otpBody()
  const status = async (change: object) => (await world.request('POST', POST, { body: { ...body, ...change } })).status
  const long = '😀'.repeat(128)
  for (const good of [
    { code: 'a' },
    { code: 'Z'.repeat(15) },
    { code: '0'.repeat(15) },
    { reference: '' },
    { reference: long },
    { reference: '"\\/\b\u{1F600}مرحبا' },
    { senderId: world.senderId.toUpperCase() },
    { to: ` ${newPhone()}\n` },
  ]) {
    assert.equal(await status(good), 202, JSON.stringify(good))
  }
  for (const bad of [
    { code: '' },
    { code: 'Z'.repeat(16) },
    { code: '12 34' },
    { code: '١٢٣٤' },
    { code: 'ａ' },
    { code: '1234\n' },
    { code: 1234 },
    { code: null },
    { reference: `${long}x` },
    { reference: null },
    { reference: 1 },
    { reference: 'a\0b' },
    { reference: '\ud800' },
    { senderId: '' },
    { senderId: `{${world.senderId}}` },
    { senderId: world.senderId.replaceAll('-', '') },
    { senderId: `${world.senderId} ` },
    { to: '0612345678' },
    { to: 42 },
    { template: null },
    { template: [] },
    { template: 'login_code' },
    { template: { name: 'login_code' } },
    { template: { name: 'login_code', language: '' } },
    { template: { name: 'login_code', language: 'en_US', namespace: 'x' } },
  ]) {
    assert.equal(await status(bad), 422, JSON.stringify(bad))
  }
  for (const name of ['to', 'senderId', 'template', 'code']) {
    const { [name]: _, ...rest } = body as Record<string, unknown>
    const answer = await world.request('POST', POST, { body: rest })
    assert.deepEqual([answer.status, faultsOf(answer)], [422, [`body /${name}`]])
  }
})
