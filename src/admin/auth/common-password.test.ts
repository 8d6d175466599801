import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCommonPassword } from './common-password.ts'

test('common words and sequences are no password, however they are written', () => {
  for (const common of [
    'password1234',
    'P@ssw0rd2026!',
    'Password Password',
    '123456789012',
    'qwertyuiop12',
    'azertyuiop!!',
    '987654321098',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'Doorcode2026',
    'motdepasse123',
    'nadia1234567',
    'admin-admin-1',
    'كلمة السر 2026',
    'ｐａｓｓｗｏｒｄ１２３４',
    '١٢٣٤٥٦٧٨٩٠١٢',
    '۱۲۳۴۵۶۷۸۹۰۱۲',
    'pass\u200bword\u200e1234',
  ])
    assert.ok(isCommonPassword(common), common)
})

test('a passphrase, a random password and random digits are accepted', () => {
  for (const own of [
    'correct horse battery',
    'k7#Vq2!xLp9z',
    '839201748392',
    'a password of seven storks',
    'اربعة قوارب زرقاء',
    'le chat dort à midi',
  ])
    assert.ok(!isCommonPassword(own), own)
})

test('a megabyte of common parts is read in less than a second', () => {
  const huge = '1234password'.repeat(80_000)
  const startedAt = performance.now()
  assert.ok(isCommonPassword(huge))
  assert.ok(performance.now() - startedAt < 1_000)
})
