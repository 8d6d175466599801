import { inEnglish } from '../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptEntry } from './timeline.ts'

test('an attempt shows the provider’s code, also 0, which is a refused token', () => {
  const at = new Date(0)
  const attempt = {
    messageId: 'm',
    attempt: 1,
    startedAt: at,
    endedAt: at,
    outcome: 'refused',
    httpStatus: 401,
  } as const
  const detail = (providerCode: number | null) =>
    inEnglish(attemptEntry({ ...attempt, providerCode, detail: null }).detail)
  const accepted = { ...attempt, outcome: 'accepted', httpStatus: 200, providerCode: null, detail: null } as const
  assert.equal(inEnglish(attemptEntry(accepted).detail), 'attempt 1: WhatsApp accepted the message')
  assert.match(detail(0), /HTTP 401, code 0/)
  assert.doesNotMatch(detail(null), /code/)
})
