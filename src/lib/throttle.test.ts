import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throttle } from './throttle.ts'

test('the first call runs immediately, later ones together after the pause', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let runs = 0
  const { call } = throttle(
    () => void (runs += 1),
    () => 400,
  )
  call()
  assert.equal(runs, 1)
  call()
  call()
  assert.equal(runs, 1)
  t.mock.timers.tick(400)
  assert.equal(runs, 2)
  t.mock.timers.tick(400)
  assert.equal(runs, 2, 'there was no call meanwhile')
  call()
  assert.equal(runs, 3)
})

test('after its end no waiting call runs', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let runs = 0
  const { call, end } = throttle(
    () => void (runs += 1),
    () => 400,
  )
  call()
  call()
  end()
  t.mock.timers.tick(1_000)
  assert.equal(runs, 1)
})

test('the pause follows the duration, and calls meanwhile cause one run', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const answers: (() => void)[] = []
  const durations: number[] = []
  const { call } = throttle(
    () => new Promise<void>((resolve) => answers.push(resolve)),
    (tookMs) => {
      durations.push(tookMs)
      return 1_000
    },
  )
  call()
  call()
  t.mock.timers.tick(60_000)
  assert.equal(answers.length, 1, 'it does not run again before it has finished')
  answers[0]?.()
  await Promise.resolve()
  await Promise.resolve()
  assert.equal(durations.length, 1)
  t.mock.timers.tick(999)
  assert.equal(answers.length, 1)
  t.mock.timers.tick(1)
  assert.equal(answers.length, 2)
})
