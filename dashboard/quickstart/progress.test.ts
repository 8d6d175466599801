import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIRMATION_STATUSES, confirmation } from '../../src/cod/conversation/confirmation.ts'
import { eventOf, progressOf } from './progress.ts'

const verified = (type: string) => ({ delivery: { type }, isVerified: true })

test('only a customer’s answer ticks the answer, and only the verified webhook of the outcome ticks the webhook', () => {
  const none = { send: true, answer: false, webhook: false }
  const both = { send: true, answer: true, webhook: true }
  assert.deepEqual(progressOf(undefined, []), { ...none, send: false })
  assert.deepEqual(progressOf('awaiting_answer', [verified('message.delivered')]), none)
  assert.deepEqual(progressOf('rescheduling', [verified('cod.confirmed')]), none)
  assert.deepEqual(progressOf('no_response', [verified('cod.no_response')]), { ...none, webhook: true })
  assert.deepEqual(progressOf('failed', []), none)
  assert.deepEqual(progressOf('confirmed', [verified('cod.confirmed')]), both)
  assert.deepEqual(progressOf('cancelled', [verified('cod.cancelled')]), both)
  assert.deepEqual(progressOf('cancelled', [verified('cod.confirmed')]), { ...both, webhook: false })
  const forged = { delivery: { type: 'cod.reschedule_requested' }, isVerified: false }
  assert.deepEqual(progressOf('rescheduled', [forged]), { ...both, webhook: false })
})

test('the webhook that the page waits for is the one that the state machine sends', () => {
  for (const status of CONFIRMATION_STATUSES) assert.equal(eventOf(status), confirmation.outcomes[status], status)
})
