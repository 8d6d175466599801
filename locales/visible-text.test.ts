import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBlank, isOneVisibleLine, visibleText, withVisibleTexts } from './visible-text.ts'

test('a line end is shown as a sign on the same line', () => {
  assert.equal(visibleText('one\ntwo \r\n three\n'), 'one ⏎ two ⏎ three ⏎ ')
})

test('no control character, line separator or bidi control passes, except marks that act as a letter does', () => {
  const codes = Array.from({ length: 0x3000 }, (_, code) => code)
  const passed = codes.filter((code) =>
    /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u.test(visibleText(String.fromCodePoint(code))),
  )
  assert.deepEqual(passed, [0x61c, 0x200e, 0x200f])
  assert.equal(visibleText('\u001b[2J\r\u009b\u2028\u202e'), '\\u001b[2J\\u000d\\u009b\\u2028\\u202e')
})

test('an amount in Arabic is shown as the shop formatted it', () => {
  const amount = new Intl.NumberFormat('ar-EG', { style: 'currency', currency: 'EGP' }).format(-250)
  assert.match(amount, /\u061c-.*\u200f/)
  assert.equal(visibleText(amount), amount)
})

test('a name may join letters, but not end the line, change its direction or be invisible', () => {
  for (const name of ['Boutique “Été”', 'متجر سعيد', 'می\u200cخواهم', '\u0915\u094d\u200d\u0937', '👩‍👩‍👧', 'a  b'])
    assert.deepEqual([isOneVisibleLine(name), isBlank(name)], [true, false], name)
  for (const code of [
    0x00, 0x09, 0x0a, 0x1b, 0x7f, 0x85, 0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202d, 0x202e, 0x2066, 0x2068,
    0x2069,
  ])
    assert.equal(isOneVisibleLine(`Shop${String.fromCodePoint(code)}1`), false, code.toString(16))
  for (const name of ['', ' ', '\u200d', '\u3164', '\u2800 \ufe0f']) assert.equal(isBlank(name), true)
})

test('what people write stays as they wrote it, and shown text does not change again', () => {
  for (const text of ['à 18h — مساءً "\\', '👩‍👩‍👧 नमस्ते', 'C:\\u001b', visibleText('a\n\u001bb')])
    assert.equal(visibleText(text), text)
})

test('each text in a value is made visible, whatever it is part of', () => {
  const at = new Date(0)
  assert.deepEqual(withVisibleTexts({ 'a\tb': ['x\ny', { z: '\u0007' }], at, count: 1, none: null }), {
    'a\\u0009b': ['x ⏎ y', { z: '\\u0007' }],
    at,
    count: 1,
    none: null,
  })
})

test('a long run of spaces is made visible in one pass', () => {
  const spaces = ' '.repeat(1_000_000) // a pattern that tried each of them again would take an hour
  assert.equal(visibleText(`a${spaces}b`), `a${spaces}b`)
  assert.equal(visibleText(`a${spaces}\n${spaces}b`), 'a ⏎ b')
})
