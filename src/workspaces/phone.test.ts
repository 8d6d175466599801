import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { normalizePhone } from './phone.ts'

test('the same number in any usual spelling has one form', () => {
  const spellings = ['+33612345678', ' +33 6 12 34 56 78\n', '+33 (6) 12-34-56-78', '+33.612.345.678', '+٣٣٦١٢٣٤٥٦٧٨']
  for (const text of spellings) assert.equal(normalizePhone(text), '+33612345678')
})

test('fictional and newly allotted ranges pass: the provider judges them', () => {
  for (const text of ['+15555550123', '+447700900123', '+80012345678']) assert.equal(normalizePhone(text), text)
})

test('what is no international number and nothing else is refused', () => {
  const odd = [
    '',
    '+',
    '33612345678',
    '0033612345678',
    '++33612345678',
    '＋33612345678',
    'tel:+33612345678',
    'call +33612345678',
    '+33612345678 please',
    '+33612345678 ext 5',
    '+33612345678;ext=5',
    '+33612345678\0',
    '+1-800-FLOWERS',
    '+99',
    '+12345',
    '+999612345678',
    '+1234567890123456',
    `+33${'6'.repeat(10_000)}`,
  ]
  for (const text of odd) assert.equal(normalizePhone(text), undefined, text.slice(0, 40))
})

test('a normalized number is E.164 and stays as it is', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\+[0-9 ()-]{5,20}$/), (text) => {
      const phone = normalizePhone(text)
      if (phone === undefined) return
      assert.match(phone, /^\+[1-9]\d{4,14}$/)
      assert.equal(normalizePhone(phone), phone)
    }),
    { numRuns: 5_000 },
  )
})
