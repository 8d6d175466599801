import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { waitFor } from '../../../test/world/wait-for.ts'
import { MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import type { AttemptResult } from './attempt.ts'
import { findEndpoint } from '../endpoints.ts'
import { createFinisher } from './finish.ts'
import { MAX_RELEASE_FAILURES, RELEASE_INTERVAL_MS, MAX_RELEASED_PER_STEP, release } from './release.ts'
import { type WebhookReceiver, type WebhookWorld, startWebhookWorld, idOf } from '../../../test/world/webhook-world.ts'

const SECOND_ATTEMPT_MS = 6 * SECOND_MS

const DOWN = { status: 503 }
const UP = { status: 204 }

/** An endpoint, and a worker that the test stops. */
async function startWithWorker(t: TestContext) {
  const world = await startWebhookWorld(t, { loops: 0 })
  return { world, receiver: await world.receiver(), worker: world.startWorker() }
}

/** Events whose first two attempts failed: the third comes 5 minutes later. */
async function missed(world: WebhookWorld, receiver: WebhookReceiver, count: number): Promise<string[]> {
  const before = receiver.received.length
  receiver.always(DOWN)
  const ids = await world.deliver(count)
  await world.after(SECOND_ATTEMPT_MS)
  assert.equal(receiver.received.length, before + 2 * count)
  receiver.always(UP)
  return ids
}

const idsSince = (receiver: WebhookReceiver, from: number): string[] =>
  receiver.received.slice(from).map(({ id }) => id)

test('the first success after an outage brings all waiting events', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const waiting = await missed(world, receiver, 90)
  const [fresh] = await world.record()
  await receiver.waitFor(2 * 90 + 91)
  await world.settled()
  assert.deepEqual(idsSince(receiver, 180).sort(), [...waiting, String(fresh)].sort())
})

test('a successful retry brings all waiting events too', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const waiting = await missed(world, receiver, 3)
  receiver.answers(DOWN)
  const [late] = await world.deliver()
  world.advance(SECOND_ATTEMPT_MS)
  await receiver.waitFor(6 + 2 + 3)
  assert.deepEqual(idsSince(receiver, 8).sort(), waiting.sort())
  assert.equal((await world.delivery(late, receiver)).status, 'succeeded')
})

test('two processes bring each waiting event once', async (t) => {
  const world = await startWebhookWorld(t, { loops: 2 })
  const receiver = await world.receiver()
  const waiting = await missed(world, receiver, 90)
  const [fresh] = await world.record()
  await waitFor('everything to arrive', async () => (await waitingCount(world, receiver)) === 0)
  assert.deepEqual(idsSince(receiver, 180).sort(), [...waiting, String(fresh)].sort())
})

test('a step releases the oldest, up to its limit, once for all processes', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const worker = world.startWorker()
  const oldest = await missed(world, receiver, 5)
  const newer = await missed(world, receiver, MAX_RELEASED_PER_STEP)
  await worker.stop()
  await succeed(world, receiver)
  const now = world.clock.now()
  await Promise.all([release(world.db, now), release(world.db, now)])
  assert.equal(await countForward(world, receiver), MAX_RELEASED_PER_STEP)
  const due = await world.claim(receiver, 1_000)
  const dueIds = due.map(({ eventId }) => eventId)
  assert.deepEqual(
    oldest.filter((id) => !dueIds.includes(id)),
    [],
  )
  assert.equal(dueIds.filter((id) => newer.includes(id)).length, MAX_RELEASED_PER_STEP - oldest.length)
})

test('during a release the log shows when each delivery will really be attempted', async (t) => {
  const { world, receiver, worker } = await startWithWorker(t)
  await missed(world, receiver, MAX_RELEASED_PER_STEP + 5)
  await worker.stop()
  const latest = async (): Promise<number> => {
    const waiting = await world.loggedAsWaiting(receiver)
    return Math.max(...waiting.map(({ dueAt }) => dueAt?.getTime() ?? Number.POSITIVE_INFINITY))
  }
  assert.ok((await latest()) > world.clock.now().getTime())
  await succeed(world, receiver)
  assert.ok((await latest()) <= world.clock.now().getTime())
})

/** A successful delivery, stored as the loop would. */
async function succeed(world: WebhookWorld, receiver: WebhookReceiver): Promise<void> {
  await world.record()
  const [claimed] = await world.claim(receiver)
  assert.ok(claimed)
  await createFinisher(world.parts)(result(world, claimed, { outcome: 'succeeded' }))
}

function result(
  world: WebhookWorld,
  delivery: AttemptResult['delivery'],
  decision: AttemptResult['decision'],
): AttemptResult {
  const now = world.clock.now()
  const answer = { httpStatus: 200, retryAfter: null, response: null, error: null }
  return { ...answer, delivery, url: world.urlOf(delivery), startedAt: now, endedAt: now, durationMs: 1, decision }
}

test('due deliveries reduce the next step of a release', async (t) => {
  const { world, receiver, worker } = await startWithWorker(t)
  await missed(world, receiver, 2 * MAX_RELEASED_PER_STEP)
  await worker.stop()
  await succeed(world, receiver)
  const now = world.clock.now()
  assert.equal(await step(world, receiver, now), MAX_RELEASED_PER_STEP)
  const next = later(now, RELEASE_INTERVAL_MS)
  assert.equal(await step(world, receiver, next), 0, 'the receiver has not taken the last step yet')
  world.clock.advance(RELEASE_INTERVAL_MS)
  await world.claim(receiver, 3)
  assert.equal(await step(world, receiver, later(next, RELEASE_INTERVAL_MS)), 3)
})

test('a failed early attempt keeps its event’s place in the schedule', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const [waiting] = await missed(world, receiver, 1)
  const { dueAt } = await world.delivery(waiting, receiver)
  receiver.answers(UP)
  receiver.always(DOWN)
  await world.record()
  await receiver.waitFor(2 + 2)
  await world.settled()
  const back = await world.delivery(waiting, receiver)
  assert.deepEqual(back.dueAt, dueAt)
  assert.equal(back.attempts.length, 3)
  await world.after(6 * MINUTE_MS)
  const { dueAt: next } = await world.delivery(waiting, receiver)
  assert.ok(next && next.getTime() - world.clock.now().getTime() > 26 * MINUTE_MS, 'the fourth attempt is 30 min later')
})

test('an event that always fails is not sent with every success of others', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const [waiting] = await missed(world, receiver, 1)
  for (let each = 0; each < 10; each += 1) {
    receiver.answers(UP)
    receiver.always(DOWN)
    await world.deliver()
    world.clock.advance(RELEASE_INTERVAL_MS)
    await release(world.db, world.clock.now())
    await world.settled()
    receiver.always(UP)
  }
  assert.equal((await world.delivery(waiting, receiver)).attempts.length, 3)
})

test('Retry-After keeps an event out of the release until then', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  receiver.answers(DOWN, { status: 503, headers: { 'retry-after': '60' } })
  const [delayed] = await world.deliver()
  await world.after(SECOND_ATTEMPT_MS)
  await world.deliver()
  const before = world.clock.now()
  await waitFor('the release to wait', async () => {
    const { release_at: at = null } = (await releaseOf(world, receiver)) ?? {}
    return at !== null && at > later(before, 30 * SECOND_MS)
  })
  assert.equal((await world.delivery(delayed, receiver)).attempts.length, 2)
  world.advance(61 * SECOND_MS)
  await receiver.waitFor(4)
  await world.settled()
  assert.equal((await world.delivery(delayed, receiver)).status, 'succeeded')
})

test('Retry-After pauses a release', async (t) => {
  const { world, receiver, worker } = await startWithWorker(t)
  await missed(world, receiver, MAX_RELEASED_PER_STEP + 1)
  await worker.stop()
  await succeed(world, receiver)
  await release(world.db, world.clock.now())
  world.clock.advance(RELEASE_INTERVAL_MS)
  const due = await world.claim(receiver, 1_000)
  const now = world.clock.now()
  const finish = createFinisher(world.parts)
  for (const delivery of due) {
    const decision = {
      outcome: 'retry',
      step: 2,
      dueAt: later(now, 5 * MINUTE_MS),
      earlyAt: later(now, MINUTE_MS),
      retryAfterUntil: later(now, MINUTE_MS),
      earlyAttempts: 1,
    } as const
    await finish(result(world, delivery, decision))
  }
  assert.equal(await step(world, receiver, later(now, 59 * SECOND_MS)), 0)
  assert.ok((await step(world, receiver, later(now, 61 * SECOND_MS))) > 0)
})

test('consecutive failures end a release, and the next success begins another', async (t) => {
  const { world, receiver, worker } = await startWithWorker(t)
  await missed(world, receiver, 3 * MAX_RELEASED_PER_STEP)
  await worker.stop()
  await succeed(world, receiver)
  const finish = createFinisher(world.parts)
  for (const failures of [MAX_RELEASE_FAILURES - 1, 1]) {
    assert.notEqual((await releaseOf(world, receiver))?.release_at, null)
    await world.record(failures)
    const claimed = await world.claim(receiver, failures)
    for (const delivery of claimed) await finish(result(world, delivery, failed(world)))
  }
  assert.equal((await releaseOf(world, receiver))?.release_at, null)
  await succeed(world, receiver)
  assert.equal(await step(world, receiver, world.clock.now()), MAX_RELEASED_PER_STEP)
})

const failed = (world: WebhookWorld): AttemptResult['decision'] => ({
  outcome: 'retry',
  step: 1,
  dueAt: later(world.clock.now(), MINUTE_MS),
  earlyAt: null,
  retryAfterUntil: null,
  earlyAttempts: 0,
})

test('a failure and a success that are stored together begin a release', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  await world.record(2)
  const claimed = await world.claim(receiver, 2)
  const [first, second] = claimed
  assert.ok(first && second)
  const finish = createFinisher(world.parts)
  await Promise.all([
    finish(result(world, first, failed(world))),
    finish(result(world, second, { outcome: 'succeeded' })),
  ])
  assert.equal(await step(world, receiver, world.clock.now()), 1)
})

test('pausing an endpoint ends its release', async (t) => {
  const { world, receiver, worker } = await startWithWorker(t)
  await missed(world, receiver, 3)
  await worker.stop()
  await succeed(world, receiver)
  await world.pause(receiver)
  assert.equal(await step(world, receiver, world.clock.now()), 0)
  await world.resume(receiver)
  assert.equal(await step(world, receiver, world.clock.now()), 0)
})

test('the next process continues a release that a stop interrupted', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const first = world.startWorker()
  const waiting = await missed(world, receiver, 60)
  await first.stop()
  await succeed(world, receiver)
  assert.equal(await step(world, receiver, world.clock.now()), MAX_RELEASED_PER_STEP)
  world.startWorker()
  await receiver.waitFor(120 + 60)
  assert.deepEqual(idsSince(receiver, 120).sort(), waiting.sort())
  await waitFor('the release to end', async () => {
    return (await releaseOf(world, receiver))?.release_at === null
  })
  assert.equal((await findEndpoint(world.db, idOf(world, receiver)))?.failingSince, null)
})

/** How many deliveries of this endpoint a step releases. It may also release deliveries of other tests' endpoints. */
async function step(world: WebhookWorld, receiver: WebhookReceiver, now: Date): Promise<number> {
  const before = await countForward(world, receiver)
  await release(world.db, now)
  return (await countForward(world, receiver)) - before
}

const countForward = async (world: WebhookWorld, { endpointId }: WebhookReceiver): Promise<number> =>
  (await world.db.row<{ forward: number }>(countBroughtForward, [endpointId]))?.forward ?? 0

const releaseOf = (world: WebhookWorld, { endpointId }: WebhookReceiver) =>
  world.db.row<{ release_at: Date | null }>(selectRelease, [endpointId])

/** Not declared, since they are not statements of the program. */
const selectRelease = { name: 'select_release', text: 'select release_at from webhook_endpoints where id = $1' }
const countBroughtForward = {
  name: 'count_brought_forward',
  text: 'select count(*) as forward from webhook_deliveries where endpoint_id = $1 and scheduled_at is not null',
}
const countWaiting = {
  name: 'count_waiting',
  text: 'select count(*) as waiting from webhook_deliveries where endpoint_id = $1 and due_at is not null',
}

async function waitingCount(world: WebhookWorld, { endpointId }: WebhookReceiver): Promise<number | undefined> {
  return (await world.db.row<{ waiting: number }>(countWaiting, [endpointId]))?.waiting
}
