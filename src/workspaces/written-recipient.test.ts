import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRecipient } from './written-recipient.ts'

const read = (phone: string, reason = '') => readRecipient({ phone, reason }, ['+212661000000'])

test('an international number is accepted in any spacing, and its reason trimmed', () => {
  assert.deepEqual(read(' +212 6-12.34 56 78 ', ' abusive '), { phone: '+212612345678', reason: 'abusive' })
  assert.deepEqual(read('+212612345678', '  '), { phone: '+212612345678', reason: null })
})

test('a number without a country code is rejected with an unambiguous suggestion', () => {
  const rejectedWith = (phone: string) => ({ fault: 'not_international', suggestion: phone })
  for (const text of ['0612345678', '00212612345678', '212612345678'])
    assert.deepEqual(read(text), rejectedWith('+212612345678'))
})

test('an invalid number and a too long reason are different faults', () => {
  for (const text of ['', 'Ana', '+2126', '+212612345678 ext. 3']) assert.equal('fault' in read(text), true, text)
  assert.deepEqual(read('Ana'), { fault: 'no_phone' })
  assert.deepEqual(read('+212612345678', 'é'.repeat(200)), { phone: '+212612345678', reason: 'é'.repeat(200) })
  assert.deepEqual(read('+212612345678', 'é'.repeat(201)), { fault: 'reason_too_long' })
})
