import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueBy, plannedAfter } from './load.ts'

for (const rate of [1, 200, 1_000])
  test(`an open loop at ${rate}/s sends each request at its planned time`, () => {
    for (let number = 0; number < 3 * rate; number += 1) {
      const plannedMs = plannedAfter(number, rate)
      assert.ok(dueBy(plannedMs + 1e-6, rate) > number, `request ${number} goes at ${plannedMs} ms`)
      assert.ok(dueBy(plannedMs - 1e-6, rate) <= number, `request ${number} does not go before ${plannedMs} ms`)
    }
  })
