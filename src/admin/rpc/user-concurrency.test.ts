import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserConcurrency } from './user-concurrency.ts'

/** Work that ends on `end`. */
function startWork() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      started.push(name)
      ends.set(name, () => resolve(name))
    })
  return { started, work, end: (name: string) => ends.get(name)?.() }
}

const later = () => new Promise((resolve) => setImmediate(resolve))

test('one user’s calls run in order and delay no other user’s', async () => {
  const { started, work, end } = startWork()
  const calls = createUserConcurrency({ maxRunning: 1, maxWaiting: 2 })
  const done = ['a', 'b', 'c'].map((name) => calls('sara', work(name)))
  const other = calls('omar', work('d'))
  await later()
  assert.deepEqual(started, ['a', 'd'])
  end('a')
  await later()
  assert.deepEqual(started, ['a', 'd', 'b'])
  for (const name of ['b', 'd']) end(name)
  await later()
  end('c')
  assert.deepEqual(await Promise.all([...done, other]), ['a', 'b', 'c', 'd'])
})

test('too many waiting calls are rejected, and a failed call frees its slot', async () => {
  const { work, end } = startWork()
  const calls = createUserConcurrency({ maxRunning: 1, maxWaiting: 1 })
  const failing = calls('sara', () => Promise.reject(new Error('no')))
  const waiting = calls('sara', work('a'))
  await assert.rejects(calls('sara', work('b')), /too many requests at the same time/)
  await assert.rejects(failing, /no/)
  await later()
  end('a')
  assert.equal(await waiting, 'a')
  assert.equal(await calls('sara', () => Promise.resolve('c')), 'c')
})
