import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyOf } from './keys.ts'

const pressed = (key: string, code: string, more: object = {}) =>
  keyOf({ key, code, ctrlKey: false, metaKey: false, altKey: false, ...more })

test('a shortcut is found by its letter, and on a keyboard with other letters by its place', () => {
  assert.equal(pressed('j', 'KeyJ'), 'j')
  assert.equal(pressed('J', 'KeyJ'), 'j')
  assert.equal(pressed('j', 'KeyC'), 'j', 'Dvorak has the letter elsewhere')
  assert.equal(pressed('c', 'KeyJ'), undefined, 'Dvorak has another letter there')
  assert.equal(pressed('ت', 'KeyJ'), 'j')
  assert.equal(pressed('؟', 'Slash'), '?')
})

test('a key with Ctrl, Alt or the command key is no shortcut of a page', () => {
  for (const modifier of ['ctrlKey', 'metaKey', 'altKey'])
    assert.equal(pressed('z', 'KeyZ', { [modifier]: true }), undefined, modifier)
})
