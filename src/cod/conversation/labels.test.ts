import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { dayLabels } from './labels.ts'

test('the longest form that fits every button is used', () => {
  assert.deepEqual(dayLabels(['2026-03-09', '2026-03-10'], 'en'), ['Monday, March 9', 'Tuesday, March 10'])
  assert.deepEqual(dayLabels(['2026-11-24', '2026-11-25'], 'en_US'), ['Tuesday, Nov 24', 'Wednesday, Nov 25'])
  assert.deepEqual(dayLabels(['2026-11-25'], 'fr'), ['mercredi 25 novembre'])
  assert.deepEqual(dayLabels(['2026-11-25'], 'pt_BR'), ['qua., 25 de nov.'])
})

test('Arabic labels use the digits 0 to 9 and the country’s month names', () => {
  assert.deepEqual(dayLabels(['2026-11-25'], 'ar'), ['الأربعاء، 25 نوفمبر'])
  assert.deepEqual(dayLabels(['2026-11-25'], 'ar_EG'), ['الأربعاء، 25 نوفمبر'])
  assert.deepEqual(dayLabels(['2026-11-25'], 'ar_MA'), ['الأربعاء، 25 نونبر'])
  assert.deepEqual(dayLabels(['2026-11-25'], 'ur'), ['بدھ، 25 نومبر'])
  assert.deepEqual(dayLabels(['2026-11-25'], 'fa'), ['چهارشنبه 25 نوامبر'])
})

test('a language unknown to Node gets plain dates, never the host’s language', () => {
  assert.deepEqual(dayLabels(['2026-11-25', '2026-11-26'], 'xqz_AB'), ['2026-11-25', '2026-11-26'])
})

test('any language code yields one label that fits for each day', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z]{2,3}(_[A-Z]{2})?$/)), (language) => {
      const labels = dayLabels(['2026-11-25', '2026-12-02', '2026-12-09'], language)
      assert.equal(new Set(labels).size, 3)
      assert.ok(labels.every((label) => Array.from(label).length <= 20))
    }),
  )
})
