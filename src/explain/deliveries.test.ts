import assert from 'node:assert/strict'
import { test } from 'node:test'
import { later } from '../lib/clock.ts'
import { firstIdAt, newId } from '../lib/ids.ts'
import { pauseEndpoint } from '../webhooks/endpoints.ts'
import { MAX_SCANNED_ROWS, PAGE_SIZE } from '../lib/lists/list-pages.ts'
import { findDeliveryDetails, listDeliveries } from './deliveries.ts'
import { countMissed, resendBatch } from '../webhooks/resend.ts'
import { findEndpointHealth } from '../webhooks/delivery/endpoint-health.ts'
import { withConnection } from '../../test/database/postgres.ts'
import { type WebhookWorld, startWebhookWorld } from '../../test/world/webhook-world.ts'

test('a filter without an index finds its rows over bounded pages', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const [eventId] = await world.record()
  await pile(world, receiver, MAX_SCANNED_ROWS + 10)
  await world.db.row({ name: 'make_it_a_failure', text: `update events set type = 'ping' where id = $1` }, [eventId])
  const filter = { workspaceId: world.workspaceId, endpointId: receiver.endpointId, type: 'ping' } as const
  const first = await listDeliveries(world.db, filter)
  assert.deepEqual(first.rows, [])
  assert.ok(first.next)
  const second = await listDeliveries(world.db, { ...filter, before: first.next.before })
  assert.deepEqual(
    second.rows.map(({ eventId }) => eventId),
    [eventId],
  )
  assert.equal(second.next, null)
})

test('each status has its own pages, and together they are the whole log', async (t) => {
  const world = await startWebhookWorld(t)
  const { workspaceId, db } = world
  const receiver = await world.receiver()
  const id = { workspaceId, endpointId: receiver.endpointId }
  await world.deliver(PAGE_SIZE + 3)
  receiver.answers({ status: 500 })
  await world.deliver(1)
  const statuses = async () => {
    const lists = ['pending', 'succeeded', 'failed', 'held'] as const
    const pages = await Promise.all(lists.map((status) => listDeliveries(db, { ...id, status })))
    return pages.map(({ rows, next }) => [rows.length, next !== null])
  }
  assert.deepEqual(await statuses(), [
    [1, false],
    [PAGE_SIZE, true],
    [0, false],
    [0, false],
  ])
  await pauseEndpoint(world.parts.db, world.parts.clock, id)
  assert.deepEqual(await statuses(), [
    [0, false],
    [PAGE_SIZE, true],
    [0, false],
    [1, false],
  ])
  const health = await findEndpointHealth(db, id)
  assert.deepEqual(
    [health?.waiting, health?.held, health?.failed, health?.attempted, health?.arrived],
    [0, 1, 0, PAGE_SIZE + 4, PAGE_SIZE + 3],
  )
  assert.ok(health?.lastSuccessAt)
})

test('a delivery is found only under its own endpoint and workspace', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const { workspaceId, db } = world
  const [receiver, other] = [await world.receiver(), await world.receiver()]
  const [eventId] = await world.record()
  const { deliveryId } = await world.delivery(eventId, receiver)
  const { endpointId } = receiver
  assert.equal((await findDeliveryDetails(db, { workspaceId, endpointId, deliveryId }))?.eventId, eventId)
  assert.equal(await findDeliveryDetails(db, { workspaceId: newId(), endpointId, deliveryId }), undefined)
  assert.equal(await findDeliveryDetails(db, { workspaceId, endpointId: other.endpointId, deliveryId }), undefined)
})

test('a run resends what was missed when it began, and nothing that failed since', async (t) => {
  const world = await startWebhookWorld(t)
  const { workspaceId, db, parts } = world
  const receiver = await world.receiver()
  const id = { workspaceId, endpointId: receiver.endpointId }
  await world.deliver(3)
  await db.rows(
    { name: 'give_all_up', text: `update webhook_deliveries set status = 'failed' where endpoint_id = $1` },
    [receiver.endpointId],
  )
  world.advance(1_000)
  const startedAt = world.clock.now()
  assert.equal((await countMissed(db, id)).failed, 3)
  assert.deepEqual(await resendBatch(parts, { ...id, startedAt }), { resent: 3, more: false })
  await world.after(1_000)
  await db.rows(
    { name: 'give_up_again', text: `update webhook_deliveries set status = 'failed' where endpoint_id = $1` },
    [receiver.endpointId],
  )
  assert.deepEqual(await resendBatch(parts, { ...id, startedAt }), { resent: 0, more: false })
})

/** Newer deliveries, as the program would record them. */
async function pile({ db, workspaceId }: WebhookWorld, receiver: { endpointId: string }, count: number): Promise<void> {
  const text = `with event as (
      insert into events (id, workspace_id, type, occurred_at, recorded_at, body)
      select overlay(gen_random_uuid()::text placing left($3, 15) from 1)::uuid, $1, 'message.sent', now(), now(), '{}'
      from generate_series(1, $4::int) returning id)
    insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, created_at, ended_at)
    select id, $1, id, $2, 'succeeded', now(), now() from event`
  const values = [workspaceId, receiver.endpointId, firstIdAt(later(new Date(), 1_000)), count]
  await withConnection(db.url, (connection) => connection.query(text, values)) // may exceed Doorcode's statement timeout
}
