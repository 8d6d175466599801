import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translatorOf } from '../../../locales/resources.ts'
import { LANGUAGES } from '../../../locales/text.ts'
import { normalizePhone } from './phone.ts'
import { explainInvalidPhone } from './invalid-phone.ts'

test('a number with 00 instead of + is answered with its international form', () => {
  for (const text of ['00213612345678', ' 00213 612-34-56-78 ', '٠٠٢١٣٦١٢٣٤٥٦٧٨'])
    assert.deepEqual(explainInvalidPhone(text), {
      code: 'workspaces.phone_without_plus',
      phone: '+213612345678',
      text: text.trim(),
    })
})

test('a number without its country code gets an example, never another person’s number', () => {
  for (const text of ['612345678', '213612345678', '0612345678', '+0213612345678', '+2136', 'call me', '0000000'])
    assert.deepEqual(explainInvalidPhone(text), { code: 'workspaces.phone_invalid', example: '+212612345678', text })
  assert.deepEqual(explainInvalidPhone(' '), { code: 'http.must_not_be_empty' })
})

test('every language shows the wrong form and the right one', () => {
  const wrong = '00213612345678'
  for (const language of LANGUAGES) {
    const sentence = translatorOf(language).textOf(explainInvalidPhone(wrong))
    assert.ok(sentence.includes(wrong) && sentence.includes('+213612345678'), sentence)
  }
  assert.equal(normalizePhone('+213612345678'), '+213612345678')
})
