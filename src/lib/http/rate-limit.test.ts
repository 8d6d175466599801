import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { fileDatabase } from '../../../test/database/database.ts'
import { withConnection } from '../../../test/database/postgres.ts'
import { openDb } from '../db/pool.ts'
import { REQUESTS_PER_WINDOW, WINDOW_MS, createDatabaseRateLimit, createMemoryRateLimit } from './rate-limit.ts'

/** Pauses between requests, many of them at the edges of the window. */
const pauses = fc.array(
  fc.oneof(fc.constantFrom(0, 0, 0, 1, 49, 50, 51, 999, 1_000, 1_001), fc.integer({ min: 0, max: 2_500 })),
  {
    maxLength: 300,
  },
)

test('in memory any 1,000 ms grant at most 20, and rejections never lengthen the wait', () => {
  fc.assert(
    fc.property(pauses, (pauses) => {
      let now = 0
      const limit = createMemoryRateLimit(() => now)
      const granted: number[] = []
      for (const pause of pauses) {
        now += pause
        const inWindow = granted.filter((at) => at >= now - WINDOW_MS).length
        assert.equal(limit('key'), inWindow < REQUESTS_PER_WINDOW)
        if (inWindow < REQUESTS_PER_WINDOW) granted.push(now)
      }
    }),
  )
})

const opened: { close(): Promise<void> }[] = []
after(() => Promise.all(opened.map((db) => db.close())))

async function openNode() {
  const db = openDb({ url: await fileDatabase(), poolSize: 2 })
  opened.push(db)
  return createDatabaseRateLimit(db)
}

const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

/** Lets time pass for the key. Negative: as if the database's clock had been set back. */
async function pass(publicId: string, ms: number): Promise<void> {
  const text = `update rate_limits set hits = (select array_agg(h - $2 * interval '1 ms' order by h) from unnest(hits) h) where public_id = $1`
  await withConnection(await fileDatabase(), (connection) => connection.query(text, [publicId, ms]))
}

test('of 100 concurrent requests over three nodes exactly 20 are granted', async () => {
  const nodes = await Promise.all([openNode(), openNode(), openNode()])
  const responses = await Promise.all(times(100).map((index) => (nodes[index % nodes.length] ?? assert.fail())('k100')))
  assert.equal(responses.filter(Boolean).length, REQUESTS_PER_WINDOW)
})

test('over nodes a granted request stops counting after exactly a second', async () => {
  const [one, other] = [await openNode(), await openNode()]
  for (const _ of times(15)) assert.equal(await one('later'), true)
  await pass('later', 500)
  const second = await Promise.all(times(10).map(() => other('later')))
  assert.equal(second.filter(Boolean).length, 5)
  await pass('later', 510) // now the 15 are older than a second, the 5 are not
  const third = await Promise.all(times(30).map((index) => (index % 2 === 0 ? one : other)('later')))
  assert.equal(third.filter(Boolean).length, 15)
})

test('across nodes a rejected request does not lengthen the wait', async () => {
  const node = await openNode()
  await Promise.all(times(20).map(() => node('rejected')))
  assert.deepEqual(
    await Promise.all(times(50).map(() => node('rejected'))),
    times(50)
      .fill(0)
      .map(() => false),
  )
  const { rows } = await withConnection(await fileDatabase(), (connection) =>
    connection.query<{ count: number }>(
      `select cardinality(hits) as count from rate_limits where public_id = 'rejected'`,
    ),
  )
  assert.equal(rows[0]?.count, REQUESTS_PER_WINDOW)
  await pass('rejected', 1_001)
  assert.equal(await node('rejected'), true)
})

test('setting the database’s clock back locks no key out', async () => {
  const node = await openNode()
  await Promise.all(times(20).map(() => node('ahead')))
  await pass('ahead', -3_600_000)
  const responses = await Promise.all(times(30).map(() => node('ahead')))
  assert.equal(responses.filter(Boolean).length, REQUESTS_PER_WINDOW)
})

test('over nodes keys of one batch do not share their limits', async () => {
  const node = await openNode()
  const responses = await Promise.all(times(60).map((index) => node(`mixed${index % 2}`)))
  assert.equal(responses.filter(Boolean).length, 2 * REQUESTS_PER_WINDOW)
})
