import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptEntry } from './entries.ts'

test('an attempt tells the provider’s code, also when it is 0, which stands for a refused token', () => {
  const at = new Date(0)
  const attempt = {
    messageId: 'm',
    attempt: 1,
    startedAt: at,
    endedAt: at,
    outcome: 'refused',
    httpStatus: 401,
  } as const
  const told = (providerCode: number | null) => attemptEntry({ ...attempt, providerCode, detail: null }).detail.en
  const accepted = { ...attempt, outcome: 'accepted', httpStatus: 200, providerCode: null, detail: null } as const
  assert.equal(attemptEntry(accepted).detail.en, 'attempt 1: WhatsApp took the message')
  assert.match(told(0), /HTTP 401, code 0/)
  assert.doesNotMatch(told(null), /code/)
})
