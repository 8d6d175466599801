import assert from 'node:assert/strict'
import { test } from 'node:test'
import { INSTANCE_KEY } from '../../world/node.ts'
import { assertSigned } from '../../world/receiver.ts'
import { record } from '../../database/events.ts'
import { type World, startWorld } from '../../world/world.ts'
import { runCommandLine } from '../../../src/cli.ts'

test('commands pause, resume and resend while a server runs', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const { endpointId } = receiver
  await json(world, 'endpoint', 'pause', endpointId)
  const otps = [await world.sendOtp(), await world.sendOtp(), await world.sendOtp()]
  for (const otp of otps) await world.whatsapp.reports(otp, ['sent'])
  await world.settled()
  assert.equal(receiver.received.length, 0)
  const rejected = await run(world, 'endpoint', 'resend', endpointId, '--count')
  assert.match(rejected.stderr, new RegExp(`The endpoint is paused\\. .* with "endpoint resume ${endpointId}"`))

  const explained = await run(world, 'explain', otps[1]?.messageId ?? '')
  const [resume = '', resend = ''] = Array.from(
    explained.stdout.matchAll(/"(endpoint [^"]+)"/g),
    ([, command]) => command ?? '',
  )
  assert.deepEqual(await json(world, ...resume.split(' ')), { endpointId, status: 'enabled' })
  assert.deepEqual(await json(world, ...resend.split(' ')), { endpointId, events: 1, resent: true })
  await world.settled()
  assert.equal(receiver.received.length, 1)
  assert.equal(receiver.received[0]?.event.data['messageId'], otps[1]?.messageId)

  const filter = ['--since', '2026-01-01T00:00:00+01:00', '--type', 'message.sent', '--status', 'held']
  const count = await json(world, 'endpoint', 'resend', endpointId, ...filter, '--count')
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

test('a pause holds more than one batch, and a resend records each batch', async (t) => {
  const world = await startWorld(t, { works: false })
  const { endpointId } = await world.receiver()
  await record(world, 2_001)
  await json(world, 'endpoint', 'pause', endpointId)
  const statuses = 'select status, count(*) as total from webhook_deliveries where endpoint_id = $1 group by status'
  assert.deepEqual(await world.query(statuses, [endpointId]), [{ status: 'held', total: 2_001 }])
  await json(world, 'endpoint', 'resume', endpointId)
  assert.deepEqual(await json(world, 'endpoint', 'resend', endpointId), { endpointId, events: 2_001, resent: true })
  const entries = `select after ->> 'resent' as resent from audit_log where action = 'endpoint.resent' and target = $1 order by id`
  const resent = await world.query<{ resent: string }>(entries, [endpointId])
  assert.deepEqual(
    resent.map((entry) => Number(entry.resent)),
    [1_000, 1_000, 1],
  )
})

test('a disabled endpoint is listed with its reason, and errors name "endpoint enable"', async (t) => {
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
  assert.match(stdout, new RegExp(`^ENDPOINT +URL +STATUS\n${endpointId} .* disabled since .*410`))

  const expected = new RegExp(`is disabled.*"endpoint enable ${endpointId}"`)
  for (const words of [['ping'], ['resume'], ['resend']]) {
    assert.match((await run(world, 'endpoint', ...words, endpointId)).stderr, expected)
  }
  assert.match((await run(world, 'endpoint', 'pause', endpointId)).stderr, /is already disabled/)
  assert.deepEqual(await json(world, 'endpoint', 'enable', endpointId), { endpointId, status: 'enabled' })
  assert.match((await run(world, 'endpoint', 'enable', endpointId)).stderr, /is already enabled/)
})

test('commands change an endpoint’s URL, types and description, and delete it', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const chosen = ['--events', 'cod.confirmed,message.sent', '--description', 'Orders']
  const added = await json(world, 'endpoint', 'add', '--workspace', world.workspaceId, '--url', receiver.url, ...chosen)
  const endpointId = String(added['endpointId'])
  const settings = { url: `${receiver.url}/new`, description: 'Orders', eventTypes: null }
  assert.match((await run(world, 'endpoint', 'update', endpointId)).stderr, /Say what to change/)
  assert.match(
    (await run(world, 'endpoint', 'update', endpointId, '--events', 'ping')).stderr,
    /must be "all", or types/,
  )
  const changed = await json(world, 'endpoint', 'update', endpointId, '--url', settings.url, '--events', 'all')
  assert.deepEqual(changed, { endpointId, ...settings })

  assert.match((await run(world, 'endpoint', 'delete', endpointId)).stderr, /add --yes/)
  assert.deepEqual(await json(world, 'endpoint', 'delete', endpointId, '--yes'), {
    endpointId,
    url: settings.url,
    deleted: true,
  })
  const listed = await json(world, 'endpoint', 'list', '--workspace', world.workspaceId)
  assert.deepEqual(
    (listed['endpoints'] as { endpointId: string }[]).map(({ endpointId }) => endpointId),
    [receiver.endpointId],
  )
  for (const words of [
    ['ping'],
    ['enable'],
    ['rotate'],
    ['resend'],
    ['update', '--events', 'all'],
    ['delete', '--yes'],
  ])
    assert.match(
      (await run(world, 'endpoint', words[0]!, endpointId, ...words.slice(1))).stderr,
      /There is no endpoint/,
    )
})

test('a command tries what waits at once, without its place in the schedule', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const { endpointId } = receiver
  receiver.answers({ status: 503, headers: { 'retry-after': '300' } })
  await world.whatsapp.reports(await world.sendOtp(), ['sent'])
  await world.settled()
  const pending = ['endpoint', 'resend', endpointId, '--status', 'pending']
  assert.match((await run(world, ...pending, '--type', 'ping')).stderr, /only --count/)
  assert.deepEqual(await json(world, ...pending, '--count'), { endpointId, events: 1, resent: false })
  assert.deepEqual(await json(world, ...pending), { endpointId, events: 1, resent: true })
  await receiver.waitFor(2)
  await world.settled()
  assert.deepEqual(await json(world, ...pending), { endpointId, events: 0, resent: true })
})

test('webhooks are signed with both the rotated and the previous secret', async (t) => {
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

test('a paused sender is listed, and its accepted messages are sent after resume', async (t) => {
  const world = await startWorld(t, { works: false })
  const otp = await world.sendOtp()
  const { senderId } = world
  assert.deepEqual(await json(world, 'sender', 'pause', senderId), { senderId, paused: true })
  const rejected = await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })
  assert.match(String(rejected.body.detail), /Resume it on the Senders page or with "sender resume <senderId>"/)
  await world.node({ works: true })
  await world.settled()
  assert.equal(world.whatsapp.got(otp).length, 0)

  const listed = await json(world, 'sender', 'list', '--workspace', world.workspaceId)
  const found = (listed['senders'] as Record<string, unknown>[]).find((each) => each['senderId'] === senderId)
  assert.match(String(found?.['unavailable']), /is paused/)
  assert.match(
    (await run(world, 'sender', 'list', '--workspace', world.workspaceId)).stdout,
    /CONNECTED {2}no: The sender is/,
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
  const output = { stdout: '', stderr: '' }
  const code = await runCommandLine(words, {
    environment: {
      DATABASE_URL: databaseUrl,
      DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
      DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
    },
    stdout: (text) => (output.stdout += text),
    stderr: (text) => (output.stderr += text),
  })
  return { code, ...output }
}
