import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { assertSigned } from '../../../test/world/receiver.ts'
import { spyOnDb } from '../../../test/database/db-spy.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { DatabaseUnavailable } from '../../lib/db/connection.ts'
import { newId } from '../../lib/ids.ts'
import { createLog } from '../../lib/log.ts'
import { startLoop } from '../../runtime/jobs/loop.ts'
import { claimDeliveries, claimDelivery } from './claim.ts'
import { createDeliverer } from './attempt.ts'
import { deliverLoop } from './deliver.ts'
import { deliverNow } from './deliver-now.ts'
import { enableEndpoint, findEndpoint, pingEndpoint, rotateSecret } from '../endpoints.ts'
import { createFinisher } from './finish.ts'
import { webhookAgent } from './post.ts'
import { countResendable, resendBatch, resendDelivery } from '../resend.ts'
import { STEPS_MS } from './schedule.ts'
import { type WebhookReceiver, type WebhookWorld, startWebhookWorld, idOf } from '../../../test/world/webhook-world.ts'

/** More than the jitter, less than the next step. */
const SURELY_DUE = 1.15
const SURELY_NOT_DUE = 0.85
/** Longer than any lease. */
const LEASE_OVER_MS = 2 * MINUTE_MS

const statusOf = async (world: WebhookWorld, { endpointId }: WebhookReceiver): Promise<string | undefined> =>
  (await findEndpoint(world.db, { workspaceId: world.workspaceId, endpointId }))?.status

test('every endpoint gets each event once, signed, with the recorded id and bytes', async (t) => {
  const world = await startWebhookWorld(t)
  const [first, second] = [await world.receiver(), await world.receiver()]
  const [eventId] = await world.deliver()
  for (const receiver of [first, second]) {
    const [request] = receiver.received
    assert.ok(request)
    assert.equal(receiver.received.length, 1)
    assertSigned(request, receiver.secret)
    assert.equal(request.id, eventId)
    assert.equal(request.headers['content-type'], 'application/json')
    assert.equal(request.headers['user-agent'], 'Doorcode-Webhooks/1')
    assert.deepEqual(Object.keys(request.event), ['type', 'timestamp', 'data'])
    assert.equal(request.event.timestamp, request.event.data.occurredAt)
    assert.equal((await world.delivery(eventId, receiver)).status, 'succeeded')
  }
  assert.equal(first.received[0]?.body, second.received[0]?.body)
})

test('a failing delivery follows the schedule under one id and then fails', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500, body: 'down' })
  const [eventId] = await world.deliver()
  for (const [step, wait] of STEPS_MS.entries()) {
    if (step > 0) {
      await world.after(wait * SURELY_NOT_DUE)
      assert.equal(receiver.received.length, step, `nothing before step ${step}`)
      await world.after(wait * (SURELY_DUE - SURELY_NOT_DUE))
    }
    assert.equal(receiver.received.length, step + 1)
  }
  const delivery = await world.delivery(eventId, receiver)
  assert.equal(delivery.status, 'failed')
  assert.deepEqual(
    delivery.attempts.map(({ attempt, httpStatus, response }) => ({ attempt, httpStatus, response })),
    STEPS_MS.map((_, index) => ({ attempt: index + 1, httpStatus: 500, response: 'down' })),
  )
  assert.equal(new Set(receiver.ids()).size, 1)
  assert.equal(await statusOf(world, receiver), 'enabled', 'a whole schedule is shorter than what disables')
  const timestamps = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
  assert.ok(
    timestamps.every((time, index) => index === 0 || time > (timestamps[index - 1] ?? 0)),
    'each attempt has its own time',
  )
})

for (const [form, status, headerAt] of [
  ['in seconds', 429, () => '60'],
  ['as a date', 503, (now: Date) => new Date(now.getTime() + MINUTE_MS).toUTCString()],
] as const) {
  test(`Retry-After ${form} delays the next attempt to that time`, async (t) => {
    const world = await startWebhookWorld(t)
    const receiver = await world.receiver()
    receiver.answers({ status, headers: { 'retry-after': headerAt(world.clock.now()) } })
    await world.deliver()
    await world.after(50 * SECOND_MS)
    assert.equal(receiver.received.length, 1)
    await world.after(12 * SECOND_MS)
    assert.equal(receiver.received.length, 2)
  })
}

test('410 disables the endpoint immediately and holds what waits for it', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 500 })
  const [waiting] = await world.deliver()
  receiver.answers({ status: 410 })
  const [answeredGone] = await world.deliver()
  const endpoint = await findEndpoint(world.db, idOf(world, receiver))
  assert.equal(endpoint?.status, 'disabled')
  assert.deepEqual(endpoint?.statusReason, { code: 'webhooks.endpoint_gone' })
  const [recordedAfter] = await world.record()
  await world.after(DAY_MS)
  assert.equal(receiver.received.length, 2)
  for (const id of [waiting, answeredGone, recordedAfter])
    assert.equal((await world.delivery(id, receiver)).status, 'held')
})

test('five days of nothing but failures disable an endpoint', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500 })
  await world.deliver()
  await world.after(4.9 * DAY_MS)
  assert.equal(await statusOf(world, receiver), 'enabled')
  await world.after(0.2 * DAY_MS)
  await world.deliver()
  const endpoint = await findEndpoint(world.db, idOf(world, receiver))
  assert.equal(endpoint?.status, 'disabled')
  assert.deepEqual(endpoint?.statusReason, { code: 'webhooks.endpoint_failed_too_long', days: 5 })
})

test('one success within the five days restarts their count', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 500 }, { status: 200 })
  receiver.always({ status: 500 })
  await world.deliver()
  await world.after(3 * DAY_MS) // succeeds
  assert.equal((await findEndpoint(world.db, idOf(world, receiver)))?.failingSince, null)
  world.advance(2.5 * DAY_MS)
  await world.deliver()
  assert.equal(await statusOf(world, receiver), 'enabled')
})

test('days in which Doorcode cannot read the secret never disable an endpoint', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 500 })
  receiver.always({ status: 200 })
  await world.deliver()
  const text = 'update webhook_endpoints set secret = set_byte(secret, 20, get_byte(secret, 20) # 255) where id = $1'
  const loseOrFindSecret = () => world.db.rows({ name: 'lose_or_find_secret', text }, [receiver.endpointId])
  await loseOrFindSecret()
  world.parts.log.level = 'silent' // each attempt would be logged
  let waiting: string | undefined
  for (let times = 0; times < 2; times += 1) {
    world.advance(5.1 * DAY_MS)
    ;[waiting] = await world.deliver()
    assert.equal(await statusOf(world, receiver), 'enabled')
  }
  assert.equal((await world.delivery(waiting, receiver)).attempts[0]?.error?.code, 'webhooks.secret_lost')
  await loseOrFindSecret()
  receiver.answers({ status: 500 })
  await world.deliver()
  assert.equal(await statusOf(world, receiver), 'enabled', 'its own failures have lasted for a moment')
  await world.record() // succeeds, and brings the others forward
  await waitFor('what waited', async () => {
    world.advance(SECOND_MS)
    return (await world.delivery(waiting, receiver)).status === 'succeeded'
  })
})

test('enabling a disabled endpoint gives it five days again', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 410 })
  await world.deliver()
  world.advance(6 * DAY_MS)
  await enableEndpoint(world.parts.db, world.parts.clock, idOf(world, receiver))
  receiver.always({ status: 500 })
  await world.deliver()
  assert.equal(await statusOf(world, receiver), 'enabled')
})

test('a paused endpoint gets nothing, and a resumed one only new events', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.pause(receiver)
  const [held] = await world.record()
  await world.after(HOUR_MS)
  assert.equal(receiver.received.length, 0)
  await world.resume(receiver)
  const [fresh] = await world.record()
  await world.after(HOUR_MS)
  assert.deepEqual(receiver.ids(), [fresh])
  assert.equal((await world.delivery(held, receiver)).status, 'held')
})

test('each held delivery can be resent', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.pause(receiver)
  const [first, second] = await world.record(2)
  const { deliveryId } = await world.delivery(second, receiver)
  const { workspaceId } = world
  await assert.rejects(resendDelivery(world.parts, { workspaceId, deliveryId }), /paused/)
  await world.resume(receiver)
  await resendDelivery(world.parts, { workspaceId, deliveryId })
  await world.settled()
  assert.deepEqual(receiver.ids(), [second])
  assert.equal((await world.delivery(first, receiver)).status, 'held')
})

test('a resent delivery restarts its schedule under the same id', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500 })
  const [eventId] = await world.deliver()
  for (const wait of STEPS_MS.slice(1)) {
    await world.after(wait * SURELY_DUE)
  }
  const { deliveryId } = await world.delivery(eventId, receiver)
  await resendDelivery(world.parts, { workspaceId: world.workspaceId, deliveryId })
  await world.settled()
  assert.equal((await world.delivery(eventId, receiver)).status, 'pending')
  await world.after(5 * SECOND_MS * SURELY_DUE)
  assert.equal(receiver.received.length, STEPS_MS.length + 2)
  assert.equal(new Set(receiver.ids()).size, 1)
})

test('a bulk resend sends exactly what its filter counted', async (t) => {
  const world = await startWebhookWorld(t)
  const [receiver, other] = [await world.receiver(), await world.receiver()]
  for (const each of [receiver, other]) await world.pause(each)
  await world.record(3)
  world.advance(HOUR_MS)
  const from = world.clock.now()
  const inRange = await world.record(1_005) // more than one batch
  world.advance(HOUR_MS)
  const to = world.clock.now()
  world.advance(HOUR_MS)
  await world.record(2)
  for (const each of [receiver, other]) await world.resume(each)
  const filter = { ...idOf(world, receiver), type: 'message.sent', from, to } as const
  assert.equal(await countResendable(world.parts, filter), 1_005)
  assert.equal(await countResendable(world.parts, { ...filter, type: 'ping' }), 0)
  assert.equal(await countResendable(world.parts, { ...filter, statuses: ['succeeded'] }), 0)
  const run = { ...filter, startedAt: world.clock.now() }
  assert.deepEqual(await resendBatch(world.parts, run), { resent: 1_000, more: true })
  assert.deepEqual(await resendBatch(world.parts, run), { resent: 5, more: false })
  await world.settled()
  assert.deepEqual(receiver.ids().sort(), inRange.sort())
  assert.equal(other.received.length, 0)
  assert.equal(await countResendable(world.parts, filter), 0)
})

test('a bulk resend of succeeded deliveries sends each one once', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.deliver(20)
  world.advance(MINUTE_MS)
  const run = { workspaceId: world.workspaceId, statuses: ['succeeded'], startedAt: world.clock.now() } as const
  assert.deepEqual(await resendBatch(world.parts, run), { resent: 20, more: false })
  await world.settled()
  assert.equal(receiver.received.length, 40)
})

test('both secrets sign for a day after a rotation, then only the new one', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const { secret } = await rotateSecret(world.parts, idOf(world, receiver))
  await world.deliver()
  const [during] = receiver.received
  assert.ok(during)
  assertSigned(during, secret)
  assertSigned(during, receiver.secret)
  world.advance(DAY_MS)
  await world.deliver()
  const after = receiver.received[1]
  assert.ok(after)
  assertSigned(after, secret)
  assert.throws(() => assertSigned(after, receiver.secret))
})

test('a redirect is a failure and is not followed', async (t) => {
  const world = await startWebhookWorld(t)
  const [receiver, elsewhere] = [await world.receiver(), await world.receiver()]
  receiver.answers({ status: 302, headers: { location: elsewhere.url } })
  const [eventId] = await world.deliver()
  assert.equal(elsewhere.received.length, 1, 'only its own event')
  const delivery = await world.delivery(eventId, receiver)
  assert.equal(delivery.status, 'pending')
  assert.deepEqual(delivery.attempts[0]?.error, { code: 'webhooks.redirect' })
})

test('an endpoint that never answers delays no other', async (t) => {
  const world = await startWebhookWorld(t)
  const [stuck, healthy] = [await world.receiver(), await world.receiver()]
  stuck.always({ hang: true })
  await world.record(300)
  await healthy.waitFor(300)
  assert.ok(stuck.received.length < 100, 'the stuck one was not given everything immediately')
})

test('an endpoint with a large backlog does not starve another', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const busy = await world.receiver()
  await world.record(5_000)
  const late = await world.receiver()
  await world.record(1)
  world.startWorker()
  await late.waitFor(1)
  assert.ok(busy.received.length < 2_500)
})

test('long, binary and malformed answers can be stored', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 200, body: 'x'.repeat(5_000_000) }, { status: 200, body: 'a\0b' })
  const [big] = await world.deliver()
  const [strange] = await world.deliver()
  assert.equal((await world.delivery(big, receiver)).attempts[0]?.response?.length, 2_048)
  assert.equal((await world.delivery(strange, receiver)).attempts[0]?.response, 'a\uFFFDb')
  assert.equal((await world.delivery(big, receiver)).status, 'succeeded')
})

test('two processes deliver each event once', async (t) => {
  const world = await startWebhookWorld(t, { loops: 2 })
  const receiver = await world.receiver()
  const ids = await world.deliver(400)
  assert.deepEqual(receiver.ids().sort(), ids.sort())
})

test('a killed process’s delivery is attempted again, and its late result changes nothing', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.pause(receiver)
  const [eventId] = await world.record()
  const { deliveryId } = await world.delivery(eventId, receiver)
  await world.resume(receiver)
  const [claimed] = await claimElsewhere(world, receiver, deliveryId)
  assert.ok(claimed)
  world.parts.wake()
  await world.after(LEASE_OVER_MS)
  assert.equal((await world.delivery(eventId, receiver)).status, 'succeeded')

  const now = world.clock.now()
  await createFinisher(world.parts)({
    delivery: claimed,
    url: receiver.url,
    startedAt: now,
    endedAt: now,
    durationMs: 1,
    httpStatus: 500,
    retryAfter: null,
    response: null,
    error: null,
    decision: { outcome: 'retry', step: 1, dueAt: now, earlyAt: null, retryAfterUntil: null, earlyAttempts: 0 },
  })
  const delivery = await world.delivery(eventId, receiver)
  assert.equal(delivery.status, 'succeeded')
  assert.deepEqual(
    delivery.attempts.map(({ httpStatus }) => httpStatus),
    [500, 204],
    'the attempt itself is stored',
  )
})

/** Like another process that is faster than this one's loop. */
async function claimElsewhere(world: WebhookWorld, receiver: WebhookReceiver, deliveryId: string) {
  return world.db.transaction(async (tx) => {
    await tx.rows(
      { name: 'make_due', text: "update webhook_deliveries set status = 'pending', due_at = $2 where id = $1" },
      [deliveryId, world.clock.now()],
    )
    return claimDeliveries(tx, [{ ...idOf(world, receiver), capacity: 1, dueAt: new Date(0) }], {
      ...world.parts,
      lease: newId(),
    })
  })
}

test('a delivery recorded while its endpoint is being paused is held', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const eventId = await recordWhilePausing(world, receiver)
  world.startWorker()
  await world.settled()
  assert.equal((await world.delivery(eventId, receiver)).status, 'held')
  assert.equal(receiver.received.length, 0)
})

async function recordWhilePausing(world: WebhookWorld, receiver: WebhookReceiver): Promise<string | undefined> {
  const [eventId] = await world.record()
  await world.pause(receiver)
  const text = "update webhook_deliveries set status = 'pending', due_at = $2 where event_id = $1"
  await world.db.rows({ name: 'record_late', text }, [eventId, world.clock.now()])
  return eventId
}

test('while the deliveries of a paused endpoint are being held, others are made', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const paused = await world.receiver()
  const eventId = await recordWhilePausing(world, paused)
  const [holding, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const db = spyOnDb(world.db, async ({ statement, run }) => {
    if (statement.name !== 'hold_deliveries') return run()
    holding.resolve()
    await free.promise
    return run()
  })
  const log = pino({ level: 'silent' })
  const loop = startLoop(deliverLoop({ ...world.parts, db, log }), log)
  t.after(() => {
    free.resolve()
    return loop.stop()
  })
  await holding.promise
  const other = await world.receiver()
  await world.record()
  await other.waitFor(1)
  free.resolve()
  await waitFor('the hold', async () => (await world.delivery(eventId, paused)).status === 'held')
})

test('an attempt in flight when its endpoint is paused may still succeed', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const { promise, resolve } = Promise.withResolvers<void>()
  receiver.answers({ after: promise })
  const [eventId] = await world.record()
  await receiver.waitFor(1)
  await world.pause(receiver)
  assert.equal((await world.delivery(eventId, receiver)).status, 'held')
  resolve()
  await waitFor(
    'the success to be stored',
    async () => (await world.delivery(eventId, receiver)).status === 'succeeded',
  )
})

test('a stop waits for the attempts in flight and loses no result', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const { promise, resolve } = Promise.withResolvers<void>()
  receiver.answers({ after: promise })
  const loop = world.startWorker()
  const [eventId] = await world.record()
  await receiver.waitFor(1)
  const stopped = loop.stop()
  resolve()
  await stopped
  assert.equal((await world.delivery(eventId, receiver)).status, 'succeeded')
})

test('a webhook that arrived before an outage of the database is not sent again', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  let failures = 0
  const db = spyOnDb(world.db, ({ statement, values, run }) => {
    const isOurs = statement.name === 'finish_deliveries' && JSON.stringify(values).includes(world.workspaceId)
    if (isOurs && ++failures <= 4) throw new DatabaseUnavailable(new Error('connect ECONNREFUSED'))
    return run()
  })
  const loop = startLoop(deliverLoop({ ...world.parts, db, log: pino({ level: 'silent' }) }), pino({ level: 'silent' }))
  const [eventId] = await world.record()
  await waitFor('the result', () => failures > 4, 10 * SECOND_MS)
  await loop.stop()
  assert.equal((await world.delivery(eventId, receiver)).status, 'succeeded')
  assert.equal(receiver.received.length, 1)
})

test('an attempt interrupted by a stop is due immediately, not a failure', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  receiver.always({ hang: true })
  const [eventId] = await world.record()
  const { deliveryId } = await world.delivery(eventId, receiver)
  const stop = new AbortController()
  const agent = webhookAgent({ allowPrivate: true })
  const claimed = await claimDelivery(world.db, deliveryId, world.clock)
  assert.ok(claimed)
  const attempt = createDeliverer(world.parts, agent, stop.signal)(claimed, claimed)
  await receiver.waitFor(1)
  stop.abort()
  await createFinisher(world.parts)(await attempt)
  agent.destroy()

  const again = await claimDelivery(world.db, deliveryId, world.clock)
  assert.equal(again?.step, 0)
  assert.equal(again?.attempt, 2)
  assert.equal((await findEndpoint(world.db, idOf(world, receiver)))?.failingSince, null)
})

test('a ping with a running server reaches only its endpoint and reports its outcome', async (t) => {
  const world = await startWebhookWorld(t)
  const [receiver, other] = [await world.receiver(), await world.receiver()]
  const { deliveryId } = await pingEndpoint(world.parts.db, world.parts.clock, idOf(world, receiver))
  assert.deepEqual(await deliverNow(world.parts, deliveryId), { status: 'succeeded', httpStatus: 204 })
  const [request] = receiver.received
  assert.ok(request)
  assert.equal(receiver.received.length, 1)
  assert.equal(request.event.type, 'ping')
  assert.deepEqual(request.event.data, { endpointId: receiver.endpointId, occurredAt: request.event.timestamp })
  assert.equal(other.received.length, 0)
})

test('a ping is delivered without a running server, and a failure says why', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  receiver.answers({ status: 500 })
  const rejected = await pingEndpoint(world.parts.db, world.parts.clock, idOf(world, receiver))
  assert.deepEqual(await deliverNow(world.parts, rejected.deliveryId), { status: 'pending', httpStatus: 500 })
  await receiver.close()
  const unreachable = await pingEndpoint(world.parts.db, world.parts.clock, idOf(world, receiver))
  assert.deepEqual(await deliverNow(world.parts, unreachable.deliveryId), {
    status: 'pending',
    error: { code: 'webhooks.network_econnrefused' },
  })
})

test('only the log has the address of an endpoint inside the network', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const [eventId] = await world.record()
  const claimed = await claimDelivery(world.db, (await world.delivery(eventId, receiver)).deliveryId, world.clock)
  assert.ok(claimed)
  const lines: string[] = []
  const log = createLog('info')
  Reflect.set(log, pino.symbols.streamSym, { write: (line: string) => void lines.push(line) })
  const agent = webhookAgent({ allowPrivate: false, resolve: async () => [{ address: '10.20.30.40', family: 4 }] })
  t.after(() => agent.destroy())
  const deliver = createDeliverer({ ...world.parts, log }, agent, new AbortController().signal)
  const result = await deliver(claimed, { ...claimed, url: 'https://inside.example/' })
  assert.deepEqual(result.error, { code: 'webhooks.post_not_public' })
  assert.doesNotMatch(JSON.stringify(result), /10\.20\.30\.40/)
  assert.match(lines.join(), /10\.20\.30\.40/)
})
