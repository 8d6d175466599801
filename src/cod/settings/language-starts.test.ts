import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageStarts } from './language-starts.ts'
import { readCodSettings } from './settings.ts'

test('the default texts are valid settings', () => {
  const read = readCodSettings({ timeZone: 'UTC', languages: languageStarts })
  assert.ok('settings' in read, JSON.stringify(read))
  assert.deepEqual(read.settings.languages, languageStarts)
})
