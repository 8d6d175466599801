import assert from 'node:assert/strict'
import { test } from 'node:test'
import { phonesMeantBy } from './searched-phones.ts'

const OURS = ['+212522000000', '+923001234567']

test('a number is found in each form in which people write it', () => {
  for (const text of [
    '+212612345678',
    '+212 6 12-34-56-78',
    '00212 612 345 678',
    '212612345678',
    '0612345678',
    '06 12 34 56 78',
    ' (06) 12.34.56.78 ',
    '٠٦١٢٣٤٥٦٧٨',
    '\u200e+212 612345678',
  ]) {
    assert.ok(phonesMeantBy(text, OURS).includes('+212612345678'), text)
  }
})

test('a national number is looked for in every country that the workspace sends from', () => {
  assert.deepEqual(phonesMeantBy('03001234567', OURS), ['+923001234567'])
})

test('a reference is taken for no number', () => {
  for (const text of ['A-1001', '12', 'order 5521', '']) assert.deepEqual(phonesMeantBy(text, OURS), [], text)
})
