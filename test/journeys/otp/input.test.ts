import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPhone, startWorld } from '../../world/world.ts'

type InputFault = { in: string; pointer: string; detail: string }

const POST = '/api/v1/otp/messages'
const faultsOf = (answer: { body: Record<string, unknown> }): string[] =>
  ((answer.body.errors ?? []) as InputFault[]).map((fault) => `${fault.in} ${fault.pointer}`).sort()

test('every fault of a request is listed with its place', async (t) => {
  const world = await startWorld(t)
  const answer = await world.request('POST', `${POST}?verbose=1&verbose=2`, {
    headers: { 'idempotency-key': 'x'.repeat(129) },
    body: {
      to: 'nobody',
      senderId: 'no-uuid',
      template: { name: '', components: [] },
      code: '12-34',
      reference: 'r'.repeat(129),
      priority: 'high',
    },
  })
  assert.equal(answer.status, 422)
  assert.deepEqual(faultsOf(answer), [
    'body /code',
    'body /priority',
    'body /reference',
    'body /senderId',
    'body /template/components',
    'body /template/language',
    'body /template/name',
    'body /to',
    'header /idempotency-key',
    'query /verbose',
  ])
})

test('each field has its exact documented limits', async (t) => {
  const world = await startWorld(t)
  const body = world.otpBody()
  const status = async (change: object) => (await world.request('POST', POST, { body: { ...body, ...change } })).status
  const long = '😀'.repeat(128)
  for (const good of [
    { code: 'a' },
    { code: 'Z'.repeat(15) },
    { code: '0'.repeat(15) },
    { reference: '' },
    { reference: long },
    { reference: '"\\/\b\u{1F600}مرحبا' },
    { senderId: world.senderId.toUpperCase() },
    { to: ` ${newPhone()}\n` },
  ]) {
    assert.equal(await status(good), 202, JSON.stringify(good))
  }
  for (const bad of [
    { code: '' },
    { code: 'Z'.repeat(16) },
    { code: '12 34' },
    { code: '١٢٣٤' },
    { code: 'ａ' },
    { code: '1234\n' },
    { code: 1234 },
    { code: null },
    { reference: `${long}x` },
    { reference: null },
    { reference: 1 },
    { reference: 'a\0b' },
    { reference: '\ud800' },
    { senderId: '' },
    { senderId: `{${world.senderId}}` },
    { senderId: world.senderId.replaceAll('-', '') },
    { senderId: `${world.senderId} ` },
    { template: null },
    { template: [] },
    { template: 'login_code' },
    { template: { name: 'login_code' } },
    { template: { name: 'login_code', language: '' } },
    { template: { name: 'login_code', language: 'en_US', namespace: 'x' } },
  ]) {
    assert.equal(await status(bad), 422, JSON.stringify(bad))
  }
  for (const name of ['to', 'senderId', 'template', 'code']) {
    const { [name]: _, ...rest } = body as Record<string, unknown>
    const answer = await world.request('POST', POST, { body: rest })
    assert.deepEqual([answer.status, faultsOf(answer)], [422, [`body /${name}`]])
  }
})

test('a phone number must be international and complete, without other text', async (t) => {
  const world = await startWorld(t)
  const post = async (to: unknown) => (await world.request('POST', POST, { body: { ...world.otpBody(), to } })).status
  for (const good of [
    '+212612345678',
    '+1 (631) 555-0100',
    '+34600111222',
    '+5511987654321',
    '+447400123456',
    '+96599887766',
  ]) {
    assert.equal(await post(good), 202, good)
  }
  for (const bad of [
    '',
    ' ',
    '+',
    '212612345678',
    '00212612345678',
    '0612345678',
    '+2126123456',
    '+212612345678901234',
    '+212612345678 ext. 12',
    '+212612345678;ext=5',
    'tel:+212612345678',
    'call +212612345678',
    '+212612345678 or +212612345679',
    '+999123456789',
    '+1-800-FLOWERS',
    42,
    null,
    [],
  ]) {
    assert.equal(await post(bad), 422, JSON.stringify(bad))
  }
})

test('a body must be a JSON object of the documented type and size', async (t) => {
  const world = await startWorld(t)
  const good = JSON.stringify(world.otpBody())
  const cases: Record<string, { rawBody?: string | Buffer; headers?: Record<string, string> }> = {
    nothing: {},
    'an empty body': { rawBody: '' },
    'half of it': { rawBody: good.slice(0, 20) },
    'an array': { rawBody: `[${good}]` },
    'a string': { rawBody: '"x"' },
    null: { rawBody: 'null' },
    'two objects': { rawBody: good + good },
    'bytes that are no UTF-8': {
      rawBody: Buffer.concat([Buffer.from('{"to":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')]),
    },
    'more than 64 KiB': { rawBody: JSON.stringify({ reference: 'x'.repeat(70_000) }) },
    'more than 64 KiB of blanks': { rawBody: good + ' '.repeat(70_000) },
    'deep nesting': { rawBody: '['.repeat(30_000) + ']'.repeat(30_000) },
    'a form': { rawBody: 'to=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    'plain text': { rawBody: good, headers: { 'content-type': 'text/plain' } },
    'a type that only begins alike': { rawBody: good, headers: { 'content-type': 'application/json-patch+json' } },
    'a compressed body': { rawBody: good, headers: { 'content-encoding': 'gzip' } },
  }
  for (const [what, request] of Object.entries(cases)) {
    const answer = await world.request('POST', POST, request)
    assert.deepEqual([what, answer.status, answer.body.code], [what, 422, 'DEVELOPER_INVALID_INPUT'])
  }
  const charset = { rawBody: good, headers: { 'content-type': 'application/json; charset=utf-8' } }
  assert.equal((await world.request('POST', POST, charset)).status, 202)
})

test('a repeated JSON member is refused or read as JSON does', async (t) => {
  const world = await startWorld(t)
  const good = JSON.stringify(world.otpBody())
  for (const member of ['"__proto__":{"a":1}', '"constructor":1', '"toString":1']) {
    const answer = await world.request('POST', POST, { rawBody: good.replace('{', `{${member},`) })
    assert.equal(answer.status, 422, member)
  }
})

test('a GET accepts neither body nor query', async (t) => {
  const world = await startWorld(t)
  const path = `${POST}/${(await world.sendOtp()).messageId}`
  assert.equal((await world.request('GET', path)).status, 200)
  const json = { 'content-type': 'application/json' }
  assert.equal((await world.request('GET', path, { rawBody: '{}', headers: json })).status, 422)
  assert.equal((await world.request('GET', path, { rawBody: 'x', headers: json })).status, 422)
  assert.equal((await world.request('GET', `${path}?`)).status, 200, 'an empty query is none')
  assert.equal((await world.request('GET', `${path}?x`)).status, 422)
  assert.equal((await world.request('GET', `${POST}/no-uuid`)).status, 422)
  assert.equal((await world.request('GET', `${POST}/%zz`)).status, 422)
  assert.equal((await world.request('GET', `${POST}/${'a'.repeat(1_000)}`)).status, 422)
})

test('an unknown path or method is not found, with or without a key', async (t) => {
  const world = await startWorld(t)
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['POST', '/'],
    ['GET', '/api/v1'],
    ['GET', '/api/v2/otp/messages'],
    ['GET', POST],
    ['DELETE', POST],
    ['PUT', `${POST}/00000000-0000-4000-8000-000000000000`],
    ['POST', `${POST}/`],
    ['GET', '/api/v1/otp//messages'],
    ['OPTIONS', POST],
  ] as const) {
    for (const key of [null, undefined]) {
      const answer = await world.request(method, path, key === null ? { key } : {})
      assert.deepEqual([method, path, answer.status, answer.body.code], [method, path, 404, 'NOT_FOUND'])
    }
  }
})

test('a key must be complete and sent as a bearer token', async (t) => {
  const world = await startWorld(t)
  const key = await world.freshKey()
  const path = `${POST}/00000000-0000-4000-8000-000000000000`
  const status = async (authorization: string) =>
    (await world.request('GET', path, { key: null, headers: { authorization } })).status
  assert.equal(await status(`Bearer ${key}`), 404)
  for (const wrong of [
    '',
    key,
    `Basic ${key}`,
    `Bearer`,
    `Bearer ${key} x`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key}A`,
    `Bearer ${key.toUpperCase()}`,
    `Bearer dck_aaaaaaaaaaaa_${key.slice(17)}`,
    `Bearer ${'x'.repeat(4_000)}`,
  ]) {
    assert.equal(await status(wrong), 401, wrong)
  }
})
