import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileDatabase } from '../../test/database/database.ts'
import { createMovedClock } from '../../test/faults/moved-clock.ts'
import { newEvent } from '../../test/database/events.ts'
import { type Db, openDb } from '../lib/db/pool.ts'
import { newId } from '../lib/ids.ts'
import { createWorkspace } from '../workspaces/workspaces.ts'
import { createMetrics } from '../lib/metrics.ts'
import type { EventType } from './event-types.ts'
import { type NewEvent, recordEvents, transactionWithEvents } from './record.ts'

const clock = createMovedClock()
let db: Db

before(async () => {
  db = openDb({ url: await fileDatabase(), poolSize: 2 })
})
after(() => db.close())

const newWorkspace = async (): Promise<string> =>
  (await createWorkspace(db, clock, { name: 'events', sandbox: true })).workspaceId

/** The secret is no real one: these tests never open it. */
async function newEndpoint(workspaceId: string, status: string, types: EventType[] | null = null): Promise<string> {
  const id = newId()
  const text = `insert into webhook_endpoints (id, workspace_id, url, secret, status, status_at, created_at, event_types)
    values ($1, $2, 'https://example.com/', '\\x00', $3, $4, $4, $5)`
  await db.rows({ name: 'new_endpoint', text }, [id, workspaceId, status, clock.now(), types])
  return id
}

const record = (events: NewEvent[]): Promise<void> => db.transaction((tx) => recordEvents(tx, clock.now(), events))

type DeliveryRow = { id: string; event_id: string; endpoint_id: string; status: string; due: boolean }

const deliveriesOf = (workspaceId: string): Promise<DeliveryRow[]> =>
  db.rows<DeliveryRow>(
    {
      name: 'deliveries_of',
      text: `select id, event_id, endpoint_id, status, due_at is not null as due
        from webhook_deliveries where workspace_id = $1 order by endpoint_id, event_id`,
    },
    [workspaceId],
  )

const bodyOf = async (id: string): Promise<string | undefined> =>
  (await db.row<{ body: string }>({ name: 'body_of', text: 'select body from events where id = $1' }, [id]))?.body

test('the body is the envelope, whose timestamp is the data’s own time', async () => {
  const workspaceId = await newWorkspace()
  const data = { reference: 'à 18h — مساءً "\\', failure: null, occurredAt: '2026-12-01T00:00:00.123Z' }
  const event = newEvent(workspaceId, { type: 'message.failed', data })
  await record([event])
  assert.equal(
    await bodyOf(event.id),
    `{"type":"message.failed","timestamp":"2026-12-01T00:00:00.123Z","data":${JSON.stringify(data)}}`,
  )
})

test('an event has one delivery per endpoint, due if enabled, otherwise held', async () => {
  const [workspaceId, other] = [await newWorkspace(), await newWorkspace()]
  const enabled = await newEndpoint(workspaceId, 'enabled')
  const paused = await newEndpoint(workspaceId, 'paused')
  const disabled = await newEndpoint(workspaceId, 'disabled')
  const elsewhere = await newEndpoint(other, 'enabled')
  const events = [newEvent(workspaceId), newEvent(workspaceId)]
  const foreign = newEvent(other)
  await record([...events, foreign])
  const recorded = (await deliveriesOf(workspaceId)).map(
    ({ event_id, endpoint_id, status, due }) => `${event_id} ${endpoint_id} ${status} ${due ? 'due' : 'not due'}`,
  )
  const expected = events.flatMap(({ id }) => [
    `${id} ${enabled} pending due`,
    `${id} ${paused} held not due`,
    `${id} ${disabled} held not due`,
  ])
  assert.deepEqual(recorded.sort(), expected.sort())
  assert.deepEqual(
    (await deliveriesOf(other)).map(({ event_id, endpoint_id }) => [event_id, endpoint_id]),
    [[foreign.id, elsewhere]],
  )
})

test('a ping goes only to its endpoint, never to one of another workspace', async () => {
  const [workspaceId, other] = [await newWorkspace(), await newWorkspace()]
  const endpointId = await newEndpoint(workspaceId, 'enabled')
  await newEndpoint(workspaceId, 'enabled')
  const foreign = await newEndpoint(other, 'enabled')
  await record([
    newEvent(workspaceId, { type: 'ping', endpointId }),
    newEvent(workspaceId, { type: 'ping', endpointId: foreign }),
  ])
  assert.deepEqual(
    (await deliveriesOf(workspaceId)).map(({ endpoint_id }) => endpoint_id),
    [endpointId],
  )
  assert.deepEqual(await deliveriesOf(other), [])
})

test('an endpoint with chosen types receives only these, and every ping to it', async () => {
  const workspaceId = await newWorkspace()
  const all = await newEndpoint(workspaceId, 'enabled')
  const chosen = await newEndpoint(workspaceId, 'paused', ['cod.confirmed', 'message.failed'])
  const [wanted, unwanted] = [newEvent(workspaceId, { type: 'cod.confirmed' }), newEvent(workspaceId)]
  const ping = newEvent(workspaceId, { type: 'ping', endpointId: chosen })
  await record([wanted, unwanted, ping])
  const recorded = (await deliveriesOf(workspaceId)).map(({ event_id, endpoint_id }) => `${event_id} ${endpoint_id}`)
  const expected = [`${wanted.id} ${all}`, `${unwanted.id} ${all}`, `${wanted.id} ${chosen}`, `${ping.id} ${chosen}`]
  assert.deepEqual(recorded.sort(), expected.sort())
  assert.ok(await bodyOf(unwanted.id))
})

test('a deleted endpoint receives nothing, not even a ping', async () => {
  const workspaceId = await newWorkspace()
  const endpointId = await newEndpoint(workspaceId, 'disabled')
  const text = `update webhook_endpoints set deleted_at = $2, secret = '' where id = $1`
  await db.rows({ name: 'delete_test_endpoint', text }, [endpointId, clock.now()])
  await record([newEvent(workspaceId), newEvent(workspaceId, { type: 'ping', endpointId })])
  assert.deepEqual(await deliveriesOf(workspaceId), [])
})

test('a delivery’s id is a UUIDv7 of the time of its event', async () => {
  const workspaceId = await newWorkspace()
  await newEndpoint(workspaceId, 'enabled')
  const event = newEvent(workspaceId)
  await record([event])
  const [delivery] = await deliveriesOf(workspaceId)
  assert.match(delivery?.id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(delivery?.id.slice(0, 13), event.id.slice(0, 13))
  assert.notEqual(delivery?.id, event.id)
})

test('events are rolled back with their transaction', async () => {
  const workspaceId = await newWorkspace()
  await newEndpoint(workspaceId, 'enabled')
  const event = newEvent(workspaceId)
  const failing = db.transaction(async (tx) => {
    await recordEvents(tx, clock.now(), [event])
    throw new Error('the change failed')
  })
  await assert.rejects(failing, /the change failed/)
  assert.equal(await bodyOf(event.id), undefined)
  assert.deepEqual(await deliveriesOf(workspaceId), [])
})

test('a workspace without endpoints still has its events', async () => {
  const event = newEvent(await newWorkspace())
  await record([event])
  assert.ok(await bodyOf(event.id))
})

test('an event counts in the metrics only after its commit', async () => {
  const metrics = createMetrics()
  const counted = async (): Promise<unknown> => (await metrics.events.get()).values
  const { workspaceId } = await createWorkspace(db, clock, { name: 'counted', sandbox: true })
  const event = (type: 'message.sent' | 'message.failed'): NewEvent => ({
    id: newId(),
    workspaceId,
    type,
    data: { occurredAt: clock.now().toISOString() },
  })
  const parts = { db, metrics, wake: () => {} }
  const undone = transactionWithEvents(parts, async (tx) => {
    await recordEvents(tx, clock.now(), [event('message.sent')])
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.deepEqual(await counted(), [])
  await transactionWithEvents(parts, async (tx) => {
    await recordEvents(tx, clock.now(), [event('message.sent'), event('message.sent')])
    await recordEvents(tx, clock.now(), [event('message.failed')])
  })
  assert.deepEqual(await counted(), [
    { value: 2, labels: { type: 'message.sent' } },
    { value: 1, labels: { type: 'message.failed' } },
  ])
})
