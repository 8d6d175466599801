import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceOf } from './device.ts'

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'

test('a browser is recognized although its user agent names others', () => {
  const cases: [string | null, string | undefined, string | undefined][] = [
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox', 'Windows'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`, 'Chrome', 'Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/150.0.0.0`, 'Edge', 'Windows'],
    [`Mozilla/5.0 (Linux; Android 16) ${CHROME}`, 'Chrome', 'Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/20.0 Mobile/15E148 Safari/604.1',
      'Safari',
      'iPhone',
    ],
    ['curl/8.5.0', undefined, undefined],
    [null, undefined, undefined],
  ]
  for (const [userAgent, browser, system] of cases) assert.deepEqual(deviceOf(userAgent), { browser, system })
})
