import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, later } from '../clock.ts'
import { type Answer, STEPS_MS, failedTooLong, judge } from './schedule.ts'

const endedAt = new Date('2026-12-01T00:00:00.000Z')
const FAILED: Answer = { httpStatus: 500, retryAfter: null }

const after = (step: number, answer: Answer, chance = 0.5) => judge({ step, answer, endedAt, chance })
const waitAfter = (step: number, answer: Answer, chance = 0.5): number => {
  const verdict = after(step, answer, chance)
  assert.equal(verdict.outcome, 'retry')
  return verdict.outcome === 'retry' ? verdict.dueAt.getTime() - endedAt.getTime() : Number.NaN
}

test('ten attempts that fail wait exactly the documented steps, then it is given up', () => {
  const waits = STEPS_MS.slice(1).map((_, step) => waitAfter(step, FAILED))
  assert.deepEqual(waits, [
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
  ])
  assert.deepEqual(after(9, FAILED), { outcome: 'failed' })
})

test('each wait is spread by at most a tenth to either side', () => {
  assert.equal(waitAfter(1, FAILED, 0), 4.5 * MINUTE_MS)
  assert.equal(waitAfter(1, FAILED, 1), 5.5 * MINUTE_MS)
})

test('every 2xx is a success and nothing else is', () => {
  for (const httpStatus of [200, 201, 202, 204, 299])
    assert.equal(after(0, { httpStatus, retryAfter: null }).outcome, 'succeeded')
  for (const httpStatus of [null, 100, 199, 300, 301, 302, 304, 400, 401, 404, 409, 429, 500, 503])
    assert.equal(after(0, { httpStatus, retryAfter: null }).outcome, 'retry')
})

test('410 is final at whatever step', () => {
  for (const step of STEPS_MS.keys())
    assert.deepEqual(after(step, { httpStatus: 410, retryAfter: '5' }), { outcome: 'gone' })
})

test('Retry-After moves an attempt later, but not past the step that follows', () => {
  const tooMany = (retryAfter: string): Answer => ({ httpStatus: 429, retryAfter })
  assert.equal(waitAfter(0, tooMany('60')), MINUTE_MS)
  assert.equal(waitAfter(0, { httpStatus: 503, retryAfter: 'Tue, 01 Dec 2026 00:02:00 GMT' }), 2 * MINUTE_MS)
  assert.equal(waitAfter(0, tooMany('86400')), 5 * MINUTE_MS)
  assert.equal(waitAfter(8, tooMany('999999')), 24 * HOUR_MS)
})

test('Retry-After never makes an attempt earlier than its step', () => {
  assert.equal(waitAfter(1, { httpStatus: 429, retryAfter: '1' }), 5 * MINUTE_MS)
  assert.equal(waitAfter(1, { httpStatus: 503, retryAfter: 'Mon, 30 Nov 2026 00:00:00 GMT' }), 5 * MINUTE_MS)
})

test('Retry-After counts with 429 and 503 alone, and only in the two forms of HTTP', () => {
  for (const httpStatus of [500, 502, 400]) assert.equal(waitAfter(0, { httpStatus, retryAfter: '60' }), 5 * SECOND_MS)
  for (const retryAfter of ['', '-5', '1.5', '1e3', 'soon', '2026-12-01T00:02:00Z', '99999999999999999999'])
    assert.equal(waitAfter(0, { httpStatus: 429, retryAfter }), 5 * SECOND_MS)
})

test('an endpoint has failed too long after five days and not a moment before', () => {
  assert.equal(failedTooLong(endedAt, later(endedAt, 5 * DAY_MS - 1)), false)
  assert.equal(failedTooLong(endedAt, later(endedAt, 5 * DAY_MS)), true)
})
