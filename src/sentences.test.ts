import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asWritten, findSentence, joined, keptSentences, readSentence, sentences } from './sentences.ts'

const says = sentences({
  quiet: { en: 'nothing happened', ar: 'لم يحدث شيء' },
  moved: {
    en: '{who} moved to {place} after {why}',
    ar: 'بعد {why} انتقل {who} إلى {place}',
    words: { place: { home: 'البيت' } },
  },
})

const kept = keptSentences({
  rain: { en: 'rain', ar: 'المطر' },
  late: { en: 'came at {at}, because of {why}', ar: 'جاء في {at} بسبب {why}' },
})

test('English is said to the letter, and facts stand in Arabic isolated in an order of its own', () => {
  assert.equal(says.quiet.en, 'nothing happened')
  const moved = says.moved({ who: 'Ana', place: 'home', why: kept.rain })
  assert.equal(moved.en, 'Ana moved to home after rain')
  assert.equal(moved.ar, 'بعد المطر انتقل \u2068Ana\u2069 إلى البيت')
  assert.equal(says.moved({ who: 7, place: 'sea', why: '' }).ar, 'بعد  انتقل \u20687\u2069 إلى \u2068sea\u2069')
})

test('no fact turns the text around it', () => {
  assert.equal(asWritten('a\u2069\u202eb').ar, '\u2068ab\u2069')
})

test('a kept sentence is known by its English, with the sentences in it', () => {
  const told = kept.late({ at: '10:00', why: kept.rain })
  assert.deepEqual(findSentence(told.en), told)
  assert.deepEqual(readSentence('rain'), kept.rain)
})

test('English of no table stays as it is, and is isolated', () => {
  assert.equal(findSentence('nothing happened'), undefined, 'what is only said is not kept')
  assert.deepEqual(readSentence('snow?'), { en: 'snow?', ar: '\u2068snow?\u2069' })
})

test('a fact may hold line breaks and what looks like a pattern', () => {
  const told = kept.late({ at: 'a.*\nb', why: '(x)' })
  assert.deepEqual(findSentence(told.en), told)
})

test('where a text can be read in several ways, its first facts are the shortest', () => {
  const told = findSentence('came at 10:00, because of snow, because of rain')
  assert.equal(told?.ar, 'جاء في \u206810:00\u2069 بسبب \u2068snow, because of rain\u2069')
  for (const none of ['came at ', 'came at 10:00', 'came at, because of rain', 'it came at 10:00, because of rain'])
    assert.equal(findSentence(none), undefined, none)
})

test('text that is longer than any sentence of ours is none', () => {
  assert.equal(findSentence(`came at ${'because of '.repeat(1_000)}, because of rain`), undefined)
})

test('sentences are joined by what each language puts between them', () => {
  const both = joined([asWritten('a'), kept.rain], { en: ', ', ar: '، ' })
  assert.deepEqual(both, { en: 'a, rain', ar: '\u2068a\u2069، المطر' })
})
