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
    const next = afterAttempt(refused('rate', scope), context())
    assert.equal(next.next === 'retry' && next.hold, hold)
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

test('a refused token holds the account and fails no message', () => {
  const next = afterAttempt(refused('credentials', 'account'), context())
  assert.equal(next.next === 'retry' && next.hold, 'credentials')
})

test('a lost answer is waited for, and one that surely never left is simply sent later', () => {
  const unknown = afterAttempt({ outcome: 'unknown', httpStatus: null, detail: 'timeout' }, context())
  assert.equal(unknown.next === 'unknown' && unknown.dueAt.getTime() - now.getTime(), 10_000)
  assert.equal(afterAttempt({ outcome: 'unreachable', detail: 'refused' }, context()).next, 'retry')
})
