import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import {
  type AttemptResponse,
  type Decision,
  EARLY_PAUSE_MS,
  MAX_EARLY_ATTEMPTS,
  STEPS_MS,
  decide,
} from './schedule.ts'

const endedAt = new Date('2026-12-01T00:00:00.000Z')
const FAILED: AttemptResponse = { httpStatus: 500, retryAfter: null }

const after = (step: number, answer: AttemptResponse, chance = 0.5) =>
  decide({ step, scheduledAt: null, earlyAttempts: 0, answer, endedAt, chance })
const waitAfter = (step: number, answer: AttemptResponse, chance = 0.5): number => {
  const decision = after(step, answer, chance)
  assert.equal(decision.outcome, 'retry')
  return decision.outcome === 'retry' ? decision.dueAt.getTime() - endedAt.getTime() : Number.NaN
}

test('ten failed attempts wait the documented steps, then the delivery fails', () => {
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

test('410 is final at every step', () => {
  for (const step of STEPS_MS.keys())
    assert.deepEqual(after(step, { httpStatus: 410, retryAfter: '5' }), { outcome: 'gone' })
})

test('Retry-After moves an attempt later, but not past the step that follows', () => {
  const tooMany = (retryAfter: string): AttemptResponse => ({ httpStatus: 429, retryAfter })
  assert.equal(waitAfter(0, tooMany('60')), MINUTE_MS)
  assert.equal(waitAfter(0, { httpStatus: 503, retryAfter: 'Tue, 01 Dec 2026 00:02:00 GMT' }), 2 * MINUTE_MS)
  assert.equal(waitAfter(0, tooMany('86400')), 5 * MINUTE_MS)
  assert.equal(waitAfter(8, tooMany('999999')), 24 * HOUR_MS)
})

test('Retry-After never makes an attempt earlier than its step', () => {
  assert.equal(waitAfter(1, { httpStatus: 429, retryAfter: '1' }), 5 * MINUTE_MS)
  assert.equal(waitAfter(1, { httpStatus: 503, retryAfter: 'Mon, 30 Nov 2026 00:00:00 GMT' }), 5 * MINUTE_MS)
})

test('Retry-After counts only with 429 and 503, in the two forms of HTTP', () => {
  for (const httpStatus of [500, 502, 400]) assert.equal(waitAfter(0, { httpStatus, retryAfter: '60' }), 5 * SECOND_MS)
  for (const retryAfter of ['', '-5', '1.5', '1e3', 'soon', '2026-12-01T00:02:00Z', '99999999999999999999'])
    assert.equal(waitAfter(0, { httpStatus: 429, retryAfter }), 5 * SECOND_MS)
})

/** When the schedule would make the attempt that was brought forward. */
const scheduledAt = later(endedAt, 2 * HOUR_MS)
const afterEarly = (earlyAttempts: number, answer: AttemptResponse): Decision =>
  decide({ step: 4, scheduledAt, earlyAttempts, answer, endedAt, chance: 0.5 })

test('a failed early attempt keeps the step and its time', () => {
  const decision = afterEarly(0, FAILED)
  assert.deepEqual(decision, {
    outcome: 'retry',
    step: 4,
    dueAt: scheduledAt,
    earlyAt: later(endedAt, EARLY_PAUSE_MS),
    retryAfterUntil: null,
    earlyAttempts: 1,
  })
})

test('an early attempt that ends after its scheduled time counts as the scheduled one', () => {
  const decision = decide({ step: 4, scheduledAt: endedAt, earlyAttempts: 1, answer: FAILED, endedAt, chance: 0.5 })
  assert.equal(decision.outcome === 'retry' && decision.step, 5)
})

test('Retry-After of an early attempt may delay the next one past its scheduled time', () => {
  const decision = afterEarly(0, { httpStatus: 429, retryAfter: '10800' })
  const until = later(endedAt, 3 * HOUR_MS)
  assert.deepEqual(decision, {
    outcome: 'retry',
    step: 4,
    dueAt: until,
    earlyAt: until,
    retryAfterUntil: until,
    earlyAttempts: 1,
  })
})

test('constant successes of other deliveries add few attempts and shorten no schedule', () => {
  let now = endedAt
  let attempts = 0
  let progress = { step: 0, scheduledAt: null as Date | null, earlyAttempts: 0 }
  for (;;) {
    attempts += 1
    const decision = decide({ ...progress, answer: FAILED, endedAt: now, chance: 0.5 })
    if (decision.outcome !== 'retry') break
    const { step, dueAt, earlyAt, earlyAttempts } = decision
    const isEarly = (earlyAt ?? now) < dueAt
    progress = { step, scheduledAt: isEarly ? dueAt : null, earlyAttempts }
    now = isEarly ? (earlyAt ?? now) : dueAt
    assert.ok(attempts < 100)
  }
  assert.ok(attempts <= STEPS_MS.length + MAX_EARLY_ATTEMPTS)
  const whole = STEPS_MS.reduce((sum, wait) => sum + wait, 0)
  assert.ok(now.getTime() - endedAt.getTime() >= whole)
})
