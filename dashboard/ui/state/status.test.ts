import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readResources } from '../../../locales/resources.ts'
import { CONFIRMATION_STATUSES } from '../../../src/cod/conversation/confirmation.ts'
import { REFUSAL_STATUSES } from '../../../src/cod/conversation/refusal.ts'
import { MESSAGE_STATUSES } from '../../../src/messages/status.ts'
import { DELIVERY_STATUSES } from '../../../src/webhooks/delivery/claim.ts'
import { STATUS_TONES, toneOf } from './status.ts'

test('each status has exactly one word', () => {
  const expected = Object.entries(STATUS_TONES).flatMap(([of, tones]) =>
    Object.keys(tones).map((status) => `${of}_${status}`),
  )
  assert.deepEqual(Object.keys(readResources('en')['statuses'] ?? {}).toSorted(), expected.toSorted())
})

test('every status of the API has a word and a tone', () => {
  const known = {
    message: MESSAGE_STATUSES,
    order: CONFIRMATION_STATUSES,
    refusal: REFUSAL_STATUSES,
    delivery: DELIVERY_STATUSES,
  } as const
  for (const [of, statuses] of Object.entries(known)) {
    const tones = STATUS_TONES[of as keyof typeof known]
    assert.deepEqual(
      [...statuses].filter((status) => !Object.hasOwn(tones, status)),
      [],
      of,
    )
  }
})

test('the API’s words are the pages’ words', () => {
  const texts = readResources('en')['statuses'] ?? {}
  for (const status of MESSAGE_STATUSES) assert.equal(texts[`message_${status}`]?.toLowerCase(), status)
  for (const status of CONFIRMATION_STATUSES)
    assert.equal(texts[`order_${status}`]?.toLowerCase(), status.replaceAll('_', ' '))
  for (const status of DELIVERY_STATUSES) assert.equal(texts[`delivery_${status}`]?.toLowerCase(), status)
})

test('a new word of WhatsApp is neutral', () => {
  assert.equal(toneOf('template', 'APPROVED'), 'success')
  assert.equal(toneOf('template', 'SOMETHING_NEW'), 'neutral')
})
