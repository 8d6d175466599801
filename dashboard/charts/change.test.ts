import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf } from './change.ts'

test('a number changes in percent, and a share in points', () => {
  assert.deepEqual(changeOf(150, 100), { kind: 'percent', by: 0.5 })
  assert.deepEqual(changeOf({ part: 3, whole: 4 }, { part: 1, whole: 2 }), { kind: 'points', by: 25 })
})

test('nothing is compared with a span without data', () => {
  assert.equal(changeOf(5, undefined), undefined)
  assert.equal(changeOf(5, 0), undefined)
  assert.equal(changeOf({ part: 1, whole: 2 }, { part: 0, whole: 0 }), undefined)
})
