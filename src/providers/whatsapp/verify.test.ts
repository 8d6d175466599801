import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { verify } from './verify.ts'

const account = { appSecret: 'app-secret' }
const NAME = 'x-hub-signature-256'
const sign = (raw: Buffer, secret = account.appSecret): string =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`

test('any bytes signed with the app secret are accepted', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const raw = Buffer.from(bytes)
      assert.ok(verify(account, raw, { [NAME]: sign(raw) }))
    }),
  )
})

test('bytes that differ in one place from the signed ones are rejected', () => {
  const raw = Buffer.from('{"text":"caf\\u00e9 \\/"}')
  const signature = sign(raw)
  for (let index = 0; index < raw.length; index += 1) {
    const other = Buffer.from(raw)
    other[index] = (other[index] ?? 0) ^ 1
    assert.ok(!verify(account, other, { [NAME]: signature }))
  }
})

test('a signature with another secret is rejected', () => {
  const raw = Buffer.from('{}')
  assert.ok(!verify(account, raw, { [NAME]: sign(raw, 'other') }))
})

test('a malformed header is rejected and never throws', () => {
  const raw = Buffer.from('{}')
  const right = sign(raw)
  const wrong = [
    undefined,
    '',
    'sha256=',
    right.slice(0, -1),
    `${right}0`,
    right.slice(7),
    `sha1=${right.slice(7)}`,
    `${right}, ${right}`,
    ` ${right}`,
    'sha256=é',
    `sha256=${'z'.repeat(64)}`,
  ]
  for (const header of wrong) assert.ok(!verify(account, raw, { [NAME]: header }), String(header))
  assert.ok(!verify(account, raw, { [NAME]: [right] }))
})

test('an account without an app secret accepts no signature', () => {
  const raw = Buffer.from('{}')
  assert.ok(!verify({ appSecret: '' }, raw, { [NAME]: sign(raw, '') }))
})
