import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleText, withVisibleTexts } from './visible-text.ts'

test('a line end is shown as a sign on the same line', () => {
  assert.equal(visibleText('one\ntwo \r\n three\n'), 'one ⏎ two ⏎ three ⏎ ')
})

test('no control character, line separator or bidi control passes', () => {
  const codes = Array.from({ length: 0x3000 }, (_, code) => code)
  const passed = codes.filter((code) =>
    /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u.test(visibleText(String.fromCodePoint(code))),
  )
  assert.deepEqual(passed, [])
  assert.equal(visibleText('\u001b[2J\r\u009b\u2028\u202e\u061c'), '\\u001b[2J\\u000d\\u009b\\u2028\\u202e\\u061c')
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
