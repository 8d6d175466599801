import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { pino } from 'pino'
import { fileDatabase } from '../../../test/database/database.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import type { Role } from '../../lib/config.ts'
import { openDb } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { LIVE_CHANNEL } from './live.ts'
import { createWakeUps } from './wake.ts'

test('pages on the same node are notified without the database', async (t) => {
  const { node, payloads } = await startNodes(t)
  const { live } = node(['api', 'worker', 'dashboard'])
  const [shop, other] = [newId(), newId()]
  let calls = 0
  const unfollow = live.follow(shop, () => (calls += 1))
  live.changed([shop, shop, other])
  assert.equal(calls, 1)
  unfollow()
  live.changed([shop])
  assert.equal(calls, 1)
  assert.deepEqual(
    payloads.filter((payload) => payload.startsWith('changed')),
    [],
  )
})

test('other nodes get no notification for a workspace without open pages', async (t) => {
  const { node, payloads } = await startNodes(t)
  const [worker, dashboard] = [node(['worker']), node(['dashboard'])]
  const [shop, other] = [newId(), newId()]
  await waitUntilFollowed(dashboard, { by: worker, shop, payloads })
  worker.live.changed([other])
  worker.live.changed([shop])
  await waitFor('the notification of the shop', () => payloads.includes(`changed ${shop}`))
  assert.ok(!payloads.some((payload) => payload.includes(other)))
})

test('a thousand changes in a hundred workspaces need few notifications', async (t) => {
  const { node, payloads } = await startNodes(t)
  const [worker, dashboard] = [node(['worker']), node(['dashboard'])]
  const shops = Array.from({ length: 100 }, newId)
  const calls = new Set<string>()
  for (const shop of shops) dashboard.live.follow(shop, () => calls.add(shop))
  await waitUntilFollowed(dashboard, { by: worker, shop: shops[0] ?? '', payloads })
  const before = payloads.length
  for (let time = 0; time < 10; time += 1) worker.live.changed(shops)
  await waitFor('all changes to be reported', () => calls.size === shops.length)
  // an earlier notification may still arrive
  assert.ok(payloads.length - before <= 4, `${payloads.length - before} notifications`)
})

test('a command notifies of its changes before it ends', async (t) => {
  const { node, payloads } = await startNodes(t)
  const shop = newId()
  const command = node([])
  command.live.changed([shop])
  await command.stop()
  await waitFor('the notification', () => payloads.includes(`changed ${shop}`))
})

type Node = ReturnType<typeof createWakeUps>
type Followed = { by: Node; shop: string; payloads: readonly string[] }

/** Until the worker knows that the other node follows the shop. */
async function waitUntilFollowed(dashboard: Node, { by, shop, payloads }: Followed): Promise<void> {
  dashboard.live.follow(shop, () => {})
  await waitFor('the worker to know the followers', () => {
    by.live.changed([shop])
    return payloads.includes(`changed ${shop}`)
  })
}

async function startNodes(t: TestContext) {
  const url = await fileDatabase()
  const payloads: string[] = []
  const listener = new Client({ connectionString: url })
  listener.on('notification', ({ payload }) => payloads.push(payload ?? ''))
  await listener.connect()
  await listener.query(`listen ${LIVE_CHANNEL}`)
  const stops: (() => Promise<void>)[] = []
  t.after(async () => {
    for (const stop of stops) await stop()
    await listener.end()
  })
  return {
    payloads,
    node: (roles: Role[]): Node => {
      const db = openDb({ url, poolSize: 1 })
      const wakes = createWakeUps({ db, roles: new Set(roles), log: pino({ level: 'silent' }) })
      void wakes.start()
      let stopped: Promise<void> | undefined
      const stop = (): Promise<void> => (stopped ??= wakes.stop().then(() => db.close()))
      stops.push(stop)
      return { ...wakes, stop }
    },
  }
}
