import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translatorOf } from '../../locales/resources.ts'
import { valueOf } from './values.ts'

const texts = { ...translatorOf('en'), n: (value: number) => value.toLocaleString('en'), choose: async () => {} }
const shown = (field: string, value: unknown) => valueOf(field, value, texts)

test('values are shown in the words and units of the pages', () => {
  assert.equal(shown('byMs', 7_200_000), '2 hr')
  assert.equal(shown('/confirmation/noResponseMinutes', 1_440), '1 day')
  assert.equal(shown('monthlyUnits', 10_000), '10,000')
  assert.equal(shown('/deliveryDays/skipWeekdays', ['friday', 'sunday']), 'Mon, Tue, Wed, Thu, Sat')
  assert.equal(shown('/languages/en', { texts: { dayQuestion: 'When?' } }), 'added')
  assert.equal(shown('role', 'admin'), 'admin')
  assert.equal(shown('renewed', ['accessToken']), 'access token')
  assert.equal(shown('eventTypes', null), 'all')
  assert.equal(shown('footer', ''), 'none')
  assert.equal(shown('sandbox', true), 'yes')
  assert.equal(shown('template', { name: 'login_code', language: 'en' }), 'login_code (en)')
  assert.deepEqual(shown('expiresAt', '2026-11-22T10:00:00.000Z'), { at: '2026-11-22T10:00:00.000Z', kind: 'due' })
})

test('a name that looks like an impossible instant is shown as text', () => {
  for (const name of ['2026-13-45T99:99:99Z', '2026-02-30T24:00:01.5Z']) assert.equal(shown('name', name), name)
})
