import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createBatcher } from './batcher.ts'

const faultOfData = (error: unknown): boolean => error instanceof Error && error.message === 'bad item'

test('items of one turn form one group, each with its own outcome', async () => {
  const groups: number[][] = []
  const double = createBatcher(
    async (items: number[]) => {
      groups.push(items)
      return items.map((item) => item * 2)
    },
    { maxItems: 10, concurrency: 1, mayRunOneByOne: () => false },
  )
  assert.deepEqual(await Promise.all([double(1), double(2), double(3)]), [2, 4, 6])
  assert.deepEqual(groups, [[1, 2, 3]])
})

test('half a group that has arrived does not wait for the interval', async () => {
  const sizes: number[] = []
  const put = createBatcher(
    async (items: number[]) => {
      sizes.push(items.length)
      return items
    },
    { maxItems: 6, concurrency: 1, intervalMs: 120_000, mayRunOneByOne: () => false },
  )
  await put(0)
  const early = put(1)
  await wait(5) // the pause has begun
  const all = Promise.all([early, put(2), put(3)])
  assert.deepEqual(await Promise.race([all, wait(30_000, 'late', { ref: false })]), [1, 2, 3])
  assert.deepEqual(sizes, [1, 3])
})

test('an item with a shorter interval starts the group early for all waiting items', async () => {
  const groups: string[][] = []
  const put = createBatcher(
    async (items: string[]) => {
      groups.push(items)
      return items
    },
    {
      maxItems: 10,
      concurrency: 1,
      intervalMs: (item) => (item === 'urgent' ? 0 : 120_000),
      mayRunOneByOne: () => false,
    },
  )
  await put('first')
  const patient = put('patient')
  await wait(5) // the pause has begun
  const all = Promise.all([patient, put('urgent')])
  assert.deepEqual(await Promise.race([all, wait(30_000, 'late', { ref: false })]), ['patient', 'urgent'])
  assert.deepEqual(groups, [['first'], ['patient', 'urgent']])
})

test('groups respect the maximum size and concurrency', async () => {
  let underWay = 0
  let maxUnderWay = 0
  const sizes: number[] = []
  const put = createBatcher(
    async (items: number[]) => {
      underWay += 1
      maxUnderWay = Math.max(maxUnderWay, underWay)
      sizes.push(items.length)
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
      underWay -= 1
      return items
    },
    { maxItems: 4, concurrency: 2, mayRunOneByOne: () => false },
  )
  const items = Array.from({ length: 30 }, (_, index) => index)
  assert.deepEqual(await Promise.all(items.map(put)), items)
  assert.ok(Math.max(...sizes) <= 4)
  assert.equal(maxUnderWay, 2)
})

test('only a faulty item fails; the others succeed', async () => {
  const put = createBatcher(
    async (items: number[]) => {
      if (items.includes(13)) throw new Error('bad item')
      return items
    },
    { maxItems: 100, concurrency: 1, mayRunOneByOne: faultOfData },
  )
  const outcomes = await Promise.allSettled([1, 13, 2].map(put))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('a server error fails the whole group, and the next group still runs', async () => {
  let runs = 0
  const put = createBatcher(
    async (items: number[]) => {
      runs += 1
      if (runs === 1) throw new Error('server gone')
      return items
    },
    { maxItems: 100, concurrency: 1, mayRunOneByOne: faultOfData },
  )
  const outcomes = await Promise.allSettled([1, 2, 3].map(put))
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.equal(runs, 1)
  assert.equal(await put(4), 4)
})

test('the next group starts before the callers of the last one continue', async () => {
  const groups: number[][] = []
  const put = createBatcher(
    async (items: number[]) => {
      groups.push(items)
      await new Promise(setImmediate)
      return items
    },
    { maxItems: 2, concurrency: 1, mayRunOneByOne: () => false },
  )
  const underWay = [1, 2, 3, 4].map((item) => put(item).then(() => groups.length))
  assert.deepEqual(await Promise.all(underWay), [2, 2, 2, 2])
})
