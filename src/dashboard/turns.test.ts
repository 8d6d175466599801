import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsOfPeople } from './turns.ts'

/** Work that ends when it is told to. */
function startWork() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name)
      ends.set(name, () => resolve(name))
    })
  return { begun, work, end: (name: string) => ends.get(name)?.() }
}

const later = () => new Promise((resolve) => setImmediate(resolve))

test('one person’s work waits for their own, in its order, and nobody else’s does', async () => {
  const { begun, work, end } = startWork()
  const turns = turnsOfPeople({ atOnce: 1, waitingMost: 2 })
  const done = ['a', 'b', 'c'].map((name) => turns('sara', work(name)))
  const other = turns('omar', work('d'))
  await later()
  assert.deepEqual(begun, ['a', 'd'])
  end('a')
  await later()
  assert.deepEqual(begun, ['a', 'd', 'b'])
  for (const name of ['b', 'd']) end(name)
  await later()
  end('c')
  assert.deepEqual(await Promise.all([...done, other]), ['a', 'b', 'c', 'd'])
})

test('what is too much for one person is refused, and work that fails gives its turn on', async () => {
  const { work, end } = startWork()
  const turns = turnsOfPeople({ atOnce: 1, waitingMost: 1 })
  const failing = turns('sara', () => Promise.reject(new Error('no')))
  const waiting = turns('sara', work('a'))
  await assert.rejects(turns('sara', work('b')), /more at once than can be answered/)
  await assert.rejects(failing, /no/)
  await later()
  end('a')
  assert.equal(await waiting, 'a')
  assert.equal(await turns('sara', () => Promise.resolve('c')), 'c')
})
