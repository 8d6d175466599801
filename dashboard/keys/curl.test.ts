import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { curlOf } from './curl.ts'

test('a shell reads the request unchanged, whatever it contains', () => {
  const call = {
    baseUrl: 'http://127.0.0.1:3000/api/v1',
    apiKey: 'dck_aaaaaaaaaaaa_x',
    to: "+2126 '$(id)'",
    senderId: '01994f60-7a1c-7cc3-98c5-000000000000',
    template: { name: 'login_code', language: 'en_US' },
  }
  const script = `curl() { printf '%s\\n' "$@"; }\n${curlOf(call)}`
  const words = spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.trimEnd().split('\n')
  assert.deepEqual(words.slice(0, 4), [
    'http://127.0.0.1:3000/api/v1/otp/messages',
    '-H',
    'Authorization: Bearer dck_aaaaaaaaaaaa_x',
    '-H',
  ])
  const { to, senderId, template } = call
  assert.deepEqual(JSON.parse(words.at(-1) ?? ''), { to, senderId, template, code: '493817', reference: 'first' })
})
