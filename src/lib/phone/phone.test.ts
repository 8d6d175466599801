import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import metadata from 'libphonenumber-js/max/metadata'
import { normalizePhone } from './phone.ts'

test('all usual spellings of a number have one form', () => {
  const spellings = ['+33612345678', ' +33 6 12 34 56 78\n', '+33 (6) 12-34-56-78', '+33.612.345.678', '+٣٣٦١٢٣٤٥٦٧٨']
  for (const text of spellings) assert.equal(normalizePhone(text), '+33612345678')
})

test('digits of other scripts and the directional marks around a copied number do not matter', () => {
  for (const text of ['\u202a+880 1712-345678\u202c', '\u2066+8801712345678\u2069', '\u200e+880 1712345678 \u200f'])
    assert.equal(normalizePhone(text), '+8801712345678')
  for (const text of ['+٨٨٠١٧١٢٣٤٥٦٧٨', '+۸۸۰۱۷۱۲۳۴۵۶۷۸', '+৮৮০১৭১২৩৪৫৬৭৮', '+८८०१७१२३४५६७८'])
    assert.equal(normalizePhone(text), '+8801712345678')
})

test('fictional and newly allotted ranges pass', () => {
  for (const text of ['+15555550123', '+447700900123', '+80012345678']) assert.equal(normalizePhone(text), text)
})

test('anything but a single international number is rejected', () => {
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
    '+33612345678;isub=call me now',
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

test('normalizing yields E.164 and is idempotent', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\+[0-9 ()-]{5,20}$/), (text) => {
      const phone = normalizePhone(text)
      if (phone === undefined) return
      assert.match(phone, /^\+[1-9]\d{4,14}$/)
      assert.equal(normalizePhone(phone), phone)
    }),
    { numRuns: 3_000 },
  )
})

/** normalizePhone without its shortcut. */
function byTheLibrary(text: string): string | undefined {
  const phone = parsePhoneNumberFromString(text, { extract: false })
  return phone?.isPossible() && !phone.ext ? phone.number : undefined
}

test('the fast path agrees with the library for all codes, lengths and prefixes', () => {
  const TAILS = ['', '0000000000000', '2345678901234', '9876543210987', '5555555555555']
  let taken = 0
  for (const callingCode of Object.keys(metadata.country_calling_codes)) {
    for (let length = 2; length <= 14; length += 1) {
      for (let start = 0; start < 100; start += 1) {
        const tail = TAILS[(start + length) % TAILS.length] ?? ''
        const text = `+${callingCode}${String(start).padStart(2, '0')}${tail}`.slice(0, callingCode.length + 1 + length)
        if (normalizePhone(text) !== text) continue
        taken += 1
        assert.equal(byTheLibrary(text), text)
      }
    }
  }
  assert.ok(taken > 10_000)
})

test('the fast path agrees with the library on arbitrary numbers', () => {
  const callingCode = fc.constantFrom(...Object.keys(metadata.country_calling_codes))
  fc.assert(
    fc.property(callingCode, fc.stringMatching(/^\d{1,15}$/), (callingCode, national) => {
      const text = `+${callingCode}${national}`
      const expected = byTheLibrary(text)
      const stable = expected === undefined || byTheLibrary(expected) === expected
      assert.equal(normalizePhone(text), stable ? expected : undefined)
    }),
    { numRuns: 3_000 },
  )
})
