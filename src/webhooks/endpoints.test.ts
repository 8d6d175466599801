import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { MAX_HELD_PER_BATCH, holdBacklog } from './endpoint-status.ts'
import {
  MAX_ENDPOINTS,
  deleteEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  pauseEndpoint,
  pingEndpoint,
  resumeEndpoint,
  rotateSecret,
} from './endpoints.ts'
import { countResendable, resendBatch, resendDelivery } from './resend.ts'
import { beginRetry, endPauses } from './retry.ts'
import { prepareUpdate, updateEndpoint } from './update.ts'
import { addEndpoint } from '../../test/world/set-up.ts'
import { assertSigned, startReceiver } from '../../test/world/receiver.ts'
import { type WebhookWorld, idOf, startWebhookWorld } from '../../test/world/webhook-world.ts'

const URL = 'https://127.0.0.1/hooks'

/** An endpoint without a server behind it. */
async function startWithEndpoint(t: TestContext) {
  const world = await startWebhookWorld(t, { loops: 0 })
  const { workspaceId, parts } = world
  const { endpointId, secret } = await addEndpoint(parts, { workspaceId, url: URL })
  return { ...world, id: { workspaceId, endpointId }, secret }
}

/** The results of all changes of an endpoint. */
async function outcomesOf(parts: WebhookWorld['parts'], id: { workspaceId: string; endpointId: string }) {
  const { db, clock } = parts
  return Promise.allSettled([
    pauseEndpoint(db, clock, id),
    resumeEndpoint(db, clock, id),
    enableEndpoint(db, clock, id),
    rotateSecret(parts, id),
    update(parts, { ...id, description: 'mine' }),
    deleteEndpoint(db, clock, id),
    endPauses(parts, id),
    beginRetry(db, clock, id),
    pingEndpoint(db, clock, id),
    resendBatch(parts, { ...id, startedAt: clock.now() }),
  ])
}

test('an endpoint needs an https URL of a public host, without credentials or fragment', async (t) => {
  const { parts, workspaceId } = await startWebhookWorld(t, { loops: 0 })
  const strict = { ...parts, config: { ...parts.config, allowPrivateWebhooks: false } }
  const faults: [string, RegExp][] = [
    ['http://example.com/', /https:\/\//],
    ['ftp://example.com/', /https:\/\//],
    ['example.com', /incomplete/],
    ['', /incomplete/],
    ['https://', /incomplete/],
    ['https://user:secret@example.com/', /user name/],
    ['https://user@example.com/', /user name/],
    ['https://example.com/#part', /fragment/],
    [`https://example.com/${'x'.repeat(2_048)}`, /longer/],
    [`https://example.com/${'é'.repeat(1_000)}`, /longer/],
    ['https://127.0.0.1/', /public/],
    ['https://2130706433/', /public/],
    ['https://[::1]/', /public/],
    ['https://169.254.169.254/latest/meta-data', /public/],
    ['https://10.0.0.1:8443/', /public/],
  ]
  for (const [url, fault] of faults)
    await assert.rejects(addEndpoint(strict, { workspaceId, url }), { name: 'UserError', message: fault }, url)
  assert.deepEqual(await listEndpoints(parts.db, workspaceId), [])
})

test('the secret is shown once and stored sealed', async (t) => {
  const { parts, db, id, secret } = await startWithEndpoint(t)
  const { workspaceId, endpointId } = id
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const text = 'select secret from webhook_endpoints where id = $1'
  const row = await db.row<{ secret: Buffer }>({ name: 'sealed_secret', text }, [endpointId])
  assert.ok(row)
  assert.equal(row.secret.includes(secret.slice(6)), false)
  assert.equal(parts.seal.open(row.secret, `endpoint:${endpointId}`), secret)
  const listed = await listEndpoints(db, workspaceId)
  assert.equal(JSON.stringify(listed).includes('secret"'), false)
  assert.deepEqual(
    listed.map(({ endpointId, url, status }) => ({ endpointId, url, status })),
    [{ endpointId, url: URL, status: 'enabled' }],
  )
})

test('endpoints added concurrently never exceed the limit of their workspace', async (t) => {
  const { parts, db, workspaceId } = await startWebhookWorld(t, { loops: 0 })
  const tries = Array.from({ length: MAX_ENDPOINTS + 5 }, () => addEndpoint(parts, { workspaceId, url: URL }))
  const outcomes = await Promise.allSettled(tries)
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 5)
  assert.equal((await listEndpoints(db, workspaceId)).length, MAX_ENDPOINTS)
})

test('only an enabled endpoint can be paused, and only a paused one resumed', async (t) => {
  const { parts, db, id } = await startWithEndpoint(t)
  await assert.rejects(resumeEndpoint(parts.db, parts.clock, id), /already enabled/)
  await assert.rejects(enableEndpoint(parts.db, parts.clock, id), /already enabled/)
  await pauseEndpoint(parts.db, parts.clock, id)
  await assert.rejects(pauseEndpoint(parts.db, parts.clock, id), /already paused/)
  await assert.rejects(enableEndpoint(parts.db, parts.clock, id), /is paused/)
  await assert.rejects(pingEndpoint(parts.db, parts.clock, id), /is paused/)
  await resumeEndpoint(parts.db, parts.clock, id)
  assert.equal((await findEndpoint(db, id))?.status, 'enabled')
})

test('pausing an endpoint holds its whole backlog', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const { endpointId } = await world.receiver()
  await world.record(2 * MAX_HELD_PER_BATCH + 1)
  const id = { workspaceId: world.workspaceId, endpointId }
  await pauseEndpoint(world.db, world.clock, id)
  await holdBacklog(world.db, id)
  const text = 'select status, count(*) as total from webhook_deliveries where endpoint_id = $1 group by status'
  assert.deepEqual(await world.db.rows({ name: 'count_by_status', text }, [endpointId]), [
    { status: 'held', total: 2 * MAX_HELD_PER_BATCH + 1 },
  ])
})

test('an endpoint that is deleted loses its secrets and receives nothing more', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const { parts, db, workspaceId } = world
  const receiver = await world.receiver()
  const id = idOf(world, receiver)
  await rotateSecret(parts, id)
  const [eventId] = await world.record(MAX_HELD_PER_BATCH + 1)
  await deleteEndpoint(parts.db, parts.clock, id)
  await holdBacklog(db, id)
  await world.record()
  world.startWorker()
  await world.settled()
  assert.equal(receiver.received.length, 0)
  const text = 'select status, count(*) as total from webhook_deliveries where endpoint_id = $1 group by status'
  assert.deepEqual(await db.rows({ name: 'count_by_status', text }, [id.endpointId]), [
    { status: 'held', total: MAX_HELD_PER_BATCH + 1 },
  ])
  const secrets = 'select secret, previous_secret from webhook_endpoints where id = $1'
  assert.deepEqual(await db.row({ name: 'secrets_of_deleted', text: secrets }, [id.endpointId]), {
    secret: Buffer.alloc(0),
    previous_secret: null,
  })
  assert.deepEqual(await listEndpoints(db, workspaceId), [])
  assert.ok((await findEndpoint(db, id))?.deletedAt)
  const { deliveryId } = await world.delivery(eventId, receiver)
  const outcomes = await outcomesOf(parts, id)
  for (const outcome of outcomes) assert.match(String('reason' in outcome && outcome.reason), /There is no endpoint/)
  await assert.rejects(resendDelivery(parts, { workspaceId, deliveryId }), /There is no delivery/)
  assert.equal(await countResendable(parts, { workspaceId }), 0)
})

test('deleted endpoints do not count towards the limit', async (t) => {
  const { parts, workspaceId } = await startWebhookWorld(t, { loops: 0 })
  for (let each = 0; each < MAX_ENDPOINTS; each += 1) {
    const { endpointId } = await addEndpoint(parts, { workspaceId, url: URL })
    if (each > 0) await deleteEndpoint(parts.db, parts.clock, { workspaceId, endpointId })
  }
  await addEndpoint(parts, { workspaceId, url: URL })
})

test('a new URL keeps the secret, restarts the count of failures and gets what waits', async (t) => {
  const world = await startWebhookWorld(t)
  const [broken, repaired] = [await world.receiver(), await startReceiver()]
  t.after(() => repaired.close())
  const id = idOf(world, broken)
  broken.always({ status: 503, headers: { 'retry-after': '2' } })
  const [eventId] = await world.deliver()
  assert.ok((await findEndpoint(world.db, id))?.failingSince)
  const { after: changed } = await update(world.parts, { ...id, url: `${repaired.url}/new` })
  assert.equal(changed.url, `${repaired.url}/new`)
  const endpoint = await findEndpoint(world.db, id)
  assert.ok(endpoint?.urlChangedAt && !endpoint.failingSince)
  world.advance(3 * SECOND_MS) // over Retry-After, and before the next attempt of the schedule
  await repaired.waitFor(1)
  await world.settled()
  assertSigned(repaired.received[0]!, broken.secret)
  const { deliveryId } = await world.delivery(eventId, broken)
  const details = await world.logged(broken, deliveryId)
  assert.deepEqual(
    details?.tries.map(({ url }) => url),
    [`${repaired.url}/new`, null],
  )
})

test('an endpoint takes only a short description and known types', async (t) => {
  const { parts, id } = await startWithEndpoint(t)
  await assert.rejects(update(parts, { ...id, eventTypes: [] }), /at least one event type/)
  await assert.rejects(update(parts, { ...id, description: 'two\nlines' }), /one line/)
  await assert.rejects(update(parts, { ...id, description: 'x'.repeat(201) }), /at most 200 characters/)
  const settings = {
    url: URL,
    description: '😀'.repeat(200),
    eventTypes: ['cod.failed' as const, 'message.sent' as const],
  }
  const expected = { ...settings, eventTypes: ['message.sent', 'cod.failed'] }
  for (const isChanged of [true, false]) {
    const updated = await update(parts, { ...id, ...settings })
    assert.deepEqual([updated.after, updated.isChanged], [expected, isChanged])
  }
})

test('a second rotation within the day leaves the last two secrets', async (t) => {
  const { parts, clock, db, id } = await startWithEndpoint(t)
  const { endpointId } = id
  const { secret: second } = await rotateSecret(parts, id)
  clock.advance(MINUTE_MS)
  const { secret: third } = await rotateSecret(parts, id)
  const text = 'select secret, previous_secret from webhook_endpoints where id = $1'
  const row = await db.row<{ secret: Buffer; previous_secret: Buffer }>({ name: 'sealed_secrets', text }, [endpointId])
  assert.ok(row)
  const open = (sealed: Buffer): string => parts.seal.open(sealed, `endpoint:${endpointId}`)
  assert.deepEqual([open(row.secret), open(row.previous_secret)], [third, second])
})

test('a new secret signs immediately where the previous one is unreadable', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const text = 'update webhook_endpoints set secret = set_byte(secret, 20, get_byte(secret, 20) # 255) where id = $1'
  await world.db.rows({ name: 'lose_secret', text }, [receiver.endpointId])
  const { secret } = await rotateSecret(world.parts, idOf(world, receiver))
  await world.deliver()
  assertSigned(receiver.received[0] ?? assert.fail(), secret)
})

async function update(parts: WebhookWorld['parts'], change: Parameters<typeof prepareUpdate>[1]) {
  const { db, clock } = parts
  const prepared = await prepareUpdate(parts, change)
  return db.transaction((tx) => updateEndpoint(tx, clock, prepared))
}
