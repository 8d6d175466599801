import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupsOfPhone } from './phone-groups.ts'

test('a number is its calling code and groups of digits, and loses none', () => {
  for (const [phone, groups] of [
    ['+212661234567', '+212 661 234 567'],
    ['+15550100101', '+1 555 010 0101'],
    ['+33612345678', '+33 612 345 678'],
    ['+34600110703', '+34 600 110 703'],
    ['+2010103542003', '+20 10 103 542 003'],
    ['+96650272070', '+966 50 272 070'],
    ['+971501234567', '+971 501 234 567'],
  ] as const) {
    assert.equal(groupsOfPhone(phone).join(''), phone)
    assert.equal(groupsOfPhone(phone).join(' '), groups)
  }
})

test('what is not a number is shown as it stands', () => {
  for (const text of ['', '+', 'MA.1234567890', '+12', '+1234567890123456'])
    assert.deepEqual(groupsOfPhone(text), [text])
})
