import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differences } from './differences.ts'

test('only differences are listed, by path', () => {
  assert.deepEqual(
    differences(
      { name: 'a', same: 1, gone: true, deep: { days: [1, 2], same: 'x' } },
      { name: 'b', same: 1, deep: { days: [1, 2, 3], same: 'x', added: 0 }, nothing: null },
    ),
    [
      { name: 'name', from: 'a', to: 'b' },
      { name: 'gone', from: 'true', to: undefined },
      { name: 'deep › days', from: '[1,2]', to: '[1,2,3]' },
      { name: 'deep › added', from: undefined, to: '0' },
    ],
  )
  assert.deepEqual(differences(null, { role: 'admin' }), [{ name: 'role', from: undefined, to: 'admin' }])
  assert.deepEqual(differences(null, null), [])
})

test('a very large change is cut to the limit of the page', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, 'x'.repeat(1_000)]))
  const found = differences(null, many)
  assert.equal(found.length, 40)
  assert.ok(found.every(({ to }) => (to ?? '').length <= 301))
})
