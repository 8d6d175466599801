import { asWritten } from '../../../locales/text.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorClass, ErrorScope, SendOutcome } from '../../providers/provider.ts'
import { type AttemptContext, afterAttempt } from './decide.ts'

const now = new Date('2026-11-20T10:00:00.000Z')
const context = (changes: Partial<AttemptContext> = {}): AttemptContext => ({
  now,
  attempts: 1,
  breakerStep: 0,
  random: 0,
  ...changes,
})

const rejected = (errorClass: ErrorClass, scope: ErrorScope = 'message'): SendOutcome => ({
  outcome: 'rejected',
  httpStatus: 400,
  error: { code: 1, title: asWritten('x'), detail: '', class: errorClass, scope, failureCode: 'PROVIDER_UNAVAILABLE' },
})

const breakerOf = (outcome: SendOutcome, changes: Partial<AttemptContext> = {}) => {
  const next = afterAttempt(outcome, context(changes))
  return next.next === 'retry' ? next.breaker : undefined
}

function openMs(outcome: SendOutcome, changes: Partial<AttemptContext> = {}): number {
  const breaker = breakerOf(outcome, changes)
  return breaker && 'until' in breaker ? breaker.until.getTime() - now.getTime() : Number.NaN
}

function waitMs(outcome: SendOutcome, changes: Partial<AttemptContext> = {}): number {
  const next = afterAttempt(outcome, context(changes))
  assert.equal(next.next, 'retry')
  return next.next === 'retry' ? next.dueAt.getTime() - now.getTime() : Number.NaN
}

test('a transient error is retried with waits that double up to a minute', () => {
  const waits = [1, 2, 3, 4, 10, 200].map((attempts) => waitMs(rejected('transient'), { attempts }))
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 60_000, 60_000])
})

test('waits are spread by up to a quarter', () => {
  assert.equal(waitMs(rejected('transient'), { random: 0.8 }), 1_200)
})

test('an error that may be the message’s own fault is tried three times', () => {
  assert.equal(afterAttempt(rejected('doubtful'), context({ attempts: 2 })).next, 'retry')
  assert.equal(afterAttempt(rejected('doubtful'), context({ attempts: 3 })).next, 'failed')
})

test('a rate error opens the breaker that it names', () => {
  for (const scope of ['pair', 'sender', 'account'] as const)
    assert.equal(breakerOf(rejected('rate', scope))?.scope, scope)
})

test('the wait of a pair grows fourfold with each attempt', () => {
  assert.deepEqual(
    [1, 2, 3].map((attempts) => waitMs(rejected('rate', 'pair'), { attempts })),
    [1_000, 4_000, 16_000],
  )
})

test('a sender’s breaker opens for longer with consecutive errors, not with one message’s attempts', () => {
  assert.equal(waitMs(rejected('rate', 'sender'), { attempts: 9, breakerStep: 0 }), 1_000)
  assert.equal(waitMs(rejected('rate', 'sender'), { attempts: 1, breakerStep: 3 }), 8_000)
})

test('consecutive faults open a sender’s or account’s breaker for longer each time', () => {
  for (const scope of ['sender', 'account'] as const) {
    assert.deepEqual(breakerOf(rejected('transient', scope)), {
      scope,
      until: new Date(now.getTime() + 1_000),
      providerCode: 1,
    })
    const waits = [0, 1, 2, 6, 30].map((breakerStep) => openMs(rejected('transient', scope), { breakerStep }))
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 60_000, 60_000])
  }
})

test('repeated faults delay their message longer than the others of its sender', () => {
  const changes = { attempts: 5, breakerStep: 0 }
  assert.equal(openMs(rejected('transient', 'sender'), changes), 1_000)
  assert.equal(waitMs(rejected('transient', 'sender'), changes), 16_000)
  assert.equal(waitMs(rejected('transient', 'sender'), { attempts: 1, breakerStep: 4 }), 16_000)
})

test('a fault that names neither sender nor account opens no breaker', () => {
  assert.equal(breakerOf(rejected('transient', 'message')), null)
  assert.equal(breakerOf({ outcome: 'unreachable', detail: asWritten('rejected') }), null)
})

test('a quality error opens the sender’s breaker for longer than a code’s window', () => {
  const breaker = breakerOf(rejected('quality', 'sender'))
  assert.equal(breaker?.scope, 'sender')
  assert.ok(openMs(rejected('quality', 'sender')) > 10 * 60_000)
})

test('a rate error of the account opens its breaker for minutes, doubling each time', () => {
  const waits = [0, 1, 2, 9].map((breakerStep) => openMs(rejected('rate', 'account'), { breakerStep }))
  assert.deepEqual(waits, [60_000, 120_000, 240_000, 480_000])
})

test('a rejected token opens the breaker of the credentials and fails no message', () => {
  assert.deepEqual(breakerOf(rejected('credentials', 'account')), { scope: 'credentials' })
})

test('a lost response waits for a report, and a failed connection is retried', () => {
  const unknown = afterAttempt({ outcome: 'unknown', httpStatus: null, detail: asWritten('timeout') }, context())
  assert.equal(unknown.next === 'unknown' && unknown.dueAt.getTime() - now.getTime(), 10_000)
  assert.equal(afterAttempt({ outcome: 'unreachable', detail: asWritten('rejected') }, context()).next, 'retry')
})
