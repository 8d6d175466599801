import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret } from '../../lib/ids.ts'
import { sign } from './sign.ts'

const K1 = 'whsec_r9jjqz3mThbHBYZ1vZSnVcXzTQg+Wzh6'
const K2 = 'whsec_cejvu3y+5jlQHqbi0TUM5NSCBagDoulm/ZqpeqKyhAk='
const SIGNED_BY_K1 = 'v1,6kSTMxZ/6zjn83wSbkVV+m7U71tVbsQq9rYiJkYRe/g='
const SIGNED_BY_K2 = 'v1,slLqfRBEb4mn6LTDluL67fLT8nkeGCWl9CgV2vo3zkI='

// The note has characters of two and three bytes, because the signature covers bytes.
const event = {
  id: 'msg_2Lh9KRb0pzN4LePd3XiA4v12Axj',
  at: new Date(1_796_083_200_999),
  body: '{"type":"cod.confirmed","timestamp":"2026-12-01T00:00:00.000Z","data":{"confirmationId":"5f3b2a10-7c1d-4e8f-9a2b-0c1d2e3f4a5b","status":"confirmed","note":"à 18h — مساءً"}}',
}

test('signatures equal the known vectors of the scheme', () => {
  assert.equal(Buffer.byteLength(event.body), 180)
  assert.equal(sign(event, [K1])['webhook-signature'], SIGNED_BY_K1)
  assert.equal(sign(event, [K2])['webhook-signature'], SIGNED_BY_K2)
})

test('during a rotation both secrets sign, the new one first', () => {
  assert.equal(sign(event, [K2, K1])['webhook-signature'], `${SIGNED_BY_K2} ${SIGNED_BY_K1}`)
})

test('the timestamp is whole seconds of the attempt', () => {
  assert.equal(sign(event, [K1])['webhook-timestamp'], '1796083200')
})

test('the receivers’ library accepts our signatures with the new and previous secret', () => {
  const [secret, previous] = [newWebhookSecret(), newWebhookSecret()]
  const headers = sign({ ...event, at: new Date() }, [secret, previous])
  assert.deepEqual(new Webhook(secret).verify(event.body, headers), JSON.parse(event.body))
  assert.deepEqual(new Webhook(previous).verify(event.body, headers), JSON.parse(event.body))
  assert.throws(() => new Webhook(newWebhookSecret()).verify(event.body, headers))
  assert.throws(() => new Webhook(secret).verify(`${event.body} `, headers))
})
