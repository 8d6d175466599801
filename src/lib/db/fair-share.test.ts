import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairShare } from './fair-share.ts'

const GROUP_MS = 10
/** Of a group of 31 requests that takes GROUP_MS. */
const PAUSE_MS = 30

function startFairShare() {
  let nowMs = 0
  const timers: { atMs: number; run: () => void }[] = []
  const share = createFairShare({
    now: () => nowMs,
    after: (ms, run) => void timers.push({ atMs: nowMs + ms, run }),
  })
  const moveTo = (ms: number): void => {
    for (let due = nextUntil(ms); due; due = nextUntil(ms)) {
      timers.splice(timers.indexOf(due), 1)
      nowMs = due.atMs
      due.run()
    }
    nowMs = ms
  }
  const nextUntil = (ms: number) =>
    timers.filter(({ atMs }) => atMs <= ms).toSorted((one, other) => one.atMs - other.atMs)[0]
  return {
    moveTo,
    /** Requests arrive and are accepted in one group. Returns when it ended. */
    accept(workspaceIds: readonly string[], tookMs = GROUP_MS): number {
      for (const workspaceId of workspaceIds) void share.turn(workspaceId)
      moveTo(nowMs + tookMs)
      share.ended(workspaceIds, tookMs)
      return nowMs
    },
    /** Sends requests. The function that it returns says how many have continued. */
    send(workspaceId: string, requests = 1) {
      let continued = 0
      for (let each = 0; each < requests; each += 1)
        void Promise.resolve(share.turn(workspaceId)).then(() => (continued += 1))
      return async (): Promise<number> => {
        await new Promise(setImmediate)
        return continued
      }
    },
  }
}

const large = (count: number): string[] => Array.from({ length: count }, () => 'large')

test('a workspace with most requests of a group waits three times as long as the group took; others do not wait', async () => {
  const share = startFairShare()
  const endedAt = share.accept([...large(30), 'small'])
  const [ofLarge, ofSmall] = [share.send('large'), share.send('small')]
  assert.deepEqual([await ofLarge(), await ofSmall()], [0, 1])
  share.moveTo(endedAt + PAUSE_MS - 1)
  assert.equal(await ofLarge(), 0)
  share.moveTo(endedAt + PAUSE_MS)
  assert.equal(await ofLarge(), 1)
  assert.equal(await share.send('large')(), 1)
})

test('no workspace waits while no other is active', async () => {
  const share = startFairShare()
  share.accept(large(30))
  assert.equal(await share.send('large')(), 1)
  share.moveTo(share.accept(['small']) + 2_000)
  share.accept(large(30))
  share.accept(large(30))
  assert.equal(await share.send('large')(), 1)
})

test('when the others have become silent, all requests that wait continue', async () => {
  const share = startFairShare()
  share.accept([...large(30), 'small'], 900)
  const continued = share.send('large', 5_000)
  share.moveTo(3_000)
  assert.equal(await continued(), 5_000)
  assert.equal(await share.send('large')(), 1)
})

test('no workspace waits after a small group or one that several share', async () => {
  const share = startFairShare()
  share.accept([...large(6), 'small'])
  share.accept([...large(20), ...Array.from({ length: 10 }, () => 'other')])
  assert.equal(await share.send('large')(), 1)
})

test('after a group that took long, a workspace waits for at most a millisecond for each of its requests', async () => {
  const share = startFairShare()
  const endedAt = share.accept([...large(30), 'small'], 900)
  const continued = share.send('large')
  share.moveTo(endedAt + 30)
  assert.equal(await continued(), 1)
})

test('waiting requests continue in parts, each after the time of a group and a pause', async () => {
  const share = startFairShare()
  const endedAt = share.accept([...large(30), 'small'])
  const continued = share.send('large', 150)
  const counts: number[] = []
  for (let part = 0; part < 3; part += 1) {
    share.moveTo(endedAt + PAUSE_MS + part * (GROUP_MS + PAUSE_MS))
    counts.push(await continued())
  }
  assert.deepEqual(counts, [64, 128, 150])
})

test('of very many waiting requests a quarter continues after each pause', async () => {
  const share = startFairShare()
  const endedAt = share.accept([...large(30), 'small'])
  const continued = share.send('large', 4_000)
  share.moveTo(endedAt + PAUSE_MS)
  assert.equal(await continued(), 1_000)
})
