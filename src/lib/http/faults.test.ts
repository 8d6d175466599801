import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_FAULTS, findUnstorableText } from './faults.ts'

test('text that cannot be stored is reported by its place, and no pointer is made for other values', (t) => {
  const pointers = t.mock.method(String.prototype, 'toWellFormed')
  const sound = Array.from({ length: 1_000 }, () => ({ a: [0, 'text'], b: {} }))
  assert.deepEqual(findUnstorableText(sound), [])
  // Strangers may send a megabyte of values, which would hold up every other request.
  assert.equal(pointers.mock.callCount(), 0)

  const placesIn = (body: unknown) => findUnstorableText(body).map(({ pointer, detail }) => [pointer, detail.code])
  assert.deepEqual(placesIn('\0'), [['', 'http.unstorable']])
  assert.deepEqual(placesIn([...sound, { a: ['x', { 'b/~': '\ud800' }] }]), [['/1000/a/1/b~1~0', 'http.unstorable']])
  assert.deepEqual(placesIn({ a: { 'b\0': 1 } }), [['/a', 'http.unstorable_name']])
  assert.ok(pointers.mock.callCount() < 10)

  let deep: unknown = Array.from({ length: 2 * MAX_FAULTS }, () => '\0')
  for (let level = 0; level < 10_000; level += 1) deep = [deep]
  pointers.mock.resetCalls()
  assert.equal(findUnstorableText(deep).length, MAX_FAULTS)
  assert.ok(pointers.mock.callCount() < 11_000, 'the way to a deep place is followed once')
})
