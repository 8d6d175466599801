import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSigned } from '../../test/receiver.ts'
import { until } from '../../test/until.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../clock.ts'
import { claim, claimOne } from './claim.ts'
import { courier } from './courier.ts'
import { deliverNow } from './deliver-now.ts'
import { enableEndpoint, findEndpoint, pauseEndpoint, pingEndpoint, resumeEndpoint, rotateSecret } from './endpoints.ts'
import { finisher } from './finish.ts'
import { webhookAgent } from './post.ts'
import { countResendable, resendByFilter, resendDelivery } from './resend.ts'
import { STEPS_MS } from './schedule.ts'
import { type WebhookReceiver, type WebhookWorld, startWebhookWorld } from './webhook-world.ts'

/** More than the jitter, less than the next step. */
const SURELY_DUE = 1.15
const SURELY_NOT_DUE = 0.85
/** Longer than any lease. */
const LEASE_OVER_MS = 2 * MINUTE_MS

const statusOf = async (world: WebhookWorld, { endpointId }: WebhookReceiver): Promise<string | undefined> =>
  (await findEndpoint(world.db, { workspaceId: world.workspaceId, endpointId }))?.status

const idOf = (world: WebhookWorld, { endpointId }: WebhookReceiver) => ({ workspaceId: world.workspaceId, endpointId })

test('an event reaches every endpoint once, signed, with the same id and the very bytes that were recorded', async (t) => {
  const world = await startWebhookWorld(t)
  const [first, second] = [await world.receiver(), await world.receiver()]
  const [eventId] = await world.record()
  await world.settled()
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

test('failures are tried at each step of the schedule, no earlier, with the same id, and then given up', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500, body: 'down' })
  const [eventId] = await world.record()
  await world.settled()
  for (const [step, wait] of STEPS_MS.entries()) {
    if (step > 0) {
      world.advance(wait * SURELY_NOT_DUE)
      await world.settled()
      assert.equal(receiver.received.length, step, `nothing before step ${step}`)
      world.advance(wait * (SURELY_DUE - SURELY_NOT_DUE))
      await world.settled()
    }
    assert.equal(receiver.received.length, step + 1)
  }
  const delivery = await world.delivery(eventId, receiver)
  assert.equal(delivery.status, 'failed')
  assert.deepEqual(
    delivery.attempts.map(({ attempt, httpStatus, response }) => ({ attempt, httpStatus, response })),
    STEPS_MS.map((_, index) => ({ attempt: index + 1, httpStatus: 500, response: 'down' })),
  )
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1)
  assert.equal(await statusOf(world, receiver), 'enabled', 'a whole schedule is shorter than what disables')
  const timestamps = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
  assert.ok(
    timestamps.every((time, index) => index === 0 || time > (timestamps[index - 1] ?? 0)),
    'each attempt has its own time',
  )
})

test('Retry-After in seconds delays the next attempt to that time', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 429, headers: { 'retry-after': '60' } })
  await world.record()
  await world.settled()
  world.advance(50 * SECOND_MS)
  await world.settled()
  assert.equal(receiver.received.length, 1)
  world.advance(11 * SECOND_MS)
  await world.settled()
  assert.equal(receiver.received.length, 2)
})

test('Retry-After as a date delays the next attempt to that time', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const date = new Date(world.clock.now().getTime() + 90 * SECOND_MS).toUTCString()
  receiver.answers({ status: 503, headers: { 'retry-after': date } })
  await world.record()
  await world.settled()
  world.advance(80 * SECOND_MS)
  await world.settled()
  assert.equal(receiver.received.length, 1)
  world.advance(12 * SECOND_MS)
  await world.settled()
  assert.equal(receiver.received.length, 2)
})

test('410 disables the endpoint at once and holds what waits for it', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 500 })
  const [waiting] = await world.record()
  await world.settled()
  receiver.answers({ status: 410 })
  const [gone] = await world.record()
  await world.settled()
  const endpoint = await findEndpoint(world.db, idOf(world, receiver))
  assert.equal(endpoint?.status, 'disabled')
  assert.match(endpoint?.statusReason ?? '', /410/)
  const [recordedAfter] = await world.record()
  world.advance(DAY_MS)
  await world.settled()
  assert.equal(receiver.received.length, 2)
  for (const id of [waiting, gone, recordedAfter]) assert.equal((await world.delivery(id, receiver)).status, 'held')
})

test('five days of nothing but failures disable an endpoint', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500 })
  await world.record()
  await world.settled()
  world.advance(4.9 * DAY_MS)
  await world.settled()
  assert.equal(await statusOf(world, receiver), 'enabled')
  world.advance(0.2 * DAY_MS)
  await world.settled()
  await world.record()
  await world.settled()
  const endpoint = await findEndpoint(world.db, idOf(world, receiver))
  assert.equal(endpoint?.status, 'disabled')
  assert.match(endpoint?.statusReason ?? '', /5 days/)
})

test('one success within the five days starts their count anew', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 500 }, { status: 200 })
  receiver.always({ status: 500 })
  await world.record()
  await world.settled()
  world.advance(3 * DAY_MS)
  await world.settled() // succeeds
  assert.equal((await findEndpoint(world.db, idOf(world, receiver)))?.failingSince, null)
  world.advance(2.5 * DAY_MS)
  await world.record()
  await world.settled()
  assert.equal(await statusOf(world, receiver), 'enabled')
})

test('enabling a disabled endpoint gives it five days again', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 410 })
  await world.record()
  await world.settled()
  world.advance(6 * DAY_MS)
  await enableEndpoint(world.parts, idOf(world, receiver))
  receiver.always({ status: 500 })
  await world.record()
  await world.settled()
  assert.equal(await statusOf(world, receiver), 'enabled')
})

test('a paused endpoint gets nothing, and after resuming it gets what is new but not what was held', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await pauseEndpoint(world.parts, idOf(world, receiver))
  const [held] = await world.record()
  world.advance(HOUR_MS)
  await world.settled()
  assert.equal(receiver.received.length, 0)
  await resumeEndpoint(world.parts, idOf(world, receiver))
  const [fresh] = await world.record()
  world.advance(HOUR_MS)
  await world.settled()
  assert.deepEqual(
    receiver.received.map(({ id }) => id),
    [fresh],
  )
  assert.equal((await world.delivery(held, receiver)).status, 'held')
})

test('what was held is sent again on request, one by one', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await pauseEndpoint(world.parts, idOf(world, receiver))
  const [first, second] = await world.record(2)
  const { deliveryId } = await world.delivery(second, receiver)
  const { workspaceId } = world
  await assert.rejects(resendDelivery(world.parts, { workspaceId, deliveryId }), /paused/)
  await resumeEndpoint(world.parts, idOf(world, receiver))
  await resendDelivery(world.parts, { workspaceId, deliveryId })
  await world.settled()
  assert.deepEqual(
    receiver.received.map(({ id }) => id),
    [second],
  )
  assert.equal((await world.delivery(first, receiver)).status, 'held')
})

test('a delivery that was given up starts its schedule anew when it is sent again, under the same id', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500 })
  const [eventId] = await world.record()
  await world.settled()
  for (const wait of STEPS_MS.slice(1)) {
    world.advance(wait * SURELY_DUE)
    await world.settled()
  }
  const { deliveryId } = await world.delivery(eventId, receiver)
  await resendDelivery(world.parts, { workspaceId: world.workspaceId, deliveryId })
  await world.settled()
  assert.equal((await world.delivery(eventId, receiver)).status, 'pending')
  world.advance(5 * SECOND_MS * SURELY_DUE)
  await world.settled()
  assert.equal(receiver.received.length, STEPS_MS.length + 2)
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1)
})

test('in bulk exactly what the filter finds is sent again, and the count before says how many', async (t) => {
  const world = await startWebhookWorld(t)
  const [receiver, other] = [await world.receiver(), await world.receiver()]
  for (const each of [receiver, other]) await pauseEndpoint(world.parts, idOf(world, each))
  await world.record(3)
  world.advance(HOUR_MS)
  const from = world.clock.now()
  const wanted = await world.record(1_005) // more than one batch
  world.advance(HOUR_MS)
  const to = world.clock.now()
  world.advance(HOUR_MS)
  await world.record(2)
  for (const each of [receiver, other]) await resumeEndpoint(world.parts, idOf(world, each))
  const filter = { ...idOf(world, receiver), type: 'message.sent', from, to } as const
  assert.equal(await countResendable(world.parts, filter), 1_005)
  assert.equal(await countResendable(world.parts, { ...filter, type: 'ping' }), 0)
  assert.equal(await countResendable(world.parts, { ...filter, statuses: ['succeeded'] }), 0)
  assert.equal(await resendByFilter(world.parts, filter), 1_005)
  await world.settled()
  assert.deepEqual(receiver.received.map(({ id }) => id).sort(), wanted.sort())
  assert.equal(other.received.length, 0)
  assert.equal(await countResendable(world.parts, filter), 0)
})

test('succeeded ones are sent again in bulk once each, although they succeed again meanwhile', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.record(20)
  await world.settled()
  world.advance(MINUTE_MS)
  const filter = { workspaceId: world.workspaceId, statuses: ['succeeded'] } as const
  assert.equal(await resendByFilter(world.parts, filter), 20)
  await world.settled()
  assert.equal(receiver.received.length, 40)
})

test('for a day after a rotation both secrets sign, then the new one alone', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const { secret } = await rotateSecret(world.parts, idOf(world, receiver))
  await world.record()
  await world.settled()
  const [during] = receiver.received
  assert.ok(during)
  assertSigned(during, secret)
  assertSigned(during, receiver.secret)
  world.advance(DAY_MS)
  await world.record()
  await world.settled()
  const after = receiver.received[1]
  assert.ok(after)
  assertSigned(after, secret)
  assert.throws(() => assertSigned(after, receiver.secret))
})

test('a redirect is a failure and is not followed', async (t) => {
  const world = await startWebhookWorld(t)
  const [receiver, elsewhere] = [await world.receiver(), await world.receiver()]
  receiver.answers({ status: 302, headers: { location: elsewhere.url } })
  const [eventId] = await world.record()
  await world.settled()
  assert.equal(elsewhere.received.length, 1, 'its own event alone')
  const delivery = await world.delivery(eventId, receiver)
  assert.equal(delivery.status, 'pending')
  assert.match(delivery.attempts[0]?.error ?? '', /[Rr]edirect/)
})

test('an endpoint that never answers delays no other', async (t) => {
  const world = await startWebhookWorld(t)
  const [stuck, healthy] = [await world.receiver(), await world.receiver()]
  stuck.always({ hang: true })
  await world.record(300)
  await healthy.waitFor(300)
  assert.ok(stuck.received.length < 100, 'the stuck one was not given everything at once')
})

test('an endpoint with a great backlog does not starve another', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const busy = await world.receiver()
  await world.record(5_000)
  const late = await world.receiver()
  await world.record(1)
  world.startWorker()
  await late.waitFor(1)
  assert.ok(busy.received.length < 2_500)
})

test('an answer of any length is cut, and one of NUL bytes and broken UTF-8 can be stored', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 200, body: 'x'.repeat(5_000_000) }, { status: 200, body: 'a\0b' })
  const [big] = await world.record()
  await world.settled()
  const [strange] = await world.record()
  await world.settled()
  assert.equal((await world.delivery(big, receiver)).attempts[0]?.response?.length, 2_048)
  assert.equal((await world.delivery(strange, receiver)).attempts[0]?.response, 'a\uFFFDb')
  assert.equal((await world.delivery(big, receiver)).status, 'succeeded')
})

test('two processes deliver each event once', async (t) => {
  const world = await startWebhookWorld(t, { loops: 2 })
  const receiver = await world.receiver()
  const ids = await world.record(400)
  await world.settled()
  assert.deepEqual(receiver.received.map(({ id }) => id).sort(), ids.sort())
})

test('what a process had claimed when it was killed is attempted again, and its late result changes nothing', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await pauseEndpoint(world.parts, idOf(world, receiver))
  const [eventId] = await world.record()
  const { deliveryId } = await world.delivery(eventId, receiver)
  await resumeEndpoint(world.parts, idOf(world, receiver))
  const [claimed] = await claimBesides(world, receiver, deliveryId)
  assert.ok(claimed)
  world.parts.wake()
  world.advance(LEASE_OVER_MS)
  await world.settled()
  assert.equal((await world.delivery(eventId, receiver)).status, 'succeeded')

  const now = world.clock.now()
  await finisher(world.parts)({
    delivery: claimed,
    startedAt: now,
    endedAt: now,
    durationMs: 1,
    httpStatus: 500,
    retryAfter: null,
    response: null,
    error: null,
    verdict: { outcome: 'retry', step: 1, dueAt: now },
  })
  const delivery = await world.delivery(eventId, receiver)
  assert.equal(delivery.status, 'succeeded')
  assert.deepEqual(
    delivery.attempts.map(({ httpStatus }) => httpStatus),
    [500, 204],
    'that it was made is kept',
  )
})

/** As another process that is faster than the loop of this one. */
async function claimBesides(world: WebhookWorld, receiver: WebhookReceiver, deliveryId: string) {
  return world.db.transaction(async (tx) => {
    await tx.rows(
      { name: 'make_due', text: "update webhook_deliveries set status = 'pending', due_at = $2 where id = $1" },
      [deliveryId, world.clock.now()],
    )
    return claim(tx, [{ ...idOf(world, receiver), room: 1 }], world.clock)
  })
}

test('a delivery that was recorded while its endpoint was being paused is held, not attempted', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const [eventId] = await world.record()
  await pauseEndpoint(world.parts, idOf(world, receiver))
  const text = "update webhook_deliveries set status = 'pending', due_at = $2 where event_id = $1"
  await world.db.rows({ name: 'record_late', text }, [eventId, world.clock.now()])
  world.startWorker()
  await world.settled()
  assert.equal((await world.delivery(eventId, receiver)).status, 'held')
  assert.equal(receiver.received.length, 0)
})

test('a success that was under way when the endpoint was paused counts', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const { promise, resolve } = Promise.withResolvers<void>()
  receiver.answers({ after: promise })
  const [eventId] = await world.record()
  await receiver.waitFor(1)
  await pauseEndpoint(world.parts, idOf(world, receiver))
  assert.equal((await world.delivery(eventId, receiver)).status, 'held')
  resolve()
  await until('the success to be stored', async () => (await world.delivery(eventId, receiver)).status === 'succeeded')
})

test('a stop waits for the attempts under way and loses no result', async (t) => {
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

test('an attempt that a stop cuts off is due again at once, at the same step, and is no failure of the endpoint', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  receiver.always({ hang: true })
  const [eventId] = await world.record()
  const { deliveryId } = await world.delivery(eventId, receiver)
  const stop = new AbortController()
  const agent = webhookAgent({ allowPrivate: true })
  const claimed = await claimOne(world.db, deliveryId, world.clock)
  assert.ok(claimed)
  const attempt = courier(world.parts, agent, stop.signal)(claimed, claimed)
  await receiver.waitFor(1)
  stop.abort()
  await finisher(world.parts)(await attempt)
  await agent.destroy()

  const again = await claimOne(world.db, deliveryId, world.clock)
  assert.equal(again?.step, 0)
  assert.equal(again?.attempt, 2)
  assert.equal((await findEndpoint(world.db, idOf(world, receiver)))?.failingSince, null)
})

test('a ping reaches its endpoint alone and its outcome is told, beside a running server', async (t) => {
  const world = await startWebhookWorld(t)
  const [receiver, other] = [await world.receiver(), await world.receiver()]
  const { deliveryId } = await pingEndpoint(world.parts, idOf(world, receiver))
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
  const refused = await pingEndpoint(world.parts, idOf(world, receiver))
  assert.deepEqual(await deliverNow(world.parts, refused.deliveryId), { status: 'pending', httpStatus: 500 })
  await receiver.close()
  const unreachable = await pingEndpoint(world.parts, idOf(world, receiver))
  assert.deepEqual(await deliverNow(world.parts, unreachable.deliveryId), {
    status: 'pending',
    error: 'The connection was refused.',
  })
})
