import assert from 'node:assert/strict'
import { test } from 'node:test'
import { INSTANCE_KEY } from '../../test/node.ts'
import { assertSigned } from '../../test/receiver.ts'
import { type World, startWorld } from '../../test/world.ts'
import { runCommandLine } from '../cli.ts'

test('beside a running server an endpoint is paused, resumed, and gets what it missed, all or one', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const { endpointId } = receiver
  await json(world, 'endpoint', 'pause', endpointId)
  const otps = [await world.sendOtp(), await world.sendOtp(), await world.sendOtp()]
  for (const otp of otps) await world.whatsapp.reports(otp, ['sent'])
  await world.settled()
  assert.equal(receiver.received.length, 0)
  const refused = await run(world, 'endpoint', 'resend', endpointId, '--count')
  assert.match(refused.stderr, new RegExp(`The endpoint is paused: run "endpoint resume ${endpointId}" first`))

  const explained = await json(world, 'explain', otps[1]?.messageId ?? '')
  const { sentence } = explained['next'] as { sentence: string }
  const [resume = '', resend = ''] = Array.from(sentence.matchAll(/"(endpoint [^"]+)"/g), ([, told]) => told ?? '')
  assert.deepEqual(await json(world, ...resume.split(' ')), { endpointId, status: 'enabled' })
  assert.deepEqual(await json(world, ...resend.split(' ')), { endpointId, events: 1, resent: true })
  await world.settled()
  assert.equal(receiver.received.length, 1)
  assert.equal(receiver.received[0]?.event.data['messageId'], otps[1]?.messageId)

  const choice = ['--since', '2026-01-01T00:00:00+01:00', '--type', 'message.sent', '--status', 'held']
  const count = await json(world, 'endpoint', 'resend', endpointId, ...choice, '--count')
  assert.deepEqual(count, { endpointId, events: 2, resent: false })
  assert.deepEqual(await json(world, 'endpoint', 'resend', endpointId, '--until', '2026-01-01T00:00:00Z'), {
    endpointId,
    events: 0,
    resent: true,
  })
  assert.deepEqual(await json(world, 'endpoint', 'resend', endpointId), { endpointId, events: 2, resent: true })
  await world.settled()
  assert.equal(receiver.received.length, 3)
})

test('a disabled endpoint is listed with the reason, and enabled again by the command that the refusals name', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const { endpointId } = receiver
  receiver.always({ status: 410 })
  await json(world, 'endpoint', 'ping', endpointId)
  const listed = await json(world, 'endpoint', 'list', '--workspace', world.workspaceId)
  const [found] = listed['endpoints'] as Record<string, unknown>[]
  assert.deepEqual([found?.['endpointId'], found?.['status']], [endpointId, 'disabled'])
  assert.match(String(found?.['statusReason']), /410/)
  const { stdout } = await run(world, 'endpoint', 'list', '--workspace', world.workspaceId)
  assert.match(stdout, new RegExp(`^${endpointId} .* disabled since .*410`))

  const told = new RegExp(`is disabled.*"endpoint enable ${endpointId}"`)
  for (const words of [['ping'], ['resume'], ['resend']]) {
    assert.match((await run(world, 'endpoint', ...words, endpointId)).stderr, told)
  }
  assert.match((await run(world, 'endpoint', 'pause', endpointId)).stderr, /is disabled already/)
  assert.deepEqual(await json(world, 'endpoint', 'enable', endpointId), { endpointId, status: 'enabled' })
  assert.match((await run(world, 'endpoint', 'enable', endpointId)).stderr, /is enabled already/)
})

test('a rotated secret is printed once and signs from then on beside the previous one', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const { endpointId, secret: first } = receiver
  const rotated = await json(world, 'endpoint', 'rotate', endpointId)
  const second = String(rotated['secret'])
  assert.match(second, /^whsec_/)
  assert.notEqual(second, first)
  const hours = (Date.parse(String(rotated['previousSecretUntil'])) - Date.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours < 24.1, String(hours))
  await json(world, 'endpoint', 'ping', endpointId)
  const [ping] = receiver.received
  assert.ok(ping)
  assertSigned(ping, first)
  assertSigned(ping, second)
})

test('a paused sender is listed as such, and what it has accepted is sent once it is resumed', async (t) => {
  const world = await startWorld(t, { works: false })
  const otp = await world.sendOtp()
  const { senderId } = world
  assert.deepEqual(await json(world, 'sender', 'pause', senderId), { senderId, paused: true })
  const refused = await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })
  assert.match(String(refused.body.detail), /Resume it with "sender resume <senderId>"/)
  await world.node({ works: true })
  await world.settled()
  assert.equal(world.whatsapp.got(otp).length, 0)

  const listed = await json(world, 'sender', 'list', '--workspace', world.workspaceId)
  const found = (listed['senders'] as Record<string, unknown>[]).find((each) => each['senderId'] === senderId)
  assert.match(String(found?.['unavailable']), /was paused/)
  assert.match(
    (await run(world, 'sender', 'list', '--workspace', world.workspaceId)).stdout,
    /CONNECTED {2}The sender was/,
  )
  assert.deepEqual(await json(world, 'sender', 'resume', senderId), { senderId, paused: false })
  await world.settled()
  assert.equal(world.whatsapp.got(otp).length, 1)
})

async function json(world: World, ...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(world, ...words, '--json')
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout) as Record<string, unknown>
}

async function run({ databaseUrl }: World, ...words: string[]) {
  const written = { stdout: '', stderr: '' }
  const code = await runCommandLine(words, {
    environment: {
      DATABASE_URL: databaseUrl,
      DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
      DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
    },
    stdout: (text) => (written.stdout += text),
    stderr: (text) => (written.stderr += text),
  })
  return { code, ...written }
}
