import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRecipient } from './written-recipient.ts'

const read = (phone: string, reason = '') => readRecipient({ phone, reason }, ['+212661000000'])

test('a number in international form is taken however it is spaced, and its reason trimmed', () => {
  assert.deepEqual(read(' +212 6-12.34 56 78 ', ' abusive '), { phone: '+212612345678', reason: 'abusive' })
  assert.deepEqual(read('+212612345678', '  '), { phone: '+212612345678', reason: null })
})

test('a number without its country is not taken, and what it means is offered where only one can be', () => {
  const meant = (phone: string) => ({ fault: 'not_international', meant: phone })
  for (const text of ['0612345678', '00212612345678', '212612345678'])
    assert.deepEqual(read(text), meant('+212612345678'))
})

test('what is no number is told apart from a reason that is too long', () => {
  for (const text of ['', 'Ana', '+2126', '+212612345678 ext. 3']) assert.equal('fault' in read(text), true, text)
  assert.deepEqual(read('Ana'), { fault: 'no_phone' })
  assert.deepEqual(read('+212612345678', 'é'.repeat(200)), { phone: '+212612345678', reason: 'é'.repeat(200) })
  assert.deepEqual(read('+212612345678', 'é'.repeat(201)), { fault: 'reason_too_long' })
})
