import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instantOf, sortRows } from './sort-rows.ts'

test('rows without a value come last in both directions, and numbers in texts count by value', () => {
  const names = [null, 'node 10', 'Node 9', 'été']
  assert.deepEqual(
    sortRows(names, (name) => name, 'asc', 'fr'),
    ['été', 'Node 9', 'node 10', null],
  )
  assert.deepEqual(
    sortRows(names, (name) => name, 'desc', 'fr'),
    ['node 10', 'Node 9', 'été', null],
  )
})

test('times sort by instant, and equal rows keep their order', () => {
  const rows = [
    { id: 1, at: '2026-11-25T10:00:00Z' },
    { id: 2, at: null },
    { id: 3, at: '2026-11-25T12:00:00+02:00' },
    { id: 4, at: '2026-11-26T00:00:00Z' },
  ]
  assert.deepEqual(
    sortRows(rows, ({ at }) => instantOf(at), 'desc', 'en').map(({ id }) => id),
    [4, 1, 3, 2],
  )
})
