import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyText } from '../../../test/faults/any-text.ts'
import { withoutCode, withoutToken } from './mask.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'.split('')
const code = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 15 })

test('every occurrence of the code is masked', () => {
  fc.assert(
    fc.property(code, fc.array(anyText), (secret, texts) => {
      const masked = withoutCode(texts.join(secret), secret)
      assert.ok(!masked.replaceAll('[code]', '').toLowerCase().includes(secret.toLowerCase()))
    }),
  )
})

test('the code is masked in upper and lower case', () => {
  assert.equal(withoutCode('Parameter "AB12cd" is not allowed', 'ab12CD'), 'Parameter "[code]" is not allowed')
})

test('text without the code is unchanged', () => {
  assert.equal(
    withoutCode('(#131008) Required parameter is missing', '493817'),
    '(#131008) Required parameter is missing',
  )
})

test('pattern characters in a token are matched literally', () => {
  assert.equal(withoutToken('Malformed access token a.b+c|d', 'a.b+c|d'), 'Malformed access token [token]')
  assert.equal(withoutToken('aXbbcd', 'a.b+c|d'), 'aXbbcd')
})
