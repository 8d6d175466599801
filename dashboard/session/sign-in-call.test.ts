import assert from 'node:assert/strict'
import { test } from 'node:test'
import { english, readResources } from '../../locales/resources.ts'
import { createTranslator } from '../../locales/text.ts'
import { readReturn } from './search.ts'
import { errorText } from './sign-in-call.ts'

test('a rejected sign-in is in the page language and shows the wait', () => {
  const { t } = english
  const arabic = createTranslator('ar', { ar: readResources('ar') })
  assert.equal(errorText({ code: 'INVALID_EMAIL_OR_PASSWORD', body: {} }, t), t('page_session.errors_wrong'))
  assert.match(errorText({ code: 'WAIT', body: { retryAfterSeconds: 61 } }, t), /in 2 minutes/)
  assert.match(errorText({ code: 'WAIT', body: { retryAfterSeconds: 5 } }, t), /in a minute/)
  assert.match(errorText({ code: 'WAIT', body: { retryAfterSeconds: 900 } }, arabic.t), /15\u2069 دقيقة/)
  assert.match(errorText({ code: 'OTHER_ORIGIN', body: {} }, t), /Set DOORCODE_PUBLIC_URL to the address/)
  const noTls = { code: 'NO_TLS', body: { onlyAt: 'https://shop.example' } }
  assert.match(errorText(noTls, t), /only over HTTPS. Open https:\/\/shop\.example instead/)
  assert.equal(errorText({ code: 'SOMETHING_NEW', body: {} }, arabic.t), arabic.t('page_session.errors_unknown'))
})

test('signing in returns to the page of a workspace, never outside the dashboard', () => {
  const page = '/w/019f0000-0000-7000-8000-000000000000/messages?status=failed'
  assert.deepEqual(readReturn({ back: page }), { back: page })
  for (const back of ['https://evil.example', '//evil.example', '/\\evil.example', '/sign-in', '/w/', 7, undefined]) {
    assert.deepEqual(readReturn({ back }), {}, String(back))
  }
})
