import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { MAX_BODIES_BYTES, SLOW_BODY_MS, createBodyBudget } from './body-budget.ts'

function startBudget(maxBytes: number) {
  let now = 0
  const budget = createBodyBudget({ maxBytes, monotonicMs: () => now })
  const evicted: string[] = []
  return {
    evicted,
    wait: (ms: number): void => {
      now += ms
    },
    open: (name: string) => {
      const reservation = budget.open(() => {
        evicted.push(name)
        reservation.release()
      })
      return reservation
    },
  }
}

test('all bodies together stay within the budget, and released bytes are reusable', () => {
  const { open, evicted } = startBudget(10)
  const [one, two] = [open('one'), open('two')]
  assert.deepEqual([one.grow(4), two.grow(6), one.grow(1), two.grow(1)], [true, true, false, false])
  one.release()
  one.release()
  assert.deepEqual([two.grow(5), two.grow(4)], [false, true])
  assert.equal(one.grow(1), false, 'a released body reserves nothing')
  assert.deepEqual(evicted, [])
})

test('over budget the slowest bodies are evicted, only as many as needed', () => {
  const { open, wait, evicted } = startBudget(10)
  for (const name of ['one', 'two', 'three']) assert.ok(open(name).grow(3))
  wait(SLOW_BODY_MS - 1)
  const early = open('early')
  assert.equal(early.grow(2), false, 'they are not slow yet')
  assert.ok(early.grow(1))
  wait(1)
  assert.ok(open('late').grow(4))
  assert.deepEqual(evicted, ['one', 'two'])
})

test('a complete body is never evicted, and a slow one evicts no other', () => {
  const { open, wait, evicted } = startBudget(10)
  const whole = open('whole')
  assert.ok(whole.grow(6))
  whole.complete()
  const slow = open('slow')
  assert.ok(slow.grow(4))
  wait(SLOW_BODY_MS)
  assert.equal(slow.grow(1), false)
  assert.deepEqual(evicted, [])
  assert.equal(open('large').grow(7), false)
  assert.deepEqual(evicted, ['slow'])
})

test('the monitoring guide states the limits of bodies', async () => {
  const guide = await readFile(new URL('../../../docs/monitoring.md', import.meta.url), 'utf8')
  assert.ok(guide.includes(`${MAX_BODIES_BYTES / 1024 / 1024} MiB of a process`))
  assert.ok(guide.includes(`longer than ${SLOW_BODY_MS / 1000} seconds to arrive are dropped`))
})
