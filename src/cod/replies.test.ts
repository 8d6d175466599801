import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  CONFIRMATION_TAPS,
  OFFERED_MOST,
  readReply,
  REFUSAL_TAPS,
  type Reply,
  REPLY_LENGTH_MOST,
  writeReply,
} from './replies.ts'

const ID = '019ad8d5-11a0-7c44-8e0b-7a2d9c1f6e35'
const id = fc.uuid()
const plain = { noNullPrototype: true }
const reply: fc.Arbitrary<Reply> = fc.oneof(
  fc.record(
    {
      to: fc.constant('confirmation' as const),
      confirmationId: id,
      answer: fc.constantFrom(...CONFIRMATION_TAPS),
    },
    plain,
  ),
  fc.record(
    { to: fc.constant('refusal' as const), confirmationId: id, answer: fc.constantFrom(...REFUSAL_TAPS) },
    plain,
  ),
  fc.record({ to: fc.constant('question' as const), questionId: id, index: fc.nat(OFFERED_MOST - 1) }, plain),
)

test('every reply is read as it was written, and is short enough for a payload', () => {
  fc.assert(
    fc.property(reply, (each) => {
      const text = writeReply(each)
      assert.ok(text.length <= REPLY_LENGTH_MOST)
      assert.deepEqual(readReply(text), each)
    }),
  )
})

test('no two replies are written alike', () => {
  fc.assert(
    fc.property(reply, reply, (one, other) => {
      assert.equal(writeReply(one) === writeReply(other), JSON.stringify(one) === JSON.stringify(other))
    }),
  )
})

test('payloads in customers’ chats keep their meaning', () => {
  assert.deepEqual(readReply(`dc1:c:${ID}:0`), { to: 'confirmation', confirmationId: ID, answer: 'confirm' })
  assert.deepEqual(readReply(`dc1:c:${ID}:1`), { to: 'confirmation', confirmationId: ID, answer: 'cancel' })
  assert.deepEqual(readReply(`dc1:c:${ID}:2`), { to: 'confirmation', confirmationId: ID, answer: 'change_time' })
  assert.deepEqual(readReply(`dc1:r:${ID}:0`), { to: 'refusal', confirmationId: ID, answer: 'yes' })
  assert.deepEqual(readReply(`dc1:r:${ID}:1`), { to: 'refusal', confirmationId: ID, answer: 'no' })
  assert.deepEqual(readReply(`dc1:q:${ID}:9`), { to: 'question', questionId: ID, index: 9 })
})

test('a payload of another release is told apart from what was never ours', () => {
  for (const text of [`dc0:c:${ID}:0`, `dc2:c:${ID}:0`, 'dc2:anything', 'dc10:', 'dc01:x'])
    assert.deepEqual(readReply(text), { to: 'nothing', because: 'version' }, text)
  const foreign = [
    '',
    'Confirm',
    'dc1',
    'dc1:',
    'dc:c',
    `dc1:x:${ID}:0`,
    `dc1:c:${ID}:3`,
    `dc1:r:${ID}:2`,
    `dc1:q:${ID}:10`,
  ]
  const nearly = [`dc1:c:${ID}`, ` dc1:c:${ID}:0`, `dc1:c:${ID}:0\n`, `dc1:c:${ID}:٠`, `dc1:c:${ID.toUpperCase()}:0`]
  for (const text of [...foreign, ...nearly, `DC1:c:${ID}:0`, `dc1:c:${'-'.repeat(36)}:0`, `dc2:${'x'.repeat(200)}`])
    assert.deepEqual(readReply(text), { to: 'nothing', because: 'foreign' }, text)
})

test('whatever text comes back, what is read of it is what was written, or nothing', () => {
  const near = fc.tuple(reply.map(writeReply), fc.nat(50), fc.string({ maxLength: 3 }))
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    near.map(([written, at, noise]) => written.slice(0, at) + noise + written.slice(at + noise.length)),
  )
  fc.assert(
    fc.property(text, (each) => {
      const read = readReply(each)
      if (read.to !== 'nothing') assert.equal(writeReply(read), each)
    }),
  )
})
