import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throttled } from './throttled.ts'

test('the first call is at once, and those after it are one at the end of its time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let acts = 0
  const { call } = throttled(
    () => void (acts += 1),
    () => 400,
  )
  call()
  assert.equal(acts, 1)
  call()
  call()
  assert.equal(acts, 1)
  t.mock.timers.tick(400)
  assert.equal(acts, 2)
  t.mock.timers.tick(400)
  assert.equal(acts, 2, 'nothing was asked for meanwhile')
  call()
  assert.equal(acts, 3)
})

test('after its end nothing that waited comes any more', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let acts = 0
  const { call, end } = throttled(
    () => void (acts += 1),
    () => 400,
  )
  call()
  call()
  end()
  t.mock.timers.tick(1_000)
  assert.equal(acts, 1)
})

test('what takes long rests long, and what is called meanwhile waits for one act', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const answers: (() => void)[] = []
  const rests: number[] = []
  const { call } = throttled(
    () => new Promise<void>((resolve) => answers.push(resolve)),
    (tookMs) => {
      rests.push(tookMs)
      return 1_000
    },
  )
  call()
  call()
  t.mock.timers.tick(60_000)
  assert.equal(answers.length, 1, 'it was not asked again before there was an answer')
  answers[0]?.()
  await Promise.resolve()
  await Promise.resolve()
  assert.equal(rests.length, 1)
  t.mock.timers.tick(999)
  assert.equal(answers.length, 1)
  t.mock.timers.tick(1)
  assert.equal(answers.length, 2)
})
