import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { spyOnDb } from '../../../test/database/db-spy.ts'
import { lockInAnotherSession } from '../../../test/faults/lock-in-another-session.ts'
import { isLockTimeout } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import type { AttemptResult } from './attempt.ts'
import { claimDeliveries } from './claim.ts'
import { createFinisher } from './finish.ts'
import { startReceiver } from '../../../test/world/receiver.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import { type WebhookWorld, idOf, startWebhookWorld } from '../../../test/world/webhook-world.ts'
import { MAX_HELD_PER_BATCH } from '../endpoint-status.ts'
import { findEndpoint } from '../endpoints.ts'
import { resendDelivery } from '../resend.ts'
import { prepareUpdate, updateEndpoint } from '../update.ts'

type Claimed = Awaited<ReturnType<typeof claimDeliveries>>[number]

/** A claimed delivery for each of two endpoints. */
async function startWithClaimed(t: TestContext): Promise<{ world: WebhookWorld; claimed: [Claimed, Claimed] }> {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receivers = [await world.receiver(), await world.receiver()]
  await world.record()
  const capacities = receivers.map((receiver) => ({ ...idOf(world, receiver), capacity: 1, dueAt: new Date(0) }))
  const [one, other] = await claimDeliveries(world.db, capacities, { ...world.parts, lease: newId() })
  assert.ok(one && other)
  return { world, claimed: [one, other] }
}

function failed(world: WebhookWorld, delivery: Claimed): AttemptResult {
  const now = world.clock.now()
  return {
    httpStatus: 500,
    retryAfter: null,
    response: null,
    error: null,
    delivery,
    url: world.urlOf(delivery),
    startedAt: now,
    endedAt: now,
    durationMs: 1,
    decision: { outcome: 'retry', step: 1, dueAt: now, earlyAt: null, retryAfterUntil: null, earlyAttempts: 0 },
  }
}

for (const table of ['webhook_deliveries', 'webhook_endpoints'] as const) {
  test(`a locked row of ${table} delays no other endpoint’s results`, async (t) => {
    const { world, claimed } = await startWithClaimed(t)
    const [locked, other] = claimed
    const id = table === 'webhook_deliveries' ? locked.deliveryId : locked.endpointId
    await lockInAnotherSession(t, world.db, `select id from ${table} where id = $1 for update`, id)
    const finish = createFinisher(world.parts)
    const outcomes = await Promise.allSettled([locked, other].map((delivery) => finish(failed(world, delivery))))
    assert.equal(outcomes[1]?.status, 'fulfilled')
    assert.ok(outcomes[0]?.status === 'rejected' && isLockTimeout(outcomes[0].reason))
  })
}

test('the result of an event that was removed meanwhile fails no other result', async (t) => {
  const { world, claimed } = await startWithClaimed(t)
  const [removed, other] = claimed
  const text = 'delete from webhook_deliveries where id = $1'
  await world.db.rows({ name: 'remove_delivery', text }, [removed.deliveryId])
  const finish = createFinisher(world.parts)
  const now = world.clock.now()
  const answer = {
    httpStatus: 200,
    retryAfter: null,
    response: null,
    error: null,
    startedAt: now,
    endedAt: now,
    durationMs: 1,
  }
  await Promise.all(
    claimed.map((delivery) =>
      finish({ ...answer, delivery, url: world.urlOf(delivery), decision: { outcome: 'succeeded' } }),
    ),
  )
  assert.equal((await world.delivery(other.eventId, other)).attempts.length, 1)
})

/** The results of two attempts of one delivery: it was sent again during the first. */
async function attemptTwice(world: WebhookWorld, first: Claimed) {
  const { workspaceId, endpointId, deliveryId } = first
  await resendDelivery(world, { workspaceId, deliveryId })
  const capacity = { workspaceId, endpointId, capacity: 1, dueAt: new Date(0) }
  const [second] = await claimDeliveries(world.db, [capacity], { ...world.parts, lease: newId() })
  assert.equal(second?.deliveryId, deliveryId)
  const success: AttemptResult = { ...failed(world, second), httpStatus: 200, decision: { outcome: 'succeeded' } }
  return { failure: failed(world, first), success }
}

test('two attempts of one delivery that end together are both stored, and the later one decides', async (t) => {
  const { world, claimed } = await startWithClaimed(t)
  const [first] = claimed
  const { failure, success } = await attemptTwice(world, first)
  const finish = createFinisher(world.parts)
  await Promise.all([finish(success), finish(failure)])
  const { status, attempts } = await world.delivery(first.eventId, first)
  assert.deepEqual([status, attempts.map(({ httpStatus }) => httpStatus)], ['succeeded', [500, 200]])
})

test('an endpoint that failed for days is not disabled by a failure that ends together with a success', async (t) => {
  const { world, claimed } = await startWithClaimed(t)
  const [first] = claimed
  const { failure, success } = await attemptTwice(world, first)
  const text = `update webhook_endpoints set failing_since = $2::timestamptz - interval '6 days' where id = $1`
  await world.db.rows({ name: 'fail_for_days', text }, [first.endpointId, world.clock.now()])
  const finish = createFinisher(world.parts)
  await Promise.all([finish(failure), finish(success)])
  assert.equal((await findEndpoint(world.db, first))?.status, 'enabled')
})

test('410 from a URL that was changed meanwhile disables nothing, and the event goes to the new URL', async (t) => {
  const world = await startWebhookWorld(t)
  const [receiver, moved] = [await world.receiver(), await startReceiver()]
  t.after(() => moved.close())
  const { promise: isMoved, resolve } = Promise.withResolvers<void>()
  receiver.answers({ status: 410, after: isMoved })
  const [eventId] = await world.record()
  await receiver.waitFor(1)
  await moveTo(world, receiver, moved.url)
  resolve()
  await moved.waitFor(1)
  await world.settled()
  assert.equal((await findEndpoint(world.db, idOf(world, receiver)))?.status, 'enabled')
  const { status, attempts } = await world.delivery(eventId, receiver)
  assert.deepEqual([status, attempts.map(({ httpStatus }) => httpStatus)], ['succeeded', [410, 204]])
})

test('what failed at a URL that was changed meanwhile is sent to the new one, against which it does not count', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const { promise: isMoved, resolve } = Promise.withResolvers<void>()
  receiver.answers({ status: 500, after: isMoved })
  const [eventId] = await world.record()
  await receiver.waitFor(1)
  await moveTo(world, receiver, `${receiver.url}/new`)
  resolve()
  await receiver.waitFor(2)
  await world.settled()
  assert.equal((await world.delivery(eventId, receiver)).status, 'succeeded', 'without a wait for the next step')
  assert.equal((await findEndpoint(world.db, idOf(world, receiver)))?.failingSince, null)
})

test('a failure does not count against a URL that is stored between the statements of its result', async (t) => {
  const { world, claimed } = await startWithClaimed(t)
  const [delivery] = claimed
  const db = spyOnDb(world.db, async ({ statement, run }) => {
    const rows = await run()
    if (statement.name === 'select_urls_of_endpoints') await moveTo(world, delivery, `${world.urlOf(delivery)}/new`)
    return rows
  })
  await createFinisher({ ...world.parts, db })(failed(world, delivery))
  const { workspaceId, endpointId } = delivery
  assert.equal((await findEndpoint(world.db, { workspaceId, endpointId }))?.failingSince, null)
})

async function moveTo(world: WebhookWorld, receiver: { endpointId: string }, url: string): Promise<void> {
  const { workspaceId } = world
  const { endpointId } = receiver
  const update = await prepareUpdate(world.parts, { workspaceId, endpointId, url })
  await world.db.transaction((tx) => updateEndpoint(tx, world.clock, update))
}

/** An advisory lock. */
const GATE = 4_711

test('while the backlog of an endpoint that is gone is held, results of others are stored', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const gone = await world.receiver()
  gone.always({ status: 410 })
  const ids = await world.record(2 * MAX_HELD_PER_BATCH + 10)
  // Each batch but the first has one of these rows, which waits until the gate is open.
  const gated = [ids[MAX_HELD_PER_BATCH + 5], ids[2 * MAX_HELD_PER_BATCH + 5]]
  const run = (name: string, text: string, values: (string | Date | undefined)[] = []) =>
    world.db.rows<{ found: boolean }>({ name, text }, values)
  await run(
    'order_backlog',
    `update webhook_deliveries set due_at = due_at + position * interval '1 ms'
    from unnest($1::uuid[]) with ordinality as listed (id, position) where event_id = listed.id`,
    [`{${ids.join()}}`],
  )
  await run(
    'hold_at_gate',
    `create function hold_at_gate() returns trigger language plpgsql
    as $$ begin while not pg_try_advisory_xact_lock_shared(${GATE}) loop perform pg_sleep(0.02); end loop; return new; end $$`,
  )
  t.after(() => run('hold_freely', 'drop function hold_at_gate cascade'))
  await run(
    'add_gate',
    `create trigger gate before update on webhook_deliveries for each row
    when (new.status = 'held' and old.event_id in ('${gated.join("', '")}')) execute function hold_at_gate()`,
  )
  const openGate = await lockInAnotherSession(t, world.db, `select pg_advisory_xact_lock(${GATE})`)
  world.startWorker()
  const isWaiting =
    "select exists (select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()) as found"
  await waitFor('the backlog to be held', async () => (await run('is_waiting', isWaiting))[0]?.found === true)
  const other = await world.receiver()
  const [eventId] = await world.record()
  await waitFor('the success', async () => (await world.delivery(eventId, other)).status === 'succeeded')
  assert.equal((await world.delivery(gated[1], gone)).status, 'pending', 'the backlog is still being held')
  await openGate()
  await waitFor('the rest to be held', async () => (await world.delivery(gated[1], gone)).status === 'held')
})
