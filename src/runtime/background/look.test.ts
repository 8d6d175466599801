import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FROM_BEGINNING } from '../jobs/search-start.ts'
import { type LookResult, createLook } from './look.ts'

const NEXT = {
  messages: { since: '2026-01-01T00:00:00Z', older: [] },
  deliveries: { since: '2026-01-01T00:00:00Z', older: [] },
}

type LookTimes = { fullMs: number; partialMs?: number; next?: LookResult['next']; maxMs?: number; maxLongMs?: number }

/**
 * A look whose statement takes this long, and fails after `maxMs`, or after `maxLongMs` if it may take long. `turnAt` moves the time, runs a turn and returns
 * what happened.
 */
function createTimedLook(times: LookTimes) {
  const { partialMs = 5, next = NEXT, maxMs = Number.POSITIVE_INFINITY, maxLongMs = Number.POSITIVE_INFINITY } = times
  let nowMs = 0
  let kind: string | undefined
  const look = createLook(
    (starts, { mayTakeLong }) => {
      kind = starts.messages === FROM_BEGINNING.messages ? 'full' : 'partial'
      const tookMs = kind === 'full' ? times.fullMs : partialMs
      const limitMs = mayTakeLong ? maxLongMs : maxMs
      const isLate = tookMs > limitMs
      nowMs += Math.min(tookMs, limitMs)
      return isLate ? Promise.reject(new Error('late')) : Promise.resolve({ due: { submit: false }, next })
    },
    () => nowMs,
  )
  return {
    starts: look.starts,
    turnAt: async (ms: number) => {
      kind = undefined
      nowMs = Math.max(nowMs, ms)
      return look.loop.turn().then(
        () => kind,
        () => `failed ${kind}`,
      )
    },
    isWatched: (): boolean => {
      using watch = look.watch('submit', () => {})
      return watch !== undefined
    },
  }
}

const turnsUntil = async ({ turnAt }: ReturnType<typeof createTimedLook>, endMs: number) => {
  const kinds: (string | undefined)[] = []
  for (let ms = 0; ms < endMs; ms += 500) kinds.push(await turnAt(ms))
  return kinds
}

test('while looks are quick, looks and loops search from the beginning', async () => {
  const look = createTimedLook({ fullMs: 5 })
  assert.deepEqual(await turnsUntil(look, 2_000), ['full', 'full', 'full', 'full'])
  assert.deepEqual(look.starts, FROM_BEGINNING)
})

test('slow full looks take a tenth of the time; searches in between begin near the last look', async () => {
  const look = createTimedLook({ fullMs: 200 })
  assert.deepEqual(await turnsUntil(look, 2_500), ['full', 'partial', 'partial', 'partial', 'full'])
  assert.deepEqual(look.starts, NEXT)
})

test('looks and loops search from the beginning again when that is quick', async () => {
  const times = { fullMs: 200 }
  const look = createTimedLook(times)
  await look.turnAt(0)
  times.fullMs = 5
  assert.equal(await look.turnAt(2_000), 'full')
  assert.deepEqual(look.starts, FROM_BEGINNING)
  assert.equal(await look.turnAt(2_500), 'full')
})

test('a full look follows within thirty seconds, however slow the last one was', async () => {
  const look = createTimedLook({ fullMs: 10_000 })
  await look.turnAt(0)
  assert.equal(await look.turnAt(39_999), 'partial')
  assert.equal(await look.turnAt(40_500), 'full')
})

test('after a failed full look, the next one gets more time, and partial looks follow it', async () => {
  const times = { fullMs: 200, maxMs: 2_500 }
  const look = createTimedLook(times)
  await look.turnAt(0)
  times.fullMs = 4_000
  assert.equal(await look.turnAt(2_000), 'full')
  const restarted = createTimedLook(times)
  assert.equal(await restarted.turnAt(0), 'failed full')
  assert.equal(await restarted.turnAt(7_000), undefined)
  assert.equal(await restarted.turnAt(7_500), 'full')
  assert.equal(await restarted.turnAt(12_000), 'partial')
  assert.deepEqual(restarted.starts, NEXT)
})

test('if searches cannot begin later, slow looks take a tenth of the time, and loops do not poll between them', async () => {
  const look = createTimedLook({ fullMs: 200, next: null })
  for (let ms = 0; ms < 2_000; ms += 500) {
    assert.equal(await look.turnAt(ms), ms === 0 ? 'full' : undefined)
    assert.equal(look.isWatched(), true, `after ${ms} ms`)
  }
  assert.equal(await look.turnAt(2_000), 'full')
})

test('when partial looks are slow too, one follows every five seconds', async () => {
  const look = createTimedLook({ fullMs: 2_000, partialMs: 2_000 })
  await look.turnAt(0)
  assert.equal(await look.turnAt(2_500), 'partial')
  assert.equal(await look.turnAt(9_000), undefined)
  assert.equal(await look.turnAt(9_500), 'partial')
})

test('a full look that fails although it may take long is repeated after thirty seconds', async () => {
  const look = createTimedLook({ fullMs: 20_000, maxMs: 2_500, maxLongMs: 10_000 })
  assert.equal(await look.turnAt(0), 'failed full')
  assert.equal(await look.turnAt(7_500), 'failed full')
  assert.equal(await look.turnAt(47_000), undefined)
  assert.equal(await look.turnAt(47_500), 'failed full')
})
