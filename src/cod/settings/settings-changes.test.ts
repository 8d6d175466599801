import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageStarts } from './language-starts.ts'
import { diffSettings } from './settings-changes.ts'
import { type CodSettings, readCodSettings } from './settings.ts'

const settings = (json: object): CodSettings => {
  const read = readCodSettings({ timeZone: 'UTC', ...json })
  assert.ok('settings' in read)
  return read.settings
}

test('each changed member is reported by its pointer, and a list as a whole', () => {
  const before = settings({ deliveryDays: { skipWeekdays: ['friday'] }, languages: { en: languageStarts['en'] } })
  const after = settings({ deliveryDays: { skipWeekdays: ['sunday'] }, confirmation: { reminderMinutes: 60 } })
  assert.deepEqual(diffSettings(before, after), [
    { pointer: '/deliveryDays/skipWeekdays', before: ['friday'], after: ['sunday'] },
    { pointer: '/confirmation/reminderMinutes', before: null, after: 60 },
    { pointer: '/languages/en', before: languageStarts['en'], after: undefined },
  ])
})

test('the order of members is not a change', () => {
  const before = settings({ languages: { en: languageStarts['en'] } })
  const { languages, ...rest } = before
  assert.deepEqual(diffSettings({ languages, ...rest }, before), [])
})
