import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { pino } from 'pino'
import { fileDatabase } from '../../test/database.ts'
import { until } from '../../test/until.ts'
import type { Role } from '../config.ts'
import { openDb } from '../db.ts'
import { newId } from '../ids.ts'
import { LIVE_CHANNEL } from './live.ts'
import { createWake } from './wake.ts'

test('a page hears of its workspace on its own node without a word to the database', async (t) => {
  const { node, told } = await startNodes(t)
  const { live } = node(['api', 'worker', 'dashboard'])
  const [shop, other] = [newId(), newId()]
  let heard = 0
  const unfollow = live.follow(shop, () => (heard += 1))
  live.changed([shop, shop, other])
  assert.equal(heard, 1)
  unfollow()
  live.changed([shop])
  assert.equal(heard, 1)
  assert.deepEqual(
    told.filter((payload) => payload.startsWith('changed')),
    [],
  )
})

test('nothing is told to other nodes of a workspace that nobody looks at', async (t) => {
  const { node, told } = await startNodes(t)
  const [worker, dashboard] = [node(['worker']), node(['dashboard'])]
  const [shop, other] = [newId(), newId()]
  await untilFollowed(dashboard, { by: worker, shop, told })
  worker.live.changed([other])
  worker.live.changed([shop])
  await until('the shop to be told of', () => told.includes(`changed ${shop}`))
  assert.ok(!told.some((payload) => payload.includes(other)))
})

test('a thousand changes of a hundred workspaces are a few notifications', async (t) => {
  const { node, told } = await startNodes(t)
  const [worker, dashboard] = [node(['worker']), node(['dashboard'])]
  const shops = Array.from({ length: 100 }, newId)
  const heard = new Set<string>()
  for (const shop of shops) dashboard.live.follow(shop, () => heard.add(shop))
  await untilFollowed(dashboard, { by: worker, shop: shops[0] ?? '', told })
  const before = told.length
  for (let time = 0; time < 10; time += 1) worker.live.changed(shops)
  await until('all to be heard of', () => heard.size === shops.length)
  // a word of before may still have been on its way
  assert.ok(told.length - before <= 4, `${told.length - before} notifications`)
})

test('a command tells what it changed before it ends, though it knows of nobody who looks', async (t) => {
  const { node, told } = await startNodes(t)
  const shop = newId()
  const command = node([])
  command.live.changed([shop])
  await command.stop()
  await until('it to be told', () => told.includes(`changed ${shop}`))
})

type Node = ReturnType<typeof createWake>
type Followed = { by: Node; shop: string; told: readonly string[] }

/** Until the worker knows that the shop is followed at the other node: then it tells of it. */
async function untilFollowed(dashboard: Node, { by, shop, told }: Followed): Promise<void> {
  dashboard.live.follow(shop, () => {})
  await until('the worker to know who looks', () => {
    by.live.changed([shop])
    return told.includes(`changed ${shop}`)
  })
}

async function startNodes(t: TestContext) {
  const url = await fileDatabase()
  const told: string[] = []
  const listener = new Client({ connectionString: url })
  listener.on('notification', ({ payload }) => told.push(payload ?? ''))
  await listener.connect()
  await listener.query(`listen ${LIVE_CHANNEL}`)
  const stops: (() => Promise<void>)[] = []
  t.after(async () => {
    for (const stop of stops) await stop()
    await listener.end()
  })
  return {
    told,
    node: (roles: Role[]): Node => {
      const db = openDb({ url, poolSize: 1 })
      const wakes = createWake({ db, roles: new Set(roles), log: pino({ level: 'silent' }) })
      wakes.start()
      let stopped: Promise<void> | undefined
      const stop = (): Promise<void> => (stopped ??= wakes.stop().then(() => db.close()))
      stops.push(stop)
      return { ...wakes, stop }
    },
  }
}
