import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type WebhookReceiver, type WebhookWorld, startWebhookWorld } from '../../../test/world/webhook-world.ts'
import { DatabaseUnavailable } from '../../lib/db/connection.ts'
import { type Db, type Sql, isDatabaseUnavailable } from '../../lib/db/pool.ts'

/** A database whose transactions call `run` just before they commit. */
const beforeCommit = (db: Db, run: (tx: Sql) => Promise<void>): Db => ({
  ...db,
  transaction: (work) =>
    db.transaction(async (tx) => {
      const result = await work(tx)
      await run(tx)
      return result
    }),
})

/** Records an event, and returns its delivery as it is just before the commit. */
async function deliveryBeforeCommit(world: WebhookWorld, { endpointId }: WebhookReceiver) {
  let found: { attempts: number; isClaimed: boolean } | undefined
  const text = `select attempts, lease is not null as "isClaimed" from webhook_deliveries where endpoint_id = $1 order by id desc limit 1`
  const [eventId] = await world.record(
    1,
    beforeCommit(world.db, async (tx) => {
      found = await tx.row<{ attempts: number; isClaimed: boolean }>({ name: 'last_delivery', text }, [endpointId])
    }),
  )
  return { eventId, ...found }
}

test('a delivery to an endpoint whose last attempt succeeded is claimed when it is recorded, and made once', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.deliver()
  const { eventId, ...found } = await deliveryBeforeCommit(world, receiver)
  assert.deepEqual(found, { attempts: 1, isClaimed: true })
  await world.settled()
  assert.equal(receiver.ids().filter((id) => id === eventId).length, 1)
  const { status, attempts } = await world.delivery(eventId, receiver)
  assert.deepEqual([status, attempts.length], ['succeeded', 1])
})

test('a delivery that was claimed when it was recorded does not wake the loop', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.deliver()
  const woken: string[] = []
  await world.record(1, world.db, (work) => woken.push(work))
  await receiver.waitFor(2)
  assert.deepEqual(woken, [])
})

test('a delivery to an endpoint whose last attempt failed is left to the loop', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.deliver()
  receiver.answers({ status: 500 })
  await world.deliver()
  const { eventId, ...found } = await deliveryBeforeCommit(world, receiver)
  assert.deepEqual(found, { attempts: 0, isClaimed: false })
  await world.settled()
  assert.equal((await world.delivery(eventId, receiver)).status, 'succeeded')
})

test('while older deliveries wait for capacity, no later one is claimed when it is recorded', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.deliver()
  const { promise, resolve } = Promise.withResolvers<void>()
  receiver.always({ after: promise })
  await world.record(20)
  const { isClaimed } = await deliveryBeforeCommit(world, receiver)
  assert.equal(isClaimed, false)
  resolve()
  await receiver.waitFor(22)
  await world.settled()
})

test('a delivery that was claimed in a transaction that is rolled back is never made', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.deliver()
  const undoing = beforeCommit(world.db, () => Promise.reject(new Error('undone')))
  await assert.rejects(world.record(1, undoing), /undone/)
  const [eventId] = await world.deliver()
  assert.equal(receiver.ids().at(-1), eventId)
  assert.equal(receiver.received.length, 2)
})

test('a claimed delivery does not wait for its lease if the response to its commit was lost', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  await world.deliver()
  const losing: Db = {
    ...world.db,
    async transaction(work) {
      await world.db.transaction(work)
      throw new DatabaseUnavailable(new Error('read ECONNRESET'), { mayBeCommitted: true })
    },
  }
  await assert.rejects(world.record(1, losing), isDatabaseUnavailable)
  await receiver.waitFor(2)
  await world.settled()
  assert.equal(receiver.received.length, 2)
})

test('a process that stops makes the deliveries that it has claimed, and leaves later ones to others', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const worker = world.startWorker()
  await world.deliver()
  await world.record()
  await worker.stop()
  assert.equal(receiver.received.length, 2)
  assert.equal((await deliveryBeforeCommit(world, receiver)).isClaimed, false)
})

test('a process that stops makes the deliveries of transactions that are still open', async (t) => {
  const world = await startWebhookWorld(t, { loops: 0 })
  const receiver = await world.receiver()
  const worker = world.startWorker()
  await world.deliver()
  const [recorded, stopping] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const committing = world.record(
    1,
    beforeCommit(world.db, async () => {
      recorded.resolve()
      await stopping.promise
    }),
  )
  await recorded.promise
  const stopped = worker.stop()
  stopping.resolve()
  const [eventId] = await committing
  await stopped
  assert.equal((await world.delivery(eventId, receiver)).status, 'succeeded')
})
