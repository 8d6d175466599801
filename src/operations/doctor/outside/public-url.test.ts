import assert from 'node:assert/strict'
import { type RequestListener, createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { DAY_MS, later } from '../../../lib/clock.ts'
import { listen } from '../../../../test/world/listen.ts'
import { findProblemsOf, checkResponse, checkFailure } from './public-url.ts'

const URL = 'https://doorcode.example.com'
const now = new Date('2026-11-23T12:00:00Z')
const response = { status: 200, body: '{"status":"alive"}', validUntil: later(now, 60 * DAY_MS) }

const codesOf = (found: readonly { code: string }[]): string[] => found.map(({ code }) => code)

const serve = (t: TestContext, listener: RequestListener): Promise<string> => listen(t, createServer(listener))

test('an response from Doorcode is no problem, and every other response has its finding', async (t) => {
  const own = await serve(t, (_request, response) => response.end('{"status":"alive"}'))
  assert.deepEqual(await findProblemsOf(`http://${own}`), [])
  const other = await serve(t, (_request, response) => response.end('<html>'.padEnd(1_000_000)))
  assert.deepEqual(codesOf(await findProblemsOf(`http://${other}`)), ['public_url_elsewhere'])
  const broken = await serve(t, (_request, response) => response.writeHead(502).end())
  assert.deepEqual(await findProblemsOf(`http://${broken}`), [
    { code: 'public_url_status', url: `http://${broken}`, status: 502 },
  ])
})

test('a URL without a server and one without TLS have different findings', async (t) => {
  const plain = await serve(t, (_request, response) => response.end())
  assert.deepEqual(codesOf(await findProblemsOf(`https://${plain}`)), ['public_url_tls'])
  assert.deepEqual(codesOf(await findProblemsOf('http://127.0.0.1:1')), ['public_url_unreachable'])
})

test('a URL that answers too late is a timeout, before and within its response', async (t) => {
  const silent = await serve(t, () => {})
  const endless = await serve(t, (_request, response) => response.write('{'))
  for (const host of [silent, endless]) {
    const url = `http://${host}`
    const reason = { code: 'text', text: 'timeout' }
    assert.deepEqual(await findProblemsOf(url, 200), [{ code: 'public_url_unreachable', url, reason }])
  }
})

test('each network error has its finding', () => {
  const expected = {
    ENOTFOUND: 'public_url_unknown_host',
    CERT_HAS_EXPIRED: 'public_url_tls',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'public_url_tls',
    ERR_TLS_CERT_ALTNAME_INVALID: 'public_url_tls',
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'public_url_tls',
    ECONNREFUSED: 'public_url_unreachable',
    timeout: 'public_url_unreachable',
  }
  for (const [error, code] of Object.entries(expected)) assert.deepEqual(codesOf(checkFailure(URL, error)), [code])
})

test('a certificate that expires soon is found', () => {
  assert.deepEqual(checkResponse(URL, response, now), [])
  const soon = { ...response, validUntil: later(now, 3 * DAY_MS) }
  assert.deepEqual(codesOf(checkResponse(URL, soon, now)), ['certificate_expires'])
})
