import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAtMeta } from './graph-url.ts'

test('WhatsApp’s own URL is no emulator, however it is written', () => {
  for (const url of [
    '',
    ' ',
    'https://graph.facebook.com',
    'https://graph.facebook.com/',
    ' https://graph.facebook.com/v26.0 ',
  ])
    assert.ok(isAtMeta(url), url)
  for (const url of [
    'http://127.0.0.1:4010',
    'https://graph.facebook.com.example.com',
    'https://example.com/graph.facebook.com',
  ])
    assert.ok(!isAtMeta(url), url)
})
