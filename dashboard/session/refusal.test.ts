import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalIn } from './refusal.ts'
import { sessionWords } from './words.ts'

test('a refusal is told in the language of the page, with how long to wait', () => {
  const { en, ar } = sessionWords
  assert.equal(refusalIn({ code: 'INVALID_EMAIL_OR_PASSWORD', body: {} }, en.refusals), en.refusals.wrong)
  assert.match(refusalIn({ code: 'WAIT', body: { retryAfterSeconds: 61 } }, en.refusals), /in 2 minutes/)
  assert.match(refusalIn({ code: 'WAIT', body: { retryAfterSeconds: 5 } }, en.refusals), /in a minute/)
  assert.match(refusalIn({ code: 'WAIT', body: { retryAfterSeconds: 900 } }, ar.refusals), /15 دقيقة/)
  assert.equal(refusalIn({ code: 'SOMETHING_NEW', body: {} }, ar.refusals), ar.refusals.other)
})
