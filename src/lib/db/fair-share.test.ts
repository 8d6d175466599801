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
    endGroup: (workspaceIds: readonly string[], tookMs: number): void => share.groupEnded(workspaceIds, tookMs),
    /** Requests arrive and are accepted in one group. Returns when it ended. */
    accept(workspaceIds: readonly string[], tookMs = GROUP_MS): number {
      for (const workspaceId of workspaceIds) void share.waitForTurn(workspaceId)
      moveTo(nowMs + tookMs)
      share.groupEnded(workspaceIds, tookMs)
      return nowMs
    },
    /** Sends requests. The function that it returns says how many have continued. */
    send(workspaceId: string, requests = 1) {
      let continued = 0
      for (let each = 0; each < requests; each += 1)
        void Promise.resolve(share.waitForTurn(workspaceId)).then(() => (continued += 1))
      return async (): Promise<number> => {
        await new Promise(setImmediate)
        return continued
      }
    },
  }
}

const large = (count: number): string[] => Array.from({ length: count }, () => 'large')

test('a workspace that sent most requests of a group waits three times as long as the group took; others do not wait', async () => {
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

test('when very many requests wait, a quarter of them continue in each interval, 256 at most together', async () => {
  const share = startFairShare()
  const endedAt = share.accept([...large(30), 'small'])
  const continued = share.send('large', 4_000)
  const counts: number[] = []
  for (const partOfInterval of [0, 0.25, 0.55]) {
    share.moveTo(endedAt + PAUSE_MS + partOfInterval * (GROUP_MS + PAUSE_MS) + 1)
    counts.push(await continued())
  }
  assert.deepEqual(counts, [256, 512, 768])
})

test('small groups and groups of others do not shorten the pause of a workspace', async () => {
  const share = startFairShare()
  const endedAt = share.accept([...large(30), 'small'])
  const continued = share.send('large', 100)
  share.moveTo(endedAt + PAUSE_MS)
  assert.equal(await continued(), 64)
  for (const group of [['large'], ['small'], [...large(10), ...Array.from({ length: 10 }, () => 'other')]])
    share.endGroup(group, 1)
  share.moveTo(endedAt + PAUSE_MS + GROUP_MS + PAUSE_MS - 1)
  assert.equal(await continued(), 64)
  share.moveTo(endedAt + PAUSE_MS + GROUP_MS + PAUSE_MS)
  assert.equal(await continued(), 100)
})

test('a workspace waits while the others are active, even if none of its own requests arrives', async () => {
  const share = startFairShare()
  const endedAt = share.accept([...large(64), 'small'], 100)
  const continued = share.send('large', 300)
  for (let ms = endedAt + 1; ms < endedAt + 64; ms += 1) {
    share.moveTo(ms)
    void share.send('small')
  }
  assert.equal(await continued(), 0)
  share.moveTo(endedAt + 64)
  assert.equal(await continued(), 75)
})
