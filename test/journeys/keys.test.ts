import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { test } from 'node:test'
import { createKey, revokeKey } from '../../src/workspaces/keys.ts'
import { type World, startWorld } from '../world.ts'

const MISSING = '/api/v1/otp/messages/00000000-0000-4000-8000-000000000000'

const statusOf = async (world: World, key: string, url: string): Promise<number> =>
  (await world.request('GET', MISSING, { key, url })).status

const publicIdOf = (key: string): string => key.slice(4, 16)

const burst = async (world: World, key: string, count: number, urls: readonly string[]): Promise<number[]> => {
  const answers = Array.from({ length: count }, (_, index) => statusOf(world, key, urls[index % urls.length] ?? ''))
  return Promise.all(answers)
}
const granted = (statuses: readonly number[]): number => statuses.filter((status) => status !== 429).length

test('a revoked key stops within a second on every node, and every other key goes on', async (t) => {
  const world = await startWorld(t)
  const urls = [world.first.url, (await world.node()).url]
  const [revoked, kept] = [await world.freshKey(), await world.freshKey()]
  for (const url of urls) assert.equal(await statusOf(world, revoked, url), 404)
  await revokeKey(world.parts.db, publicIdOf(revoked))
  const revokedAt = performance.now()
  for (const url of urls) {
    while ((await statusOf(world, revoked, url)) !== 401) {
      assert.ok(performance.now() - revokedAt < 1_000, 'the key still works after a second')
      await setTimeout(60) // under the rate limit
    }
  }
  for (const url of urls) assert.equal(await statusOf(world, kept, url), 404)
})

test('a key works from the moment it is made, on every node, and a wrong guess before does not delay it for long', async (t) => {
  const world = await startWorld(t)
  const other = await world.node()
  const key = await world.freshKey()
  assert.equal(await statusOf(world, key, other.url), 404)
})

test('an expired key is refused from its last moment on', async (t) => {
  const world = await startWorld(t)
  const expiresAt = new Date(world.clock.now().getTime() + 60 * 60_000)
  const { apiKey } = await createKey(world.parts.db, world.clock, {
    workspaceId: world.workspaceId,
    name: 'short',
    expiresAt,
  })
  assert.equal(await statusOf(world, apiKey, world.first.url), 404)
  world.advance('59m')
  assert.equal(await statusOf(world, apiKey, world.first.url), 404)
  world.advance('61s')
  assert.equal(await statusOf(world, apiKey, world.first.url), 401)
})

test('of a key nothing but a hash of its secret is stored', async (t) => {
  const world = await startWorld(t)
  const key = await world.freshKey()
  const [row] = await world.ask<{ row: string }>('select k::text as row from api_keys k where public_id = $1', [
    publicIdOf(key),
  ])
  assert.ok(row && !row.row.includes(key.slice(17)) && !row.row.includes(Buffer.from(key.slice(17)).toString('hex')))
})

for (const rateLimit of ['memory', 'shared'] as const) {
  test(`of 60 simultaneous requests of one key 20 go through, the limit kept in ${rateLimit}`, async (t) => {
    const world = await startWorld(t, { rateLimit })
    const [key, other] = [await world.freshKey(), await world.freshKey()]
    assert.equal(granted(await burst(world, key, 60, [world.first.url])), 20)
    assert.equal(await statusOf(world, other, world.first.url), 404, 'another key has its own limit')
  })

  test(`no second of any length of trying ever holds more than 20, the limit kept in ${rateLimit}`, async (t) => {
    const world = await startWorld(t, { rateLimit })
    const key = await world.freshKey()
    const grantedAt: { from: number; to: number }[] = []
    const end = performance.now() + 2_600
    while (performance.now() < end) {
      const from = performance.now()
      const statuses = await burst(world, key, 4, [world.first.url])
      const to = performance.now()
      for (let count = granted(statuses); count > 0; count -= 1) grantedAt.push({ from, to })
      await setTimeout(20)
    }
    // Requests that surely lie within one second of each other: from the asking of the first to the answer of the last.
    for (const [index, first] of grantedAt.entries()) {
      const within = grantedAt.slice(index).filter(({ to }) => to - first.from < 1_000).length
      assert.ok(within <= 20, `${within} within a second`)
    }
    assert.ok(grantedAt.length >= 40, `refused requests do not lengthen the wait: ${grantedAt.length} in 2.6 s`)
  })
}

test('over two nodes with a shared limit a key still has 20 a second', async (t) => {
  const world = await startWorld(t, { rateLimit: 'shared' })
  const other = await world.node()
  const key = await world.freshKey()
  assert.equal(granted(await burst(world, key, 60, [world.first.url, other.url])), 20)
})

test('every authenticated request counts, whatever its outcome, and one without a key does not', async (t) => {
  const world = await startWorld(t)
  const key = await world.freshKey()
  await Promise.all(Array.from({ length: 30 }, () => world.request('GET', MISSING, { key: null })))
  const outcomes = [
    ...Array.from({ length: 10 }, () => world.request('POST', '/api/v1/otp/messages', { key, body: {} })),
    ...Array.from({ length: 10 }, () => world.request('GET', MISSING, { key })),
  ]
  assert.equal((await Promise.all(outcomes)).filter(({ status }) => status === 429).length, 0)
  const over = await world.request('GET', MISSING, { key })
  assert.deepEqual([over.status, over.headers.get('retry-after')], [429, '1'])
})
