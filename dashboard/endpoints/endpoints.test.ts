import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { english } from '../../locales/resources.ts'
import { eventTypes } from '../../src/events/event-types.ts'
import { answerOf, isGone, pretty, stateOf } from './endpoint-state.ts'
import { type Batch, resendAll } from './resend.ts'
import { EVENT_TYPES, initialChoice, isFiltered, readLogSearch } from './search.ts'
import { VERIFY } from './verify.ts'
import { endOf, instantOf, localIn, startOf } from './zone-time.ts'

test('the log can be filtered by every type of event', () => {
  assert.deepEqual([...EVENT_TYPES].sort(), Object.keys(eventTypes).sort())
})

test('an address keeps valid filters and drops the others', () => {
  const id = '019ad8f2-3c51-7f0e-9d3a-5b0c8f4e2a17'
  const from = '2026-05-03'
  const whole = { status: 'held', type: 'ping', from, to: '2026-05-04', about: 'A-1001', delivery: id }
  assert.deepEqual(readLogSearch({ ...whole, other: 1 }), whole)
  const wrong = { status: 'lost', type: 'cod', from: 'yesterday', to: '2026-13-45', about: ' ', delivery: {} }
  assert.deepEqual(readLogSearch(wrong), {})
  assert.deepEqual(readLogSearch({ from, to: '2026-05-02' }), { from })
  assert.equal(isFiltered({ delivery: id }), false)
  assert.equal(isFiltered({ status: 'held' }), true)
})

test('a resend offers what the log shows, or else what was not delivered', () => {
  const undelivered = { statuses: ['failed', 'held'], type: '', from: '', to: '' }
  assert.deepEqual(initialChoice({}), undelivered)
  assert.deepEqual(initialChoice({ status: 'pending' }), undelivered)
  assert.deepEqual(
    initialChoice({ status: 'succeeded', type: 'ping', from: '2026-05-03', to: '2026-05-31', about: 'A-1001' }),
    { statuses: ['succeeded'], type: 'ping', from: '2026-05-03T00:00', to: '2026-06-01T00:00' },
  )
})

test('times of the page are in the delivery zone, also at clock changes', () => {
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
  assert.equal(startOf('2026-03-29', 'Europe/Madrid'), '2026-03-28T23:00:00.000Z')
  assert.equal(endOf('2026-03-29', 'Europe/Madrid'), '2026-03-29T22:00:00.000Z')
  for (const [day, zone, start] of [
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['2026-04-05', 'America/Santiago', '2026-04-05T04:00:00.000Z'],
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    ['2026-10-30', 'Africa/Cairo', '2026-10-29T22:00:00.000Z'],
  ] as const)
    assert.equal(startOf(day, zone), start, `${zone} changes its clocks at midnight`)
  assert.equal(endOf(undefined, 'UTC'), undefined)
  assert.equal(instantOf('', 'UTC'), undefined)
  assert.equal(instantOf('soon', 'UTC'), undefined)
})

test('batches are requested until none is left or the run is stopped', async () => {
  const run = async (batches: Batch[], stopAfter = Number.POSITIVE_INFINITY) => {
    const reported: number[] = []
    const next = async (): Promise<Batch> => batches.shift() ?? assert.fail('asked for one batch too many')
    const stopped = (): boolean => reported.length >= stopAfter
    return { ...(await resendAll({ next, onProgress: (resent) => reported.push(resent), stopped })), reported }
  }
  const batches = (): Batch[] => [
    { resent: 1_000, more: true },
    { resent: 1_000, more: true },
    { resent: 203, more: false },
  ]
  assert.deepEqual(await run(batches()), { resent: 2_203, ended: true, reported: [1_000, 2_000, 2_203] })
  assert.deepEqual(await run(batches(), 1), { resent: 1_000, ended: false, reported: [1_000] })
  assert.deepEqual(await run([{ resent: 0, more: false }]), { resent: 0, ended: true, reported: [0] })
})

test('the code to verify with is that of the guide', async () => {
  const guide = await readFile(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
  for (const [name, code] of Object.entries(VERIFY)) assert.ok(guide.includes(`\n${code}\n\`\`\`\n`), name)
})

test('a body that is not JSON is shown unchanged', () => {
  assert.equal(pretty('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}')
  assert.equal(pretty('<html>'), '<html>')
})

test('a failing endpoint is distinguished from an enabled one, and 410 from long failure', () => {
  const failingSince = '2026-05-03T12:30:00.000Z'
  assert.equal(stateOf({ status: 'enabled', failingSince }), 'failing')
  assert.equal(stateOf({ status: 'disabled', failingSince }), 'disabled')
  assert.equal(stateOf({ status: 'enabled', failingSince: null }), 'enabled')
  assert.equal(isGone({ statusReason: { code: 'webhooks.endpoint_gone' } }), true)
  assert.equal(isGone({ statusReason: { code: 'webhooks.endpoint_failed_too_long', days: 5 } }), false)
  assert.equal(
    answerOf({ httpStatus: 301, error: { code: 'webhooks.redirect' } }, english),
    'HTTP 301. Redirects are not followed.',
  )
  assert.equal(answerOf({ httpStatus: null, error: null }, english), undefined)
})
