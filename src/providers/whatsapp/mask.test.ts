import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { withoutCode, withoutToken } from './mask.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'.split('')
const code = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 15 })

test('no text holds the code afterwards, wherever and however often it stood there', () => {
  fc.assert(
    fc.property(code, fc.array(fc.string({ unit: 'binary' })), (secret, texts) => {
      const masked = withoutCode(texts.join(secret), secret)
      assert.ok(!masked.replaceAll('[code]', '').toLowerCase().includes(secret.toLowerCase()))
    }),
  )
})

test('a code is found in another case of letters', () => {
  assert.equal(withoutCode('Parameter "AB12cd" is not allowed', 'ab12CD'), 'Parameter "[code]" is not allowed')
})

test('text without the code stays as it is', () => {
  assert.equal(
    withoutCode('(#131008) Required parameter is missing', '493817'),
    '(#131008) Required parameter is missing',
  )
})

test('characters of a token that mean something in patterns are taken as they are', () => {
  assert.equal(withoutToken('Malformed access token a.b+c|d', 'a.b+c|d'), 'Malformed access token [token]')
  assert.equal(withoutToken('aXbbcd', 'a.b+c|d'), 'aXbbcd')
})
