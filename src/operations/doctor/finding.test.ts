import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translatorOf } from '../../../locales/resources.ts'
import { durationText } from './finding.ts'

const MINUTE_MS = 60_000

test('a duration is written with the plural of the reader’s language', () => {
  const english = translatorOf('en')
  const arabic = translatorOf('ar')
  const inArabic = (ms: number): string => arabic.textOf(durationText(ms)).replaceAll(/[\u2066-\u2069]/g, '')
  assert.equal(english.textOf(durationText(3 * MINUTE_MS)), '3 min')
  assert.equal(inArabic(2 * MINUTE_MS), 'دقيقتين')
  assert.equal(inArabic(3 * MINUTE_MS), '3 دقائق')
  assert.equal(inArabic(11 * MINUTE_MS), '11 دقيقة')
})
