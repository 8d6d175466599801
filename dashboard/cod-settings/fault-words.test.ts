import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageStarts } from '../../src/cod/language-starts.ts'
import { readCodSettings } from '../../src/cod/settings.ts'
import { faultInWords } from './fault-words.ts'

const english = languageStarts['en']
const language = (changes: object) => ({ timeZone: 'UTC', languages: { en: { ...english, ...changes } } })
const texts = (changes: object) => language({ texts: { ...english?.texts, ...changes } })
const check = (changes: object) => ({ timeZone: 'UTC', confirmation: changes })

const FAULTY: readonly unknown[] = [
  {},
  { timeZone: 5 },
  { timeZone: 'CET' },
  { timeZone: 'UTC', deliveryDays: 5 },
  { timeZone: 'UTC', deliveryDays: { offered: 4 } },
  { timeZone: 'UTC', deliveryDays: { skipWeekdays: ['Friday'] } },
  { timeZone: 'UTC', deliveryDays: { skipWeekdays: 'friday' } },
  {
    timeZone: 'UTC',
    deliveryDays: { skipWeekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] },
  },
  check({ reminderMinutes: 14 }),
  check({ noResponseMinutes: null }),
  check({ noResponseMinutes: 10_081 }),
  check({ reminderMinutes: 1_440, noResponseMinutes: 1_440 }),
  texts({ dayQuestion: ' ' }),
  texts({ dayQuestion: 'x'.repeat(1_025) }),
  texts({ notePrompt: 'x\u0007' }),
  texts({ notePrompt: 'x\ud800' }),
  texts({ otherLabel: 'a\nb' }),
  texts({ otherLabel: 'It is damaged' }),
  language({ timeRanges: [] }),
  language({ timeRanges: ['a', 'a'] }),
  language({ refusalReasons: Array.from({ length: 10 }, (_, index) => `reason ${index}`) }),
  { timeZone: 'UTC', languages: { English: english } },
  {
    timeZone: 'UTC',
    languages: Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`en_${index + 100}`, english])),
  },
  { timeZone: 'UTC', colour: 'red' },
]

test('each fault that the server finds is told in the language of the page', () => {
  for (const faulty of FAULTY) {
    const read = readCodSettings(faulty)
    assert.ok('faults' in read, JSON.stringify(faulty).slice(0, 80))
    for (const { detail } of read.faults) assert.match(faultInWords(detail, 'ar'), /[\u0600-\u06ff]/, detail)
  }
})

test('the numbers of a fault are the server’s', () => {
  assert.match(faultInWords('must have at most 24 characters', 'en'), /at most 24 characters/)
  assert.match(faultInWords('must be later than the reminder: 60 minutes is not after 120', 'ar'), /60 .*120/)
})

test('a sentence that nobody translated stands as it is', () => {
  assert.equal(faultInWords('must be blue', 'ar'), 'must be blue')
})
