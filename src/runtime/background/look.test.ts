import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FROM_BEGINNING } from '../jobs/search-start.ts'
import { type LookResult, createLook } from './look.ts'

const NEXT = {
  messages: { since: '2026-01-01T00:00:00Z', older: [] },
  deliveries: { since: '2026-01-01T00:00:00Z', older: [] },
}

type LookTimes = { wholeMs: number; partialMs?: number; next?: LookResult['next']; maxMs?: number }

/**
 * A look whose statement takes this long, and fails after `maxMs` unless it may take long. `turnAt` moves the time, runs a turn and returns
 * what happened.
 */
function createTimedLook(times: LookTimes) {
  const { partialMs = 5, next = NEXT, maxMs = Number.POSITIVE_INFINITY } = times
  let nowMs = 0
  let kind: string | undefined
  const look = createLook(
    (starts, { mayTakeLong }) => {
      kind = starts.messages === FROM_BEGINNING.messages ? 'whole' : 'partial'
      const tookMs = kind === 'whole' ? times.wholeMs : partialMs
      const isLate = tookMs > maxMs && !mayTakeLong
      nowMs += isLate ? maxMs : tookMs
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
  const look = createTimedLook({ wholeMs: 5 })
  assert.deepEqual(await turnsUntil(look, 2_000), ['whole', 'whole', 'whole', 'whole'])
  assert.deepEqual(look.starts, FROM_BEGINNING)
})

test('slow looks from the beginning take a tenth of the time; searches in between begin near the last look', async () => {
  const look = createTimedLook({ wholeMs: 200 })
  assert.deepEqual(await turnsUntil(look, 2_500), ['whole', 'partial', 'partial', 'partial', 'whole'])
  assert.deepEqual(look.starts, NEXT)
})

test('looks and loops search from the beginning again when that is quick', async () => {
  const times = { wholeMs: 200 }
  const look = createTimedLook(times)
  await look.turnAt(0)
  times.wholeMs = 5
  assert.equal(await look.turnAt(2_000), 'whole')
  assert.deepEqual(look.starts, FROM_BEGINNING)
  assert.equal(await look.turnAt(2_500), 'whole')
})

test('the next look from the beginning follows within thirty seconds, however slow the last was', async () => {
  const look = createTimedLook({ wholeMs: 10_000 })
  await look.turnAt(0)
  assert.equal(await look.turnAt(39_999), 'partial')
  assert.equal(await look.turnAt(40_500), 'whole')
})

test('a look from the beginning may take long after one that failed, and the others go on meanwhile', async () => {
  const times = { wholeMs: 200, maxMs: 2_500 }
  const look = createTimedLook(times)
  await look.turnAt(0)
  times.wholeMs = 4_000
  assert.equal(await look.turnAt(2_000), 'whole')
  const restarted = createTimedLook(times)
  assert.equal(await restarted.turnAt(0), 'failed whole')
  assert.equal(await restarted.turnAt(7_000), undefined)
  assert.equal(await restarted.turnAt(7_500), 'whole')
  assert.equal(await restarted.turnAt(12_000), 'partial')
  assert.deepEqual(restarted.starts, NEXT)
})

test('without a later start, a slow look takes a tenth of the time, and loops do not poll until the next one', async () => {
  const look = createTimedLook({ wholeMs: 200, next: null })
  for (let ms = 0; ms < 2_000; ms += 500) {
    assert.equal(await look.turnAt(ms), ms === 0 ? 'whole' : undefined)
    assert.equal(look.isWatched(), true, `after ${ms} ms`)
  }
  assert.equal(await look.turnAt(2_000), 'whole')
})

test('when partial looks are slow too, one follows every five seconds', async () => {
  const look = createTimedLook({ wholeMs: 2_000, partialMs: 2_000 })
  await look.turnAt(0)
  assert.equal(await look.turnAt(2_500), 'partial')
  assert.equal(await look.turnAt(9_000), undefined)
  assert.equal(await look.turnAt(9_500), 'partial')
})
