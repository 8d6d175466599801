import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ApiError } from '../lib/errors.ts'
import { MAX_WAITING_PER_KEY, MAX_WAITING_PER_WORKSPACE, createWaiter } from './wait.ts'

/** A waiter whose changes the test announces; everything that waits ends with the test. */
function startWaiter(t: TestContext) {
  const followers = new Set<() => void>()
  const waitFor = createWaiter({
    follow(_workspaceId, onChange) {
      followers.add(onChange)
      return () => void followers.delete(onChange)
    },
  })
  const end = new AbortController()
  t.after(() => end.abort())
  const isEmpty = (found: string): boolean => found === ''
  return {
    end,
    followers,
    change: () => followers.forEach((onChange) => onChange()),
    wait: (look: () => string, apiKeyId = 'key', workspaceId = 'w') =>
      waitFor({ workspaceId, apiKeyId, seconds: 30, end: end.signal, look: async () => look(), isEmpty }),
  }
}

test('a change during a look is not missed', async (t) => {
  const { change, wait } = startWaiter(t)
  let looks = 0
  const found = await wait(() => {
    looks += 1
    if (looks === 3) change() // committed after this look's snapshot
    return looks > 3 ? 'event' : ''
  })
  assert.deepEqual([found, looks], ['event', 4])
})

test('many changes cause few looks', async (t) => {
  const { change, wait, end } = startWaiter(t)
  let looks = 0
  const timer = setInterval(change, 1)
  t.after(() => clearInterval(timer))
  const began = performance.now()
  await wait(() => {
    looks += 1
    if (looks === 5) end.abort()
    return ''
  })
  assert.ok(performance.now() - began >= 700)
})

const isTooMany = (error: unknown): boolean => error instanceof ApiError && error.code === 'RATE_LIMITED'

test('one workspace with many keys leaves the other workspaces room to wait', async (t) => {
  const { wait, end } = startWaiter(t)
  const waiting = Array.from({ length: MAX_WAITING_PER_WORKSPACE }, (_, n) => wait(() => '', `key ${n}`, 'greedy'))
  await assert.rejects(
    wait(() => '', 'one more key', 'greedy'),
    (error) => isTooMany(error) && /keys of this workspace already have 50/.test(String(error)),
  )
  assert.equal(await wait(() => 'event', 'key 1', 'another workspace'), 'event')
  end.abort()
  await Promise.all(waiting)
  assert.equal(await wait(() => 'event', 'key 1', 'greedy'), 'event')
})

test('waiting requests of all keys together never exceed the limit of a process', async (t) => {
  const { wait, end, followers } = startWaiter(t)
  const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`)
  const waiting = keys.flatMap((key, n) =>
    Array.from({ length: MAX_WAITING_PER_KEY }, () => wait(() => '', key, `workspace ${n % 10}`)),
  )
  await assert.rejects(
    wait(() => '', 'another key'),
    isTooMany,
  )
  end.abort()
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['']))
  assert.equal(followers.size, 0)
  assert.equal(await wait(() => 'event', 'another key'), 'event')
})
