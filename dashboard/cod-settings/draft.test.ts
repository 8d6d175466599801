import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readResources } from '../../locales/resources.ts'
import { languageStarts } from '../../src/cod/settings/language-starts.ts'
import { type CodSettings, limits, readCodSettings, settingsSchema } from '../../src/cod/settings/settings.ts'
import { charactersIn, documentOf, draftOf, durationOf, isChanged, merge, minutesOf, moved, startOf } from './draft.ts'
import { labelKey } from './form.ts'

const settings = (): CodSettings => {
  const read = readCodSettings({
    timeZone: 'Africa/Casablanca',
    confirmation: { reminderMinutes: 135, noResponseMinutes: 1_441 },
    languages: { fr: languageStarts['fr'], ar: languageStarts['ar'] },
  })
  assert.ok('settings' in read)
  return read.settings
}

test('the form gives back the settings that it was filled with', () => {
  const filled = settings()
  assert.deepEqual(documentOf(draftOf(filled)), filled)
  assert.equal(isChanged(draftOf(filled), draftOf(filled)), false)
})

/** The names of all members, at any depth. */
const namesIn = (schema: unknown): string[] =>
  typeof schema !== 'object' || schema === null
    ? []
    : Object.entries(schema).flatMap(([key, each]) =>
        key === 'properties'
          ? [...Object.keys(each as object), ...Object.values(each as object).flatMap(namesIn)]
          : namesIn(each),
      )

test('every setting has a label on the page', () => {
  const known = readResources('en')['page_cod_settings'] ?? {}
  const grouping = new Set(['texts', 'closingMessages'])
  const names = new Set(namesIn(settingsSchema()).filter((name) => !grouping.has(name)))
  assert.ok(names.has('noResponseMinutes') && names.has('dayQuestion'))
  assert.deepEqual(
    [...names].filter((name) => !(labelKey(name) in known)),
    [],
  )
})

test('hours and minutes make the same duration as minutes, and empty fields none', () => {
  for (const minutes of [0, 15, 60, 135, 4_320, 10_080]) assert.equal(minutesOf(durationOf(minutes)), minutes)
  assert.equal(minutesOf({ hours: '', minutes: 30 }), 30)
  assert.ok(Number.isNaN(minutesOf({ hours: '', minutes: '' })))
})

test('characters are counted as the server counts them', () => {
  for (const text of ['abc', ' abc ', '🚚🚚', 'é', 'مرحبا', '\u00a0x', '👨‍👩‍👧']) {
    const label = text.repeat(Math.ceil(limits.buttonTitleLength / charactersIn(text)))
    const longest = Array.from(label.trim()).slice(0, limits.buttonTitleLength).join('').trim()
    const accepts = (title: string): boolean =>
      'settings' in
      readCodSettings({ timeZone: 'UTC', languages: { en: { ...languageStarts['en'], timeRanges: [title] } } })
    assert.ok(charactersIn(longest) <= limits.buttonTitleLength && accepts(longest), longest)
    const longer = `${longest}${'x'.repeat(limits.buttonTitleLength + 1 - charactersIn(longest))}`
    assert.equal(charactersIn(longer), limits.buttonTitleLength + 1)
    assert.equal(accepts(longer), false, longer)
  }
})

test('a language with a country starts with the texts of the language', () => {
  assert.equal(startOf('en_US', languageStarts).texts.otherLabel, languageStarts['en']?.texts.otherLabel)
  assert.deepEqual(startOf('sw', languageStarts).timeRanges, [''])
})

test('an item moves within its list only', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b'])
  assert.deepEqual(moved(['a', 'b'], 0, -1), ['a', 'b'])
})

test('concurrent edits of different settings are both kept', () => {
  const base = settings()
  const mine = { ...base, timeZone: 'UTC' }
  const theirs = { ...base, refusal: { ...base.refusal, noResponseMinutes: 120 } }
  const merged = merge(base, mine, theirs)
  assert.deepEqual(merged.settings, { ...theirs, timeZone: 'UTC' })
  assert.deepEqual(merged.both, [])
  assert.deepEqual(
    merged.theirs.map(({ pointer }) => pointer),
    ['/refusal/noResponseMinutes'],
  )
})

test('a setting that both edits changed is named, and mine wins', () => {
  const base = settings()
  const merged = merge(base, { ...base, timeZone: 'UTC' }, { ...base, timeZone: 'Asia/Karachi' })
  assert.deepEqual(merged.both, ['/timeZone'])
  assert.equal(merged.settings.timeZone, 'UTC')
})

test('a removed language comes back whole when the other edit changed it', () => {
  const base = settings()
  const { fr, ...others } = base.languages
  assert.ok(fr)
  const mine = { ...base, languages: { ...others, fr: { ...fr, texts: { ...fr.texts, notePrompt: 'Pourquoi ?' } } } }
  const merged = merge(base, mine, { ...base, languages: others })
  assert.deepEqual(merged.settings.languages, mine.languages)
  assert.deepEqual(merged.both, ['/languages/fr'])
  assert.deepEqual(merge(base, { ...base, languages: others }, base).settings.languages, others)
})
