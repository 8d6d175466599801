import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockInAnotherSession } from '../../../test/faults/lock-in-another-session.ts'
import { isLockTimeout } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { claimDeliveries } from './claim.ts'
import { createFinisher } from './finish.ts'
import { idOf, startWebhookWorld } from '../../../test/world/webhook-world.ts'

for (const table of ['webhook_deliveries', 'webhook_endpoints'] as const) {
  test(`a locked row of ${table} delays no other endpoint’s results`, async (t) => {
    const world = await startWebhookWorld(t, { loops: 0 })
    const receivers = [await world.receiver(), await world.receiver()]
    await world.record()
    const capacities = receivers.map((receiver) => ({ ...idOf(world, receiver), capacity: 1, dueAt: new Date(0) }))
    const [locked, other] = await claimDeliveries(world.db, capacities, { ...world.parts, lease: newId() })
    assert.ok(locked && other)
    const id = table === 'webhook_deliveries' ? locked.deliveryId : locked.endpointId
    await lockInAnotherSession(t, world.db, `select id from ${table} where id = $1 for update`, id)
    const now = world.clock.now()
    const answer = { httpStatus: 500, retryAfter: null, response: null, error: null }
    const finish = createFinisher(world.parts)
    const outcomes = await Promise.allSettled(
      [locked, other].map((delivery) =>
        finish({
          ...answer,
          delivery,
          url: world.urlOf(delivery),
          startedAt: now,
          endedAt: now,
          durationMs: 1,
          decision: { outcome: 'retry', step: 1, dueAt: now, earlyAt: null, retryAfterUntil: null, earlyAttempts: 0 },
        }),
      ),
    )
    assert.equal(outcomes[1]?.status, 'fulfilled')
    assert.ok(outcomes[0]?.status === 'rejected' && isLockTimeout(outcomes[0].reason))
  })
}

test('the result of an event that was removed meanwhile fails no other result', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receivers = [await world.receiver(), await world.receiver()]
  await world.record()
  const capacities = receivers.map((receiver) => ({ ...idOf(world, receiver), capacity: 1, dueAt: new Date(0) }))
  const claimed = await claimDeliveries(world.db, capacities, { ...world.parts, lease: newId() })
  const [removed, other] = claimed
  assert.ok(removed && other)
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
