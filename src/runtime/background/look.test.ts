import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLook } from './look.ts'

/** A look whose statement takes `tookMs`; `turnAt` moves the time and runs a turn. */
function createTimedLook({ tookMs }: { tookMs: number }) {
  let nowMs = 0
  let looks = 0
  const look = createLook(
    () => {
      looks += 1
      nowMs += tookMs
      return Promise.resolve({ submit: false })
    },
    () => nowMs,
  )
  return {
    looks: () => looks,
    turnAt: async (ms: number): Promise<void> => {
      nowMs = Math.max(nowMs, ms)
      await look.loop.turn()
    },
    isWatched: (): boolean => {
      using watch = look.watch('submit', () => {})
      return watch !== undefined
    },
  }
}

test('a slow look takes a tenth of the time, and loops do not poll until the next one', async () => {
  const look = createTimedLook({ tookMs: 200 })
  for (let ms = 0; ms < 2_000; ms += 500) {
    await look.turnAt(ms)
    assert.equal(look.isWatched(), true, `after ${ms} ms`)
  }
  assert.equal(look.looks(), 1)
  await look.turnAt(2_000)
  assert.equal(look.looks(), 2)
})

test('even a very slow look is repeated after five seconds', async () => {
  const look = createTimedLook({ tookMs: 2_000 })
  await look.turnAt(0)
  await look.turnAt(7_000)
  assert.equal(look.looks(), 2)
})

test('a quick look is made at each turn', async () => {
  const look = createTimedLook({ tookMs: 5 })
  for (let ms = 0; ms < 3_000; ms += 500) await look.turnAt(ms)
  assert.equal(look.looks(), 6)
})
