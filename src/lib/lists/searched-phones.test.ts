import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partOfPhone, phonesMatching } from './searched-phones.ts'

const OURS = ['+212522000000', '+923001234567']

test('a number is found in every common notation', () => {
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
    '\u061c+212 612345678',
    '০৬১২৩৪৫৬৭৮',
    '०६१२३४५६७८',
  ]) {
    assert.ok(phonesMatching(text, OURS).includes('+212612345678'), text)
  }
})

test('a national number is searched in every country of the workspace’s senders', () => {
  assert.deepEqual(phonesMatching('03001234567', OURS), ['+923001234567'])
})

test('a reference is not a phone number', () => {
  for (const text of ['A-1001', '12', 'order 5521', '']) assert.deepEqual(phonesMatching(text, OURS), [], text)
})

test('a part of a number is found as people write and read it', () => {
  assert.equal(partOfPhone('06 12-34'), '61234')
  assert.equal(partOfPhone('+212 6'), '2126')
  for (const text of ['٥٦٧٨', '۵۶۷۸', '৫৬৭৮', '५६७८']) assert.equal(partOfPhone(text), '5678')
  for (const text of ['', '12', '007', 'order-17', '12 a']) assert.equal(partOfPhone(text), null, text)
})
