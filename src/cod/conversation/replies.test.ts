import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyText } from '../../../test/faults/any-text.ts'
import { CONFIRMATION_TAPS, decodeReply, REFUSAL_TAPS, type Reply, MAX_REPLY_LENGTH, encodeReply } from './replies.ts'

/** WhatsApp's largest question is a list of ten rows. */
const MAX_OFFERED = 10

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
  fc.record({ to: fc.constant('question' as const), questionId: id, index: fc.nat(MAX_OFFERED - 1) }, plain),
)

test('every reply survives encoding and fits a payload', () => {
  fc.assert(
    fc.property(reply, (each) => {
      const text = encodeReply(each)
      assert.ok(text.length <= MAX_REPLY_LENGTH)
      assert.deepEqual(decodeReply(text), each)
    }),
  )
})

test('no two replies have the same payload', () => {
  fc.assert(
    fc.property(reply, reply, (one, other) => {
      assert.equal(encodeReply(one) === encodeReply(other), JSON.stringify(one) === JSON.stringify(other))
    }),
  )
})

test('a payload means the same in every release', () => {
  assert.deepEqual(decodeReply(`dc1:c:${ID}:0`), { to: 'confirmation', confirmationId: ID, answer: 'confirm' })
  assert.deepEqual(decodeReply(`dc1:c:${ID}:1`), { to: 'confirmation', confirmationId: ID, answer: 'cancel' })
  assert.deepEqual(decodeReply(`dc1:c:${ID}:2`), { to: 'confirmation', confirmationId: ID, answer: 'change_time' })
  assert.deepEqual(decodeReply(`dc1:r:${ID}:0`), { to: 'refusal', confirmationId: ID, answer: 'yes' })
  assert.deepEqual(decodeReply(`dc1:r:${ID}:1`), { to: 'refusal', confirmationId: ID, answer: 'no' })
  assert.deepEqual(decodeReply(`dc1:q:${ID}:9`), { to: 'question', questionId: ID, index: 9 })
})

test('a payload of another release is distinguished from a foreign one', () => {
  for (const text of [`dc0:c:${ID}:0`, `dc2:c:${ID}:0`, 'dc2:anything', 'dc10:', 'dc01:x'])
    assert.deepEqual(decodeReply(text), { to: 'nothing', because: 'version' }, text)
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
    assert.deepEqual(decodeReply(text), { to: 'nothing', because: 'foreign' }, text)
})

test('any text decodes to the reply that encodes to it, or to nothing', () => {
  const near = fc.tuple(reply.map(encodeReply), fc.nat(50), fc.string({ maxLength: 3 }))
  const text = fc.oneof(
    fc.string(),
    anyText,
    near.map(([written, at, noise]) => written.slice(0, at) + noise + written.slice(at + noise.length)),
  )
  fc.assert(
    fc.property(text, (each) => {
      const read = decodeReply(each)
      if (read.to !== 'nothing') assert.equal(encodeReply(read), each)
    }),
  )
})
