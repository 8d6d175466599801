import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../ids.ts'
import { pauseEndpoint } from './endpoints.ts'
import { LOG_PAGE, LOOKED_THROUGH_MOST, findWholeDelivery, listDeliveries } from './log.ts'
import { countMissed, resendBatch } from './resend.ts'
import { findStanding } from './standing.ts'
import { type WebhookWorld, startWebhookWorld } from './webhook-world.ts'

test('what no index finds is looked for page by page, each within its bound, until it is found', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const [wanted] = await world.record()
  await pile(world, receiver, LOOKED_THROUGH_MOST + 10)
  await world.db.row({ name: 'make_it_a_failure', text: `update events set type = 'ping' where id = $1` }, [wanted])
  const filter = { workspaceId: world.workspaceId, endpointId: receiver.endpointId, type: 'ping' } as const
  const first = await listDeliveries(world.db, filter)
  assert.deepEqual(first.deliveries, [])
  assert.ok(first.next)
  const second = await listDeliveries(world.db, { ...filter, before: first.next })
  assert.deepEqual(
    second.deliveries.map(({ eventId }) => eventId),
    [wanted],
  )
  assert.equal(second.next, undefined)
})

test('each status has its own pages, and together they are the whole log', async (t) => {
  const world = await startWebhookWorld(t)
  const { workspaceId, db } = world
  const receiver = await world.receiver()
  const id = { workspaceId, endpointId: receiver.endpointId }
  await world.record(LOG_PAGE + 3)
  await world.settled()
  receiver.answers({ status: 500 })
  await world.record(1)
  await world.settled()
  const statuses = async () => {
    const lists = ['pending', 'succeeded', 'failed', 'held'] as const
    const pages = await Promise.all(lists.map((status) => listDeliveries(db, { ...id, status })))
    return pages.map(({ deliveries, next }) => [deliveries.length, next !== undefined])
  }
  assert.deepEqual(await statuses(), [
    [1, false],
    [LOG_PAGE, true],
    [0, false],
    [0, false],
  ])
  await pauseEndpoint(world.parts, id)
  assert.deepEqual(await statuses(), [
    [0, false],
    [LOG_PAGE, true],
    [0, false],
    [1, false],
  ])
  const standing = await findStanding(db, id)
  assert.deepEqual(
    [standing?.waiting, standing?.held, standing?.failed, standing?.attempted, standing?.arrived],
    [0, 1, 0, LOG_PAGE + 4, LOG_PAGE + 3],
  )
  assert.ok(standing?.lastSuccessAt)
})

test('a delivery is found at its own endpoint and workspace alone', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const { workspaceId, db } = world
  const [receiver, other] = [await world.receiver(), await world.receiver()]
  const [eventId] = await world.record()
  const { deliveryId } = await world.delivery(eventId, receiver)
  const { endpointId } = receiver
  assert.equal((await findWholeDelivery(db, { workspaceId, endpointId, deliveryId }))?.eventId, eventId)
  assert.equal(await findWholeDelivery(db, { workspaceId: newId(), endpointId, deliveryId }), undefined)
  assert.equal(await findWholeDelivery(db, { workspaceId, endpointId: other.endpointId, deliveryId }), undefined)
})

test('a run sends what was missed when it began, and nothing that failed again since', async (t) => {
  const world = await startWebhookWorld(t)
  const { workspaceId, db, parts } = world
  const receiver = await world.receiver()
  const id = { workspaceId, endpointId: receiver.endpointId }
  await world.record(3)
  await world.settled()
  await db.rows(
    { name: 'give_all_up', text: `update webhook_deliveries set status = 'failed' where endpoint_id = $1` },
    [receiver.endpointId],
  )
  world.advance(1_000)
  const startedAt = world.clock.now()
  assert.equal((await countMissed(db, id)).failed, 3)
  assert.deepEqual(await resendBatch(parts, { ...id, startedAt }), { resent: 3, more: false })
  world.advance(1_000)
  await world.settled()
  await db.rows(
    { name: 'give_up_again', text: `update webhook_deliveries set status = 'failed' where endpoint_id = $1` },
    [receiver.endpointId],
  )
  assert.deepEqual(await resendBatch(parts, { ...id, startedAt }), { resent: 0, more: false })
})

/** So many newer deliveries, as the program would have recorded them. */
async function pile({ db, workspaceId }: WebhookWorld, receiver: { endpointId: string }, count: number): Promise<void> {
  const text = `with event as (
      insert into events (id, workspace_id, type, occurred_at, recorded_at, body)
      select overlay(gen_random_uuid()::text placing left($3, 15) from 1)::uuid, $1, 'message.sent', now(), now(), '{}'
      from generate_series(1, $4::int) returning id)
    insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, created_at, ended_at)
    select id, $1, id, $2, 'succeeded', now(), now() from event`
  await db.rows({ name: 'pile_deliveries', text }, [workspaceId, receiver.endpointId, newId(), count])
}
