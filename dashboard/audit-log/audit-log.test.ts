import assert from 'node:assert/strict'
import { test } from 'node:test'
import { english, readResources, translatorOf } from '../../locales/resources.ts'
import { RESOURCES } from '../../src/admin/audit/actions.ts'
import { actionsOf } from '../../src/admin/audit/audit-log.ts'
import { AGENT, COMMAND_LINE } from '../../src/admin/audit/audit.ts'
import { AGENT as SHOWN_AGENT, COMMAND_LINE as SHOWN_COMMAND_LINE, codeOfAction, inSnakeCase } from './action.ts'
import { differences, valueOf } from './values.ts'

test('every action has a name, a sentence and a named resource', () => {
  const keys = Object.keys(readResources('en')['page_audit_log'] ?? {})
  const keysOf = (prefix: string) => keys.filter((key) => key.startsWith(prefix)).map((key) => key.replace(prefix, ''))
  const actions = RESOURCES.flatMap(actionsOf)
  assert.deepEqual(actions.map(inSnakeCase).toSorted(), keysOf('actions_').toSorted())
  assert.deepEqual(keysOf('did_').toSorted(), keysOf('actions_').toSorted())
  const codes = [...actions.map(codeOfAction), ...RESOURCES.map((resource) => `page_audit_log.resources_${resource}`)]
  assert.deepEqual(
    codes.filter((code) => !english.has(code)),
    [],
  )
})

test('the pages know the command line and agents by the names that the server records', () => {
  assert.deepEqual([SHOWN_COMMAND_LINE, SHOWN_AGENT], [COMMAND_LINE.who, AGENT.who])
})

const about = { target: 'key-1', name: 'Backend' }

test('only the values that differ are listed, with both sides', () => {
  assert.deepEqual(
    differences({
      ...about,
      before: { name: 'a', same: 1, footer: 'Bye', days: [1, 2] },
      after: { name: 'b', same: 1, footer: '', days: [1, 2] },
    }),
    [
      { field: 'name', before: 'a', after: 'b' },
      { field: 'footer', before: 'Bye', after: '' },
    ],
  )
})

test('a created target lists neither empty values nor its own name', () => {
  assert.deepEqual(
    differences({ ...about, before: null, after: { name: 'Backend', footer: '', expiresAt: null, accountId: 'a' } }),
    [],
  )
  assert.deepEqual(differences({ ...about, before: null, after: { role: 'admin' } }), [
    { field: 'role', before: undefined, after: 'admin' },
  ])
})

test('a very large change is cut at the limit of the page', () => {
  const after = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]))
  assert.equal(differences({ ...about, before: null, after }).length, 40)
})

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
