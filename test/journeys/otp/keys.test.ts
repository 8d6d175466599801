import assert from 'node:assert/strict'
import { test } from 'node:test'
import { revokeKey } from '../../../src/workspaces/keys/keys.ts'
import { MISSING, assertKeyEnds, statusOfKey } from '../../world/rejections.ts'
import { type World, startWorld } from '../../world/world.ts'

const publicIdOf = (key: string): string => key.slice(4, 16)

const burst = async (world: World, key: string, count: number, urls: readonly string[]): Promise<number[]> => {
  const answers = Array.from({ length: count }, (_, index) => statusOfKey(world, key, urls[index % urls.length] ?? ''))
  return Promise.all(answers)
}
const granted = (statuses: readonly number[]): number => statuses.filter((status) => status !== 429).length

/** Of 60 simultaneous requests, 20 are granted, and 20 more for each second that a busy machine needs to answer them. */
async function assertTwentyOfSixty(send: () => Promise<number[]>): Promise<void> {
  const from = performance.now()
  const count = granted(await send())
  const max = 20 * (1 + Math.floor((performance.now() - from) / 1_000))
  assert.ok(count >= 20 && count <= max, `${count} of 60 passed, not 20 to ${max}`)
}

test('a revoked key stops within a second on every node; others continue', async (t) => {
  const world = await startWorld(t)
  const urls = [world.first.url, (await world.node()).url]
  const [revoked, other] = [await world.freshKey(), await world.freshKey()]
  for (const url of urls) assert.equal(await statusOfKey(world, revoked, url), 404)
  await revokeKey(world.parts.db, { ...world, publicId: publicIdOf(revoked) })
  await assertKeyEnds(world, revoked, urls)
  for (const url of urls) assert.equal(await statusOfKey(world, other, url), 404)
})

test('a new key works on every node, even after a wrong guess', async (t) => {
  const world = await startWorld(t)
  const other = await world.node()
  const key = await world.freshKey()
  assert.equal(await statusOfKey(world, key, other.url), 404)
})

for (const rateLimit of ['memory', 'shared'] as const) {
  test(`20 of 60 simultaneous requests of one key pass, limited in ${rateLimit}`, async (t) => {
    const world = await startWorld(t, { rateLimit })
    const [key, other] = [await world.freshKey(), await world.freshKey()]
    await assertTwentyOfSixty(() => burst(world, key, 60, [world.first.url]))
    assert.equal(await statusOfKey(world, other, world.first.url), 404, 'another key has its own limit')
  })
}

test('two nodes with a shared limit allow a key 20 a second', async (t) => {
  const world = await startWorld(t, { rateLimit: 'shared' })
  const other = await world.node()
  const key = await world.freshKey()
  await assertTwentyOfSixty(() => burst(world, key, 60, [world.first.url, other.url]))
})

test('every authenticated request counts; one without a key does not', async (t) => {
  const world = await startWorld(t)
  const key = await world.freshKey()
  const each = (send: () => ReturnType<World['request']>) => Promise.all(Array.from({ length: 30 }, send))
  await each(() => world.request('GET', MISSING, { key: null }))
  await assertTwentyOfSixty(async () => {
    const responses = await Promise.all([
      each(() => world.request('POST', '/api/v1/otp/messages', { key, body: {} })),
      each(() => world.request('GET', MISSING, { key })),
    ])
    for (const { status, headers } of responses.flat())
      assert.equal(headers.get('retry-after'), status === 429 ? '1' : null)
    return responses.flat().map(({ status }) => status)
  })
})
