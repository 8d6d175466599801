import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonOfCommand, runCommandIn } from '../../world/command-line.ts'
import { record } from '../../database/events.ts'
import { startReceiver } from '../../world/receiver.ts'
import { startWorld } from '../../world/world.ts'

test('commands pause, resume and resend while a server runs', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const { endpointId } = receiver
  await jsonOfCommand(world, 'endpoint', 'pause', endpointId)
  const otps = [await world.sendOtp(), await world.sendOtp(), await world.sendOtp()]
  for (const otp of otps) await world.whatsapp.reports(otp, ['sent'])
  assert.equal(receiver.received.length, 0)
  const rejected = await runCommandIn(world, ['endpoint', 'resend', endpointId, '--count'])
  assert.match(
    rejected.stderr,
    new RegExp(`The endpoint is paused\\. .* with “doorcode endpoint resume ${endpointId}”`),
  )

  const explained = await runCommandIn(world, ['explain', otps[1]?.messageId ?? ''])
  const [resume = '', resend = ''] = Array.from(
    explained.stdout.matchAll(/“doorcode (endpoint [^”]+)”/g),
    ([, command]) => command ?? '',
  )
  assert.deepEqual(await jsonOfCommand(world, ...resume.split(' ')), { endpointId, status: 'enabled' })
  assert.deepEqual(await jsonOfCommand(world, ...resend.split(' ')), { endpointId, events: 1, resent: true })
  await world.settled()
  assert.equal(receiver.received.length, 1)
  assert.equal(receiver.received[0]?.event.data['messageId'], otps[1]?.messageId)

  const filter = ['--since', '2026-01-01T00:00:00+01:00', '--type', 'message.sent', '--status', 'held']
  const count = await jsonOfCommand(world, 'endpoint', 'resend', endpointId, ...filter, '--count')
  assert.deepEqual(count, { endpointId, events: 2, resent: false })
  assert.deepEqual(await jsonOfCommand(world, 'endpoint', 'resend', endpointId, '--until', '2026-01-01T00:00:00Z'), {
    endpointId,
    events: 0,
    resent: true,
  })
  assert.deepEqual(await jsonOfCommand(world, 'endpoint', 'resend', endpointId), {
    endpointId,
    events: 2,
    resent: true,
  })
  await world.settled()
  assert.equal(receiver.received.length, 3)
})

test('a pause holds more than one batch, and a resend records each batch', async (t) => {
  const world = await startWorld(t, { works: false })
  const { endpointId } = await world.receiver()
  await record(world, 2_001)
  await jsonOfCommand(world, 'endpoint', 'pause', endpointId)
  const statuses = 'select status, count(*) as total from webhook_deliveries where endpoint_id = $1 group by status'
  assert.deepEqual(await world.query(statuses, [endpointId]), [{ status: 'held', total: 2_001 }])
  await jsonOfCommand(world, 'endpoint', 'resume', endpointId)
  assert.deepEqual(await jsonOfCommand(world, 'endpoint', 'resend', endpointId), {
    endpointId,
    events: 2_001,
    resent: true,
  })
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
  await jsonOfCommand(world, 'endpoint', 'ping', endpointId)
  const listed = await jsonOfCommand(world, 'endpoint', 'list', '--workspace', world.workspaceId)
  const [found] = listed['endpoints'] as Record<string, unknown>[]
  assert.deepEqual([found?.['endpointId'], found?.['status']], [endpointId, 'disabled'])
  assert.match(String(found?.['statusReason']), /410/)
  const { stdout } = await runCommandIn(world, ['endpoint', 'list', '--workspace', world.workspaceId])
  assert.match(stdout, new RegExp(`^ENDPOINT +URL +STATUS\n${endpointId} .* disabled since .*410`))

  const expected = new RegExp(`is disabled.*“doorcode endpoint enable ${endpointId}”`)
  for (const words of [['ping'], ['resume'], ['resend']]) {
    assert.match((await runCommandIn(world, ['endpoint', ...words, endpointId])).stderr, expected)
  }
  assert.match((await runCommandIn(world, ['endpoint', 'pause', endpointId])).stderr, /is already disabled/)
  assert.deepEqual(await jsonOfCommand(world, 'endpoint', 'enable', endpointId), { endpointId, status: 'enabled' })
  assert.match((await runCommandIn(world, ['endpoint', 'enable', endpointId])).stderr, /is already enabled/)
})

test('commands change an endpoint’s URL, types and description, and delete it', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const chosen = ['--events', 'cod.confirmed,message.sent', '--description', 'Orders']
  const added = await jsonOfCommand(
    world,
    'endpoint',
    'add',
    '--workspace',
    world.workspaceId,
    '--url',
    receiver.url,
    ...chosen,
  )
  const endpointId = String(added['endpointId'])
  const settings = { url: `${receiver.url}/new`, description: 'Orders', eventTypes: null }
  assert.match((await runCommandIn(world, ['endpoint', 'update', endpointId])).stderr, /Say what to change/)
  assert.match(
    (await runCommandIn(world, ['endpoint', 'update', endpointId, '--events', 'ping'])).stderr,
    /must be "all", or types/,
  )
  const changed = await jsonOfCommand(world, 'endpoint', 'update', endpointId, '--url', settings.url, '--events', 'all')
  assert.deepEqual(changed, { endpointId, ...settings })

  assert.match((await runCommandIn(world, ['endpoint', 'delete', endpointId])).stderr, /add --yes/)
  assert.deepEqual(await jsonOfCommand(world, 'endpoint', 'delete', endpointId, '--yes'), {
    endpointId,
    url: settings.url,
    deleted: true,
  })
  const listed = await jsonOfCommand(world, 'endpoint', 'list', '--workspace', world.workspaceId)
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
      (await runCommandIn(world, ['endpoint', words[0]!, endpointId, ...words.slice(1)])).stderr,
      /There is no endpoint/,
    )
})

test('of the filters, --status pending allows only --count', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 503, headers: { 'retry-after': '300' } })
  await record(world, 1)
  await world.settled()
  const pending = ['endpoint', 'resend', receiver.endpointId, '--status', 'pending']
  assert.match((await runCommandIn(world, [...pending, '--type', 'ping'])).stderr, /only --count/)
  assert.deepEqual(await jsonOfCommand(world, ...pending, '--count'), {
    endpointId: receiver.endpointId,
    events: 1,
    resent: false,
  })
})

test('a new URL gets what waits immediately, whatever pause the former one asked for', async (t) => {
  const world = await startWorld(t)
  const [receiver, moved] = [await world.receiver(), await startReceiver()]
  t.after(() => moved.close())
  receiver.always({ status: 503, headers: { 'retry-after': '3600' } })
  await world.whatsapp.reports(await world.sendOtp(), ['sent'])
  await jsonOfCommand(world, 'endpoint', 'update', receiver.endpointId, '--url', moved.url)
  await moved.waitFor(1)
})
