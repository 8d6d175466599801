import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIRMATION_STATUSES } from '../../src/cod/conversation/confirmation.ts'
import { REFUSAL_STATUSES } from '../../src/cod/conversation/refusal.ts'
import { isFiltered } from '../ui/list/list-search.ts'
import { REFUSALS, STATUSES, readConfirmationSearch, withFilter } from './search.ts'

test('every status can be filtered', () => {
  assert.deepEqual(STATUSES.toSorted(), CONFIRMATION_STATUSES.toSorted())
  assert.deepEqual(REFUSALS.toSorted(), [...REFUSAL_STATUSES, 'none'].toSorted())
})

test('an invalid address shows the whole list', () => {
  const nonsense = { text: ' ', status: 'lost', refusal: 'maybe', senderId: 'x', from: '2026-02-31', before: 7 }
  assert.deepEqual(readConfirmationSearch(nonsense), {})
})

test('another filter begins at the newest again', () => {
  const search = readConfirmationSearch({ refusal: 'none', before: '019f0000-0000-7000-8000-000000000000' })
  assert.deepEqual(withFilter(search, { status: 'failed' }), { refusal: 'none', status: 'failed' })
  assert.equal(isFiltered(withFilter(search, { refusal: '' })), false)
})
