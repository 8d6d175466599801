import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readReturn } from './return.ts'

test('signing in returns to the page of a workspace, never outside the dashboard', () => {
  const page = '/w/019f0000-0000-7000-8000-000000000000/messages?status=failed'
  assert.deepEqual(readReturn({ back: page }), { back: page })
  for (const back of ['https://evil.example', '//evil.example', '/\\evil.example', '/sign-in', '/w/', 7, undefined]) {
    assert.deepEqual(readReturn({ back }), {}, String(back))
  }
})
