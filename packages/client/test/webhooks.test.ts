import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { documentedEvents } from '../../../src/api/documented-events.ts'
import { newWebhookSecret } from '../../../src/lib/ids.ts'
import { InvalidWebhookError, type InvalidWebhookReason, type WebhookBody, verifyWebhook } from '../src/index.ts'

const SECRET = newWebhookSecret()
const EVENT = {
  type: 'cod.confirmed',
  timestamp: '2026-12-01T09:00:00.000Z',
  data: { reference: 'Café / «1»', to: '+212612345678' },
}
const BODY = JSON.stringify(EVENT)
const ID = '01a1f9f4-d2c3-7f0e-9a51-6a0c8c9b7d21'

const headersOf = (body: string, { secret = SECRET, at = new Date() } = {}): Record<string, string> => ({
  'webhook-id': ID,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign(ID, at, body),
})

const reasonOf = (body: unknown, headers: object, ...given: unknown[]): InvalidWebhookError => {
  const [secret] = given.length > 0 ? given : [SECRET] // undefined is a secret, too
  try {
    verifyWebhook(body as WebhookBody, headers as Headers, secret as string)
  } catch (error) {
    if (error instanceof InvalidWebhookError) return error
    throw error
  }
  return assert.fail('the webhook was accepted')
}

const assertReason = (error: InvalidWebhookError, reason: InvalidWebhookReason): void =>
  assert.equal(error.reason, reason, error.message)

test('a genuine webhook is returned as an event with its id, from bytes or text, with any kind of headers', () => {
  const headers = headersOf(BODY)
  const bytes = new TextEncoder().encode(BODY)
  const padded = new Uint8Array([0, ...bytes, 0]).subarray(1, -1) // a view of a larger buffer, as Node's are
  const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  for (const body of [BODY, bytes, padded, Buffer.from(BODY), new Uint8Array(bytes).buffer])
    for (const given of [headers, new Headers(headers), upperCase])
      assert.deepEqual(verifyWebhook(body, given, SECRET), { id: ID, ...EVENT })
})

test('every documented event is accepted, and the signature of either secret during a rotation', () => {
  for (const { example } of documentedEvents) {
    const body = JSON.stringify(example)
    const [older, newer] = [headersOf(body, { secret: newWebhookSecret() }), headersOf(body)]
    const signatures = `${older['webhook-signature']} ${newer['webhook-signature']}`
    assert.deepEqual(verifyWebhook(body, { ...newer, 'webhook-signature': signatures }, SECRET), {
      id: ID,
      ...(example as object),
    })
  }
})

test('a body that a framework has parsed is an error that says how to get the raw bytes', () => {
  for (const body of [EVENT, undefined, null, 7, [BODY]]) {
    const error = reasonOf(body, headersOf(BODY))
    assertReason(error, 'body_parsed')
    assert.match(error.message, /express\.raw.*parseAs: "buffer".*await request\.text\(\)/s)
  }
})

test('a body that was parsed and serialised again is found, however it was written', () => {
  const escaped = BODY.replaceAll('/', '\\/').replaceAll(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  for (const body of [JSON.stringify(EVENT, null, 2), BODY.replaceAll('":', '": '), escaped, `${BODY}\n`]) {
    assert.notEqual(body, BODY)
    assertReason(reasonOf(body, headersOf(BODY)), 'body_changed')
  }
})

test('a forged body, a wrong secret and a damaged signature are rejected', () => {
  assertReason(reasonOf(BODY.replace('confirmed', 'cancelled'), headersOf(BODY)), 'signature')
  assertReason(reasonOf(BODY, headersOf(BODY), newWebhookSecret()), 'signature')
  assertReason(reasonOf(new Uint8Array([0xff]), headersOf(BODY)), 'signature')
  for (const signature of ['v1', 'v1,', 'v2,AAAA', 'x', `v1,${'A'.repeat(43)}=`])
    assertReason(reasonOf(BODY, { ...headersOf(BODY), 'webhook-signature': signature }), 'signature')
  assertReason(reasonOf('not JSON', headersOf(BODY)), 'signature')
})

test('a webhook of another time, without headers, or with a secret of another form is rejected', () => {
  const MINUTE_MS = 60_000
  for (const minutes of [-6, 6])
    assertReason(reasonOf(BODY, headersOf(BODY, { at: new Date(Date.now() + minutes * MINUTE_MS) })), 'timestamp')
  assertReason(reasonOf(BODY, { ...headersOf(BODY), 'webhook-timestamp': 'now' }), 'timestamp')
  for (const name of Object.keys(headersOf(BODY)))
    for (const missing of [undefined, ''])
      assertReason(reasonOf(BODY, { ...headersOf(BODY), [name]: missing }), 'headers')
  assertReason(reasonOf(BODY, new Headers()), 'headers')
  for (const secret of ['AAAA', 'whsec_%%%', 'whsec_AAAA', SECRET.slice(0, 30), `${SECRET}A`])
    assertReason(reasonOf(BODY, headersOf(BODY), secret), 'secret')
})

test('an unset secret, also one that says “whsec_undefined”, is an error that names its variable', () => {
  for (const secret of [undefined, null, '', 'undefined', 'null', 'whsec_', 'whsec_undefined', 'whsec_null']) {
    const headers = /whsec_\w/.test(String(secret)) ? headersOf(BODY, { secret: String(secret) }) : headersOf(BODY)
    const error = reasonOf(BODY, headers, secret)
    assertReason(error, 'secret')
    assert.match(error.message, /"secret", the third argument of verifyWebhook, .*DOORCODE_WEBHOOK_SECRET/)
  }
})
