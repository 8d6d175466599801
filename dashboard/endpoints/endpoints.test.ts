import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes } from '../../src/events/event-types.ts'
import { pretty } from './body.ts'
import { EVENT_TYPES, isFiltered, readLogSearch } from './search.ts'
import { type Batch, sendAll } from './send-all.ts'
import { answerOf, saidGone, stateOf } from './why.ts'
import { instantOf, localIn } from './zone-time.ts'

test('the log can be filtered by every type of event', () => {
  assert.deepEqual([...EVENT_TYPES].sort(), Object.keys(eventTypes).sort())
})

test('an address keeps the filters that make sense and loses the others', () => {
  const id = '019ad8f2-3c51-7f0e-9d3a-5b0c8f4e2a17'
  const from = '2026-05-03T12:30:00.000Z'
  const whole = { status: 'held', type: 'ping', from, to: '2026-05-04T12:30:00.000Z', about: id, delivery: id }
  assert.deepEqual(readLogSearch({ ...whole, other: 1 }), whole)
  const wrong = { status: 'lost', type: 'cod', from: 'yesterday', to: '2026-13-45T00:00:00Z', about: '1', delivery: {} }
  assert.deepEqual(readLogSearch(wrong), {})
  assert.deepEqual(readLogSearch({ from, to: from }), { from })
  assert.equal(isFiltered({ delivery: id }), false)
  assert.equal(isFiltered({ status: 'held' }), true)
})

test('a time of the page is a time of the delivery zone, in summer, in winter and at the change of clocks', () => {
  const zones: [string, string, string][] = [
    ['Europe/Madrid', '2026-07-01T12:00', '2026-07-01T10:00:00.000Z'],
    ['Europe/Madrid', '2026-01-01T12:00', '2026-01-01T11:00:00.000Z'],
    ['Europe/Madrid', '2026-03-29T03:30', '2026-03-29T01:30:00.000Z'],
    ['Europe/Madrid', '2026-10-25T00:30', '2026-10-24T22:30:00.000Z'],
    ['Asia/Kolkata', '2026-07-01T00:15', '2026-06-30T18:45:00.000Z'],
    ['America/New_York', '2026-11-01T03:00', '2026-11-01T08:00:00.000Z'],
    ['UTC', '2026-12-31T23:59', '2026-12-31T23:59:00.000Z'],
  ]
  for (const [zone, local, instant] of zones) {
    assert.equal(instantOf(local, zone), instant, `${local} ${zone}`)
    assert.equal(localIn(instant, zone), local)
  }
  assert.equal(instantOf('', 'UTC'), undefined)
  assert.equal(instantOf('soon', 'UTC'), undefined)
})

test('batches are asked for until there is no more, and none after somebody stopped', async () => {
  const run = async (batches: Batch[], stopAfter = Number.POSITIVE_INFINITY) => {
    const told: number[] = []
    const next = async (): Promise<Batch> => batches.shift() ?? assert.fail('asked for one batch too many')
    const stopped = (): boolean => told.length >= stopAfter
    return { ...(await sendAll({ next, onProgress: (resent) => told.push(resent), stopped })), told }
  }
  const batches = (): Batch[] => [
    { resent: 1_000, more: true },
    { resent: 1_000, more: true },
    { resent: 203, more: false },
  ]
  assert.deepEqual(await run(batches()), { resent: 2_203, ended: true, told: [1_000, 2_000, 2_203] })
  assert.deepEqual(await run(batches(), 1), { resent: 1_000, ended: false, told: [1_000] })
  assert.deepEqual(await run([{ resent: 0, more: false }]), { resent: 0, ended: true, told: [0] })
})

test('what is no JSON is shown as it is', () => {
  assert.equal(pretty('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}')
  assert.equal(pretty('<html>'), '<html>')
})

test('an endpoint that is enabled and fails is told apart, and 410 from long failure', () => {
  const failingSince = '2026-05-03T12:30:00.000Z'
  assert.equal(stateOf({ status: 'enabled', failingSince }), 'failing')
  assert.equal(stateOf({ status: 'disabled', failingSince }), 'disabled')
  assert.equal(stateOf({ status: 'enabled', failingSince: null }), 'enabled')
  assert.equal(saidGone({ statusReason: 'The receiver answered 410: it is gone for good.' }), true)
  assert.equal(saidGone({ statusReason: 'For 5 days there were nothing but failures.' }), false)
  assert.equal(
    answerOf({ httpStatus: 301, error: 'Redirects are not followed.' }),
    'HTTP 301. Redirects are not followed.',
  )
  assert.equal(answerOf({ httpStatus: null, error: null }), undefined)
})
