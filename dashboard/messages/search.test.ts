import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFiltered } from '../ui/list/list-search.ts'
import { readMessageSearch, withFilter } from './search.ts'

const ID = '019f0000-0000-7000-8000-000000000000'

test('an invalid address shows the whole list', () => {
  const nonsense = { text: '  ', status: 'lost', kind: 7, senderId: 'x', from: '2026-02-31', to: 'today', before: null }
  assert.deepEqual(readMessageSearch(nonsense), {})
})

test('a bare number in the address is searched as typed', () => {
  assert.deepEqual(readMessageSearch({ text: 612345678 }), { text: '612345678' })
})

test('another filter begins at the newest again, and an emptied one is gone', () => {
  const search = readMessageSearch({ status: 'failed', template: 'login_code', before: ID })
  assert.deepEqual(withFilter(search, { kind: 'otp' }), { status: 'failed', template: 'login_code', kind: 'otp' })
  assert.deepEqual(withFilter(search, { status: '' }), { template: 'login_code' })
})

test('a later page of everything is not filtered', () => {
  assert.equal(isFiltered(readMessageSearch({ before: ID })), false)
  assert.equal(isFiltered(readMessageSearch({ from: '2026-11-20' })), true)
})
