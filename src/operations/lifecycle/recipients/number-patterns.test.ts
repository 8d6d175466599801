import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyFormPattern, internationalPattern } from './number-patterns.ts'

const PHONE = '+212653651446'

const matches = (pattern: string, text: string): boolean => new RegExp(pattern).test(text)

const INTERNATIONAL = [
  'order for +212653651446',
  '00212653651446',
  '+212 653-651446',
  '212.653.651.446',
  '+212 (0)6 53 65 14 46',
  '+212\u00A0653\u202F651\u2011446',
  '+212653651446+212653651446',
]

const NATIONAL = ['login-0653651446', '0653-651446', '06 53 65 14 46', '653651446', '(0653) 651446']

/** The digits are part of a longer number, or too few. */
const OTHERS = ['3212653651446', '2126536514460', '10653651446', '06536514461', '+33653651446', '53651446', '0653651']

test('every usual form of a number is found, and never a part of a longer number', () => {
  const [international, any] = [internationalPattern([PHONE]), anyFormPattern([PHONE])]
  for (const text of INTERNATIONAL) assert.ok(matches(international, text) && matches(any, text), text)
  for (const text of NATIONAL) assert.deepEqual([matches(international, text), matches(any, text)], [false, true], text)
  for (const text of OTHERS) assert.ok(!matches(any, text), text)
})

test('a national form is the one that the country writes', () => {
  const russian = anyFormPattern(['+79123456789'])
  assert.ok(matches(russian, '8 (912) 345-67-89'))
  const american = anyFormPattern(['+12125551234'])
  assert.ok(matches(american, '(212) 555-1234'))
  const short = anyFormPattern(['+29051234'])
  assert.deepEqual(
    ['51234', '051234', '+290 51234'].map((text) => matches(short, text)),
    [false, false, true],
  )
})
