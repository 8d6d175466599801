import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createThrottle } from './throttle.ts'

const GROUP_MS = 10

function startThrottle() {
  let nowMs = 0
  const timers: { atMs: number; run: () => void }[] = []
  const throttle = createThrottle({
    now: () => nowMs,
    after: (ms, run) => void timers.push({ atMs: nowMs + ms, run }),
  })
  const moveTo = (ms: number): void => {
    nowMs = ms
    for (const timer of timers.filter(({ atMs }) => atMs <= ms)) {
      timers.splice(timers.indexOf(timer), 1)
      timer.run()
    }
  }
  return {
    moveTo,
    /** Requests arrive and are accepted in one group. Returns when it ended. */
    async accept(workspaceIds: readonly string[], tookMs = GROUP_MS): Promise<number> {
      for (const workspaceId of workspaceIds) void throttle.wait(workspaceId)
      await throttle.during(workspaceIds, async () => moveTo(nowMs + tookMs))
      return nowMs
    },
    /** Sends requests, and counts those that continue. */
    send(workspaceId: string, requests = 1) {
      let continued = 0
      for (let each = 0; each < requests; each += 1)
        void Promise.resolve(throttle.wait(workspaceId)).then(() => (continued += 1))
      return async (): Promise<number> => {
        await new Promise(setImmediate)
        return continued
      }
    },
  }
}

const large = (count: number): string[] => Array.from({ length: count }, () => 'large')

test('a workspace that fills a group waits three times as long as it took, and no other waits', async () => {
  const throttle = startThrottle()
  const endedAt = await throttle.accept([...large(30), 'small'])
  const [ofLarge, ofSmall] = [throttle.send('large'), throttle.send('small')]
  assert.deepEqual([await ofLarge(), await ofSmall()], [0, 1])
  throttle.moveTo(endedAt + 3 * GROUP_MS - 1)
  assert.equal(await ofLarge(), 0)
  throttle.moveTo(endedAt + 3 * GROUP_MS)
  assert.equal(await ofLarge(), 1)
  assert.equal(await throttle.send('large')(), 1)
})

test('no workspace waits while no other is active', async () => {
  const throttle = startThrottle()
  await throttle.accept(large(30))
  assert.equal(await throttle.send('large')(), 1)
  throttle.moveTo((await throttle.accept(['small'])) + 2_000)
  await throttle.accept(large(30))
  await throttle.accept(large(30))
  assert.equal(await throttle.send('large')(), 1)
})

test('no workspace waits after a small group or one that several share', async () => {
  const throttle = startThrottle()
  await throttle.accept([...large(6), 'small'])
  await throttle.accept([...large(20), ...Array.from({ length: 10 }, () => 'other')])
  assert.equal(await throttle.send('large')(), 1)
})

test('after a group that waited for a lock, its workspace waits for a quarter of a second at most', async () => {
  const throttle = startThrottle()
  const endedAt = await throttle.accept([...large(30), 'small'], 900)
  const continued = throttle.send('large')
  throttle.moveTo(endedAt + 250)
  assert.equal(await continued(), 1)
})

test('of many requests that wait, some continue after each pause, and all in the end', async () => {
  const throttle = startThrottle()
  const endedAt = await throttle.accept([...large(30), 'small'])
  const continued = throttle.send('large', 150)
  const counts: number[] = []
  for (let pause = 1; pause <= 3; pause += 1) {
    throttle.moveTo(endedAt + pause * 3 * GROUP_MS)
    counts.push(await continued())
  }
  assert.deepEqual(counts, [64, 128, 150])
})

test('no more than a thousand requests of a workspace wait', async () => {
  const throttle = startThrottle()
  await throttle.accept([...large(30), 'small'])
  const continued = throttle.send('large', 1_200)
  assert.equal(await continued(), 200)
})
