import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PRECEDENTS_MOST, keyOf, precedentsOf } from './precedents.ts'

test('a precedent is of exactly one workspace, sender, name and language', () => {
  const way = { workspace_id: 'w', sender_id: 's', name: 'a b', language: 'en' }
  const others = [
    { ...way, workspace_id: 'v' },
    { ...way, sender_id: 'r' },
    { ...way, name: 'a' },
    { ...way, language: 'fr' },
    { ...way, name: 'b', language: 'en a' },
  ]
  for (const other of others) assert.notEqual(keyOf(other), keyOf(way))
  assert.equal(keyOf({ ...way }), keyOf(way))
})

test('the oldest precedent goes when there are too many, and one that came again is young', () => {
  const precedents = precedentsOf<number>()
  for (let index = 0; index < PRECEDENTS_MOST; index += 1) precedents.set(String(index), index)
  precedents.set('0', 0)
  precedents.set('one more', 1)
  assert.deepEqual([precedents.get('0'), precedents.get('1'), precedents.get('2')], [0, undefined, 2])
})
