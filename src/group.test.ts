import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grouped } from './group.ts'

const faultOfData = (error: unknown): boolean => error instanceof Error && error.message === 'bad item'

test('what arrives in one turn goes as one group, and each item gets its own outcome', async () => {
  const groups: number[][] = []
  const double = grouped(
    async (items: number[]) => {
      groups.push(items)
      return items.map((item) => item * 2)
    },
    { most: 10, lanes: 1, mayRunAlone: () => false },
  )
  assert.deepEqual(await Promise.all([double(1), double(2), double(3)]), [2, 4, 6])
  assert.deepEqual(groups, [[1, 2, 3]])
})

test('no group is larger than the most, and no more groups are under way than there are lanes', async () => {
  let underWay = 0
  let mostUnderWay = 0
  const sizes: number[] = []
  const put = grouped(
    async (items: number[]) => {
      underWay += 1
      mostUnderWay = Math.max(mostUnderWay, underWay)
      sizes.push(items.length)
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
      underWay -= 1
      return items
    },
    { most: 4, lanes: 2, mayRunAlone: () => false },
  )
  const items = Array.from({ length: 30 }, (_, index) => index)
  assert.deepEqual(await Promise.all(items.map(put)), items)
  assert.ok(Math.max(...sizes) <= 4)
  assert.equal(mostUnderWay, 2)
})

test('one item’s fault is its own: its neighbours run again without it', async () => {
  const put = grouped(
    async (items: number[]) => {
      if (items.includes(13)) throw new Error('bad item')
      return items
    },
    { most: 100, lanes: 1, mayRunAlone: faultOfData },
  )
  const outcomes = await Promise.allSettled([1, 13, 2].map(put))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('a fault of the server fails the whole group at once, and the next group runs all the same', async () => {
  let runs = 0
  const put = grouped(
    async (items: number[]) => {
      runs += 1
      if (runs === 1) throw new Error('server gone')
      return items
    },
    { most: 100, lanes: 1, mayRunAlone: faultOfData },
  )
  const outcomes = await Promise.allSettled([1, 2, 3].map(put))
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.equal(runs, 1)
  assert.equal(await put(4), 4)
})

test('the next group is under way before the callers of the last one go on', async () => {
  const groups: number[][] = []
  const put = grouped(
    async (items: number[]) => {
      groups.push(items)
      await new Promise(setImmediate)
      return items
    },
    { most: 2, lanes: 1, mayRunAlone: () => false },
  )
  const underWay = [1, 2, 3, 4].map((item) => put(item).then(() => groups.length))
  assert.deepEqual(await Promise.all(underWay), [2, 2, 2, 2])
})
