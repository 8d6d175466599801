import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throttled } from './throttled.ts'

test('the first call is at once, and those after it are one at the end of its time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let acts = 0
  const { call } = throttled(() => (acts += 1), 400)
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
  const { call, end } = throttled(() => (acts += 1), 400)
  call()
  call()
  end()
  t.mock.timers.tick(1_000)
  assert.equal(acts, 1)
})
