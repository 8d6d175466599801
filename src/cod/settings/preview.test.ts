import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageStarts } from './language-starts.ts'
import { previewOf } from './preview.ts'

const now = new Date('2026-03-05T23:30:00Z') // a Thursday, and already Friday in Karachi
const english = languageStarts['en']
const draft = (changes: object = {}, english_: unknown = english) => ({
  timeZone: 'Asia/Karachi',
  deliveryDays: { offered: 2, skipWeekdays: ['sunday'] },
  languages: { en: english_ },
  ...changes,
})

const titlesOf = (content: ReturnType<typeof previewOf>['dayQuestion']): string[] =>
  content?.type === 'buttons' ? content.buttons.map(({ title }) => title) : []

test('the preview offers the next delivery days of the time zone', () => {
  assert.deepEqual(titlesOf(previewOf(draft(), 'en', now).dayQuestion), ['Saturday, March 7', 'Monday, March 9'])
})

test('a fault hides only the messages that use the faulty setting', () => {
  const faulty = previewOf(draft({ timeZone: 'Nowhere', confirmation: { reminderMinutes: 1 } }), 'en', now)
  assert.equal(faulty.dayQuestion, null)
  assert.deepEqual({ ...faulty, dayQuestion: null }, { ...previewOf(draft(), 'en', now), dayQuestion: null })
  const long = previewOf(draft({}, { ...english, timeRanges: ['x'.repeat(21)] }), 'en', now)
  assert.equal(long.timeQuestion, null)
  assert.ok(long.reasonsQuestion)
})

test('a reason equal to the Other label hides the list of reasons', () => {
  const texts = { ...english?.texts, otherLabel: 'Damaged' }
  assert.equal(
    previewOf(draft({}, { ...english, texts, refusalReasons: ['Damaged'] }), 'en', now).reasonsQuestion,
    null,
  )
})

test('an empty draft has no preview', () => {
  for (const nothing of [null, {}, [], 'text', { languages: { en: null } }]) {
    assert.ok(
      Object.values(previewOf(nothing, 'en', now)).every((part) => part === null),
      JSON.stringify(nothing),
    )
  }
})
