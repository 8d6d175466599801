import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type WebhookReceiver, type WebhookWorld, idOf, startWebhookWorld } from '../../test/world/webhook-world.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import { LONG_STATEMENT_TIMEOUT_MS } from '../lib/db/pool.ts'
import { MIN_CONCURRENCY } from './delivery/concurrency.ts'
import { MAX_RELEASED_PER_STEP, MAX_RELEASE_FAILURES } from './delivery/release.ts'
import { pauseEndpoint } from './endpoints.ts'
import { beginRetry, countWaiting, endPauses } from './retry.ts'

const PAUSED = { status: 503, headers: { 'retry-after': '60' } }

/** Events whose first attempt failed, with the next one a minute away. */
async function waiting(world: WebhookWorld, receiver: WebhookReceiver, count: number): Promise<string[]> {
  receiver.always(PAUSED)
  const ids = await world.deliver(count)
  assert.equal(await countWaiting(world.db, idOf(world, receiver), world.clock.now()), count)
  return ids
}

test('a retry brings everything that waits to a receiver that works again', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const ids = await waiting(world, receiver, 30)
  receiver.always({ status: 204 })
  const outcomes = await Promise.all([retry(world, receiver), retry(world, receiver)])
  assert.equal(Math.max(...outcomes), 30)
  await receiver.waitFor(60)
  await world.settled()
  const arrived = receiver.received.slice(30).map(({ id }) => id)
  assert.deepEqual(arrived.sort(), ids.sort(), 'each event once, although two retries ran')
  assert.equal(await countWaiting(world.db, idOf(world, receiver), world.clock.now()), 0)
})

test('a retry at a receiver that still fails costs few attempts and no step', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const count = 3 * MAX_RELEASED_PER_STEP
  await waiting(world, receiver, count)
  receiver.always({ status: 500 })
  await retry(world, receiver)
  await waitFor('the release to end', async () => {
    const text = 'select release_at from webhook_endpoints where id = $1'
    const row = await world.db.row<{ release_at: Date | null }>({ name: 'release_of', text }, [receiver.endpointId])
    return row?.release_at === null
  })
  await world.settled()
  const extra = receiver.received.length - count
  // A later step replaces what was attempted while the release goes on: one failure less than ends it is stored, others are in flight.
  const mostReplaced = MAX_RELEASE_FAILURES - 1 + MIN_CONCURRENCY
  assert.ok(extra >= MAX_RELEASE_FAILURES && extra <= MAX_RELEASED_PER_STEP + mostReplaced, String(extra))
  const logged = await world.loggedAsWaiting(receiver)
  assert.ok(logged.every(({ nextAttempt }) => nextAttempt?.number === 2))
})

for (const { what, early } of [
  { what: 'that was attempted', early: 'created_at' },
  { what: 'without an attempt', early: 'null' },
])
  test(`a retry sends an event ${what} while the clock was ahead`, async (t) => {
    const world = await startWebhookWorld(t)
    const receiver = await world.receiver()
    const [eventId] = await waiting(world, receiver, 1)
    const text = `update webhook_deliveries set created_at = created_at + interval '2 days', due_at = due_at + interval '2 days'
      where event_id = $1`
    await world.db.rows({ name: 'record_ahead', text }, [eventId ?? ''])
    const setEarly = `update webhook_deliveries set early_at = ${early} where event_id = $1`
    await world.db.rows({ name: `early_${early}`, text: setEarly }, [eventId ?? ''])
    receiver.always({ status: 204 })
    assert.equal(await retry(world, receiver), 1)
    await receiver.waitFor(2)
  })

test('a retry of a large backlog may take longer than a single statement', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const [eventId] = await world.record()
  const run = (name: string, text: string) => world.db.rows({ name, text })
  await run('wait', `update webhook_deliveries set due_at = due_at + interval '1 minute' where event_id = '${eventId}'`)
  await run(
    'create_check_limit',
    `create function check_limit() returns trigger language plpgsql as $$ begin
       if current_setting('statement_timeout')::interval <> interval '${LONG_STATEMENT_TIMEOUT_MS} ms'
       then raise 'the limit is %', current_setting('statement_timeout'); end if;
       return new;
     end $$`,
  )
  t.after(() => run('drop_check_limit', 'drop function check_limit cascade'))
  await run(
    'add_check_limit',
    `create trigger check_limit before update on webhook_deliveries for each row
     when (old.event_id = '${eventId}') execute function check_limit()`,
  )
  assert.equal(await endPauses(world, idOf(world, receiver)), 1)
})

test('nothing is retried at a paused endpoint, or when nothing waits', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const id = idOf(world, receiver)
  assert.equal(await endPauses(world.parts, id), 0)
  await pauseEndpoint(world.parts.db, world.parts.clock, id)
  await assert.rejects(endPauses(world.parts, id), /is paused/)
  await assert.rejects(beginRetry(world.db, world.clock, id), /is paused/)
})

async function retry(world: WebhookWorld, receiver: WebhookReceiver): Promise<number> {
  const id = idOf(world, receiver)
  const count = await endPauses(world.parts, id)
  if (count > 0) await world.db.transaction((tx) => beginRetry(tx, world.clock, id))
  return count
}
