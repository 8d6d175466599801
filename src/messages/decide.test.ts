import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorClass, ErrorScope, SendOutcome } from '../providers/provider.ts'
import { type AttemptContext, afterAttempt } from './decide.ts'

const now = new Date('2026-11-20T10:00:00.000Z')
const context = (given: Partial<AttemptContext> = {}): AttemptContext => ({
  now,
  attempts: 1,
  holdStep: 0,
  random: 0,
  ...given,
})

const refused = (errorClass: ErrorClass, scope: ErrorScope = 'message'): SendOutcome => ({
  outcome: 'refused',
  httpStatus: 400,
  error: { code: 1, title: 'x', detail: '', class: errorClass, scope, failureCode: 'PROVIDER_UNAVAILABLE' },
})

const holdOf = (outcome: SendOutcome, given: Partial<AttemptContext> = {}) => {
  const next = afterAttempt(outcome, context(given))
  return next.next === 'retry' ? next.hold : undefined
}

function holdMs(outcome: SendOutcome, given: Partial<AttemptContext> = {}): number {
  const hold = holdOf(outcome, given)
  return hold && 'until' in hold ? hold.until.getTime() - now.getTime() : Number.NaN
}

function waitMs(outcome: SendOutcome, given: Partial<AttemptContext> = {}): number {
  const next = afterAttempt(outcome, context(given))
  assert.equal(next.next, 'retry')
  return next.next === 'retry' ? next.dueAt.getTime() - now.getTime() : Number.NaN
}

test('a permanent error fails at once', () => {
  assert.equal(afterAttempt(refused('permanent'), context()).next, 'failed')
})

test('a transient error is tried again with growing waits that end growing at a minute, as often as the window allows', () => {
  const waits = [1, 2, 3, 4, 10, 200].map((attempts) => waitMs(refused('transient'), { attempts }))
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 60_000, 60_000])
})

test('waits are spread by up to a quarter', () => {
  assert.equal(waitMs(refused('transient'), { random: 0.8 }), 1_200)
})

test('an error that may be the message’s own fault is tried three times', () => {
  assert.equal(afterAttempt(refused('doubtful'), context({ attempts: 2 })).next, 'retry')
  assert.equal(afterAttempt(refused('doubtful'), context({ attempts: 3 })).next, 'failed')
})

test('a rate error holds what it names', () => {
  for (const [scope, hold] of [
    ['pair', 'pair'],
    ['sender', 'sender'],
    ['account', 'account'],
  ] as const) {
    assert.equal(holdOf(refused('rate', scope))?.scope, hold)
  }
})

test('a pair’s hold grows by four with each attempt', () => {
  assert.deepEqual(
    [1, 2, 3].map((attempts) => waitMs(refused('rate', 'pair'), { attempts })),
    [1_000, 4_000, 16_000],
  )
})

test('a sender’s hold grows with the errors in a row, not with one message’s attempts', () => {
  assert.equal(waitMs(refused('rate', 'sender'), { attempts: 9, holdStep: 0 }), 1_000)
  assert.equal(waitMs(refused('rate', 'sender'), { attempts: 1, holdStep: 3 }), 8_000)
})

test('a fault holds the number or account that it names, growing with the holds in a row', () => {
  for (const scope of ['sender', 'account'] as const) {
    assert.deepEqual(holdOf(refused('transient', scope)), {
      scope,
      until: new Date(now.getTime() + 1_000),
      providerCode: 1,
    })
    const waits = [0, 1, 2, 6, 30].map((holdStep) => holdMs(refused('transient', scope), { holdStep }))
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 60_000, 60_000])
  }
})

test('a message that meets faults again and again waits for longer than it makes others wait', () => {
  const given = { attempts: 5, holdStep: 0 }
  assert.equal(holdMs(refused('transient', 'sender'), given), 1_000)
  assert.equal(waitMs(refused('transient', 'sender'), given), 16_000)
  assert.equal(waitMs(refused('transient', 'sender'), { attempts: 1, holdStep: 4 }), 16_000)
})

test('a fault that names neither number nor account holds nobody', () => {
  assert.equal(holdOf(refused('transient', 'message')), null)
  assert.equal(holdOf({ outcome: 'unreachable', detail: 'refused' }), null)
})

test('a number of bad quality is left alone for longer than the window of a code', () => {
  const hold = holdOf(refused('quality', 'sender'))
  assert.equal(hold?.scope, 'sender')
  assert.ok(holdMs(refused('quality', 'sender')) > 10 * 60_000)
})

test('an account whose calls are counted waits for minutes, and longer each time', () => {
  const waits = [0, 1, 2, 9].map((holdStep) => holdMs(refused('rate', 'account'), { holdStep }))
  assert.deepEqual(waits, [60_000, 120_000, 240_000, 480_000])
})

test('a refused token holds the account and fails no message', () => {
  assert.deepEqual(holdOf(refused('credentials', 'account')), { scope: 'credentials' })
})

test('a lost answer is waited for, and one that surely never left is simply sent later', () => {
  const unknown = afterAttempt({ outcome: 'unknown', httpStatus: null, detail: 'timeout' }, context())
  assert.equal(unknown.next === 'unknown' && unknown.dueAt.getTime() - now.getTime(), 10_000)
  assert.equal(afterAttempt({ outcome: 'unreachable', detail: 'refused' }, context()).next, 'retry')
})
