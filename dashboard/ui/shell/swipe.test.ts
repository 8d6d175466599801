import assert from 'node:assert/strict'
import { test } from 'node:test'
import { swipeOf } from './swipe.ts'

const START = { x: 200, y: 300, at: 0 }
const to = (dx: number, dy: number, at = 200) => ({ x: START.x + dx, y: START.y + dy, at })

test('a swipe to the left leads forward, and from right to left back', () => {
  assert.equal(swipeOf(START, to(-100, 10), false), 'forward')
  assert.equal(swipeOf(START, to(100, -10), false), 'back')
  assert.equal(swipeOf(START, to(-100, 10), true), 'back')
  assert.equal(swipeOf(START, to(100, 10), true), 'forward')
})

test('scrolling, a tap and a slow movement are no swipe', () => {
  for (const end of [to(-100, 80), to(-20, 0), to(0, 0), to(-100, 0, 2_000)])
    assert.equal(swipeOf(START, end, false), undefined)
})
