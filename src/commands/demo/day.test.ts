import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '../../lib/clock.ts'
import { orderOf, planVisits } from './day.ts'

const SLOTS_OF_AN_HOUR = 3
/** noResponseMinutes of the demo's settings. */
const DEADLINE_HOURS = 12

test('a demo day started at any hour shows every kind of order', () => {
  for (let hour = 0; hour < 24; hour += 1) {
    const slots = planVisits(new Date(Date.UTC(2026, 10, 21) + hour * HOUR_MS))
    const early = slots.slice(0, slots.length - DEADLINE_HOURS * SLOTS_OF_AN_HOUR).flatMap(({ orders }) => orders)
    const endings = new Set(early.map((visit) => orderOf(visit).recipient.slice(-4)))
    assert.equal(endings.size, 13, `begun at ${hour}: ${[...endings].join(' ')}`)
    assert.ok(
      early.map(orderOf).some(({ recipient, answersLate }) => recipient.endsWith('0706') && !answersLate),
      `begun at ${hour}: no customer is silent until the deadline`,
    )
  }
})
