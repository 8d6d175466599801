import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differences } from './differences.ts'

const about = { target: 'key-1', name: 'Backend' }

test('only the values that differ are listed, with both sides', () => {
  assert.deepEqual(
    differences({
      ...about,
      before: { name: 'a', same: 1, footer: 'Bye', days: [1, 2] },
      after: { name: 'b', same: 1, footer: '', days: [1, 2] },
    }),
    [
      { field: 'name', before: 'a', after: 'b' },
      { field: 'footer', before: 'Bye', after: '' },
    ],
  )
})

test('a new thing lists neither what is empty nor its own name again', () => {
  assert.deepEqual(
    differences({ ...about, before: null, after: { name: 'Backend', footer: '', expiresAt: null, accountId: 'a' } }),
    [],
  )
  assert.deepEqual(differences({ ...about, before: null, after: { role: 'admin' } }), [
    { field: 'role', before: undefined, after: 'admin' },
  ])
})

test('a very large change is cut to the limit of the page', () => {
  const after = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]))
  assert.equal(differences({ ...about, before: null, after }).length, 40)
})
