import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FROM_BEGINNING } from '../jobs/search-start.ts'
import { type Found, createLook } from './look.ts'

const NEXT = {
  messages: { since: '2026-01-01T00:00:00Z', older: [] },
  deliveries: { since: '2026-01-01T00:00:00Z', older: [] },
}

type Took = { wholeMs: number; partialMs?: number; next?: Found['next'] }

/** A look whose statement takes this long; `turnAt` moves the time, runs a turn and returns the kind of its look. */
function createTimedLook({ wholeMs, partialMs = 5, next = NEXT }: Took) {
  let nowMs = 0
  let kind: 'whole' | 'partial' | undefined
  const look = createLook(
    (starts) => {
      kind = starts.messages === FROM_BEGINNING.messages ? 'whole' : 'partial'
      nowMs += kind === 'whole' ? wholeMs : partialMs
      return Promise.resolve({ due: { submit: false }, next })
    },
    () => nowMs,
  )
  return {
    starts: look.starts,
    turnAt: async (ms: number) => {
      kind = undefined
      nowMs = Math.max(nowMs, ms)
      await look.loop.turn()
      return kind
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

test('a quick look begins at the beginning, and so do the loops', async () => {
  const look = createTimedLook({ wholeMs: 5 })
  assert.deepEqual(await turnsUntil(look, 2_000), ['whole', 'whole', 'whole', 'whole'])
  assert.deepEqual(look.starts, FROM_BEGINNING)
})

test('a slow look from the beginning takes a tenth of the time; looks in between and loops begin where the last one ended', async () => {
  const look = createTimedLook({ wholeMs: 200 })
  assert.deepEqual(await turnsUntil(look, 2_500), ['whole', 'partial', 'partial', 'partial', 'whole'])
  assert.deepEqual(look.starts, NEXT)
})

test('even after a very slow look, one begins at the beginning after thirty seconds', async () => {
  const look = createTimedLook({ wholeMs: 10_000 })
  await look.turnAt(0)
  assert.equal(await look.turnAt(39_999), 'partial')
  assert.equal(await look.turnAt(40_500), 'whole')
})

test('with nowhere else to begin, a slow look takes a tenth of the time, and loops do not poll until the next one', async () => {
  const look = createTimedLook({ wholeMs: 200, next: null })
  for (let ms = 0; ms < 2_000; ms += 500) {
    assert.equal(await look.turnAt(ms), ms === 0 ? 'whole' : undefined)
    assert.equal(look.isWatched(), true, `after ${ms} ms`)
  }
  assert.equal(await look.turnAt(2_000), 'whole')
})

test('even a very slow look that is slow everywhere is repeated after five seconds', async () => {
  const look = createTimedLook({ wholeMs: 2_000, partialMs: 2_000 })
  await look.turnAt(0)
  assert.equal(await look.turnAt(2_500), 'partial')
  assert.equal(await look.turnAt(9_000), undefined)
  assert.equal(await look.turnAt(9_500), 'partial')
})
