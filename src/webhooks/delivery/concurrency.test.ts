import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptResult } from './attempt.ts'
import type { ClaimedDelivery, DueEndpoint } from './claim.ts'
import { createConcurrency } from './concurrency.ts'

const workspaceId = 'workspace'
const endpointOf = (endpointId: string) => ({ workspaceId, endpointId, failingSince: null })
const due = (endpointId: string) => [{ ...endpointOf(endpointId), dueAt: new Date(0) } as DueEndpoint]
const ending = (outcome: string) => ({ decision: { outcome } }) as AttemptResult

/** `endpointId` after one attempt, with three in flight at most. */
function createTried({ outcome = 'succeeded', endpointId = 'one' } = {}) {
  const concurrency = createConcurrency()
  const [capacity] = concurrency.capacities(due(endpointId))
  assert.equal(capacity?.capacity, 2)
  const delivery = {} as ClaimedDelivery
  const state = concurrency.start(delivery, endpointOf(endpointId))
  concurrency.adjust(state, ending(outcome))
  concurrency.end(state, delivery)
  return { ...concurrency, reserved: (events: number) => concurrency.reserve(Array<string>(events).fill(workspaceId)) }
}

test('attempts are reserved for each event, at most as many as the endpoint has left', () => {
  const { reserved } = createTried()
  assert.deepEqual(reserved(2).capacities, { one: 2 })
  assert.deepEqual(reserved(2).capacities, { one: 1 })
  assert.deepEqual(reserved(2).capacities, {})
})

test('what a reservation does not need is free again, and so is the rest at its end', () => {
  const { reserved, capacities } = createTried()
  const reservation = reserved(3)
  reservation.keepOnly(['one'])
  assert.equal(capacities(due('one'))[0]?.capacity, 2)
  reservation.keepOnly([])
  assert.equal(capacities(due('one'))[0]?.capacity, 3)
})

test('nothing is reserved for an endpoint that failed last, or was never tried by this process', () => {
  assert.deepEqual(createTried({ outcome: 'retry' }).reserved(1).capacities, {})
  const { capacities, reserve } = createConcurrency()
  capacities(due('one'))
  assert.deepEqual(reserve([workspaceId]).capacities, {})
})

test('nothing is reserved while older deliveries of the endpoint wait, until the loop has claimed all of them', () => {
  const { reserved, capacities, markWaiting } = createTried()
  markWaiting(['one'])
  assert.deepEqual(reserved(1).capacities, {})
  capacities(due('one'))
  assert.deepEqual(reserved(1).capacities, { one: 1 })
})

test('nothing is reserved for endpoints of other workspaces', () => {
  const { reserve } = createTried()
  assert.deepEqual(reserve(['other']).capacities, {})
})

test('an endpoint is near its limit while more than half of it is used', () => {
  const { start, end, isNearLimit } = createTried() // its limit is three
  const [first, second] = [{}, {}] as [ClaimedDelivery, ClaimedDelivery]
  const state = start(first, endpointOf('one'))
  assert.equal(isNearLimit('one'), false)
  start(second, endpointOf('one'))
  assert.equal(isNearLimit('one'), true)
  end(state, first)
  assert.equal(isNearLimit('one'), false)
})
