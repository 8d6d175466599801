import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageStarts } from './language-starts.ts'
import { readCodSettings } from './settings.ts'

test('what a shop can begin with may be stored as it stands', () => {
  const read = readCodSettings({ timeZone: 'UTC', languages: languageStarts })
  assert.ok('settings' in read, JSON.stringify(read))
  assert.deepEqual(read.settings.languages, languageStarts)
})
