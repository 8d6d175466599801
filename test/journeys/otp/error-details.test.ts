import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoAccount } from '@doorcode/whatsapp-emulator'
import { setQuota } from '../../../src/workspaces/quota.ts'
import { createKey } from '../../../src/workspaces/keys/keys.ts'
import { codAccount, confirmationPath } from '../../world/cod.ts'
import { type World, startWorld } from '../../world/world.ts'

const OTP = '/api/v1/otp/messages'
const MISSING_ID = '00000000-0000-4000-8000-000000000000'

type Fault = { in: string; pointer: string; detail: string }

const faultAt = (answer: { body: Record<string, unknown> }, pointer: string): string | undefined =>
  (answer.body.errors as Fault[] | undefined)?.find((fault) => fault.pointer === pointer)?.detail

const postOtp = (world: World, change: object) =>
  world.request('POST', OTP, { body: { ...world.otpBody(), ...change } })

test('a recipient as dialled at home is answered with the number to write', async (t) => {
  const world = await startWorld(t)
  const toFault = async (to: string) => faultAt(await postOtp(world, { to }), '/to')
  await world.codSettings({ timeZone: 'Asia/Kolkata' })
  assert.equal(
    await toFault('098765 43210'),
    'must be in international format: write +919876543210 if that is the number',
    'of the country of the delivery time zone',
  )
  await world.codSettings({ timeZone: 'Asia/Kuwait' })
  assert.equal(
    await toFault('55123456'),
    'must be in international format: begin with + and the country code, such as +965, without any leading 0',
    'numbers of Kuwait have none, and are too short to be repeated',
  )
  await world.codSettings()
  const meant = 'must be in international format: write +212661234567 if that is the number'
  for (const to of [
    '0661234567',
    '06 61 23-45.67',
    '00212661234567',
    '212661234567',
    '٠٦٦١٢٣٤٥٦٧',
    '\u202a0661234567\u202c',
  ])
    assert.equal(await toFault(to), meant, to)
})

test('a delivery time zone that many countries share suggests the number of no country', async (t) => {
  const world = await startWorld(t)
  for (const [timeZone, to] of [
    ['EET', '6912345678'],
    ['WET', '912345678'],
    ['CET', '0470123456'],
  ] as const) {
    await world.codSettings({ timeZone })
    const detail = faultAt(await postOtp(world, { to }), '/to') ?? ''
    assert.doesNotMatch(detail, /\+(?:30|351|32)/, timeZone)
  }
})

test('a digit too few or too many is answered with the number of digits', async (t) => {
  const world = await startWorld(t)
  const toFault = async (to: string) => faultAt(await postOtp(world, { to }), '/to')
  assert.equal(await toFault('+212661'), 'must have 9 digits after +212, not 3')
  assert.equal(await toFault('+212 (6) 61-23.45 678'), 'must have 9 digits after +212, not 10')
  assert.equal(await toFault('+٢١٢ ٦٦١'), 'must have 9 digits after +212, not 3')
  assert.equal(await toFault('+4912'), 'must have 4 to 15 digits after +49, not 2')
  assert.equal(await toFault('+999123456789'), 'must begin with + and the code of a country')
})

test('a text that may be a code in the wrong field is never repeated', async (t) => {
  const world = await startWorld(t, { cod: {} })
  for (const change of [
    { to: '493817' },
    { to: '00493817' },
    { to: '٤٩٣٨١٧' },
    { to: '0661234567', code: '+212661234567' },
    { to: '0661234567', code: undefined },
    { to: '0661234567', senderId: '4938170' },
    { to: 'A4938170' },
  ]) {
    const { status, text } = await postOtp(world, change)
    assert.equal(status, 422)
    assert.doesNotMatch(text, /4938170?|٤٩٣٨١٧|661234567/, JSON.stringify(change))
  }
  const other = await postOtp(world, { to: '0661234567', reference: 5 })
  assert.match(faultAt(other, '/to') ?? '', /\+212, without any leading 0/)
})

test('detail names a misspelt field, or else the first fault, and counts the others', async (t) => {
  const world = await startWorld(t)
  const detailOf = async (body: object) => (await world.request('POST', OTP, { body })).body.detail
  assert.equal(await detailOf({ ...world.otpBody(), code: undefined }), '/code is required.')
  assert.equal(
    await detailOf({ ...world.otpBody(), senderId: '+15550100101', code: undefined }),
    `/senderId must be a Sender ID, which is a UUID: the Senders page of the dashboard and the command “doorcode sender list” show it (and 1 more fault).`,
  )
  assert.match(String(await detailOf({})), /^\/to is required \(and 3 more faults\)\.$/)
  const { senderId, ...others } = world.otpBody()
  assert.equal(
    await detailOf({ ...others, sender_id: senderId, orderId: '5' }),
    '/sender_id is not a field of this request, but senderId is (and 2 more faults).',
  )
  const answers = [
    await world.request('GET', `${OTP}/x`),
    await world.request('GET', '/api/v1/events?limit=0'),
    await world.request('POST', OTP, { body: world.otpBody(), headers: { 'idempotency-key': 'x'.repeat(129) } }),
    await world.request('POST', OTP, { rawBody: '{' }),
  ]
  assert.deepEqual(
    answers.map(({ body }) => body.detail),
    [
      'messageId in the path must be a UUID.',
      'The query parameter limit must be a whole number from 1 to 100.',
      'The header idempotency-key must have at most 128 characters.',
      'The body must be valid JSON.',
    ],
  )
})

test('an unknown name that is too long to show is not confused with the whole body or query', async (t) => {
  const world = await startWorld(t)
  const nested = { [JSON.stringify({ ...world.otpBody(), reference: 'r'.repeat(128) })]: '' } // JSON that was sent as a form
  const answers = [
    await world.request('POST', OTP, { body: { ...world.otpBody(), ...nested } }),
    await world.request('GET', `/api/v1/events?${'x'.repeat(201)}=1`),
  ]
  assert.deepEqual(
    answers.map(({ body }) => body.detail),
    [
      'The body contains an unknown name that is too long to show.',
      'The query contains an unknown name that is too long to show.',
    ],
  )
})

test('a request with a body where none is expected is rejected with that reason', async (t) => {
  const world = await startWorld(t)
  const answer = await world.request('GET', `${OTP}/${MISSING_ID}`, { body: {} })
  assert.equal(faultAt(answer, ''), 'must be absent: this request takes no body')
})

test('a wrong method is answered with the methods of the path, in the detail and in Allow', async (t) => {
  const world = await startWorld(t)
  for (const [method, path, allow] of [
    ['GET', OTP, 'POST'],
    ['OPTIONS', OTP, 'POST'],
    ['DELETE', `${OTP}/${MISSING_ID}?x=1`, 'GET'],
    ['PUT', `/api/v1/cod-confirmations/${MISSING_ID}/refusal-check`, 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
  ] as const) {
    const { status, headers, body } = await world.request(method, path, { key: null })
    assert.deepEqual([status, headers.get('allow')], [404, allow], path)
    assert.equal(body.detail, `This path does not support ${method}. Use ${allow.replace(', ', ' or ')}.`)
  }
  // A slash too many: the methods of a path with an id would only mislead.
  for (const [method, path] of [
    ['GET', '/api/v1/nothing'],
    ['POST', `${OTP}/`],
    ['POST', '/api/v1/cod-confirmations/'],
  ] as const) {
    const { status, headers, body } = await world.request(method, path, { key: null })
    assert.deepEqual([status, headers.get('allow')], [404, null], path)
    assert.equal(body.detail, 'No route has this path and method.')
  }
})

test('the response to an expired key says when it expired, but only if the secret is right', async (t) => {
  const world = await startWorld(t)
  const expiresAt = new Date(world.clock.now().getTime() + 60_000)
  const { apiKey } = await createKey(world.parts.db, world.clock, {
    workspaceId: world.workspaceId,
    name: 'short',
    expiresAt,
  })
  world.advance('2m')
  const detailOf = async (key: string) => (await world.request('GET', `${OTP}/${MISSING_ID}`, { key })).body.detail
  assert.equal(await detailOf(apiKey), `This API key expired at ${expiresAt.toISOString()}. Create a new one.`)
  const wrong = apiKey.slice(0, -1) + (apiKey.endsWith('A') ? 'E' : 'A')
  assert.match(
    String(await detailOf(wrong)),
    /^The API key is unknown, .* Create one on the API keys page of the dashboard, or with “doorcode key create”\.$/,
  )
})

test('a missing sender or template is answered with what there is', async (t) => {
  const world = await startWorld(t)
  const detailOf = async (change: object) => String((await postOtp(world, change)).body.detail)
  assert.match(await detailOf({ senderId: MISSING_ID }), /Senders page .* “doorcode sender list”/)
  const template = { name: 'login_code', language: 'en' }
  assert.equal(
    await detailOf({ template }),
    'The sender’s account has the template login_code in ar, en_US, fr, but not in the language of the request.',
  )
  assert.equal(
    await detailOf({ template: { name: 'log_in_code', language: 'en_US' } }),
    'The sender’s account has no template with exactly this name and language. Its approved templates of the category AUTHENTICATION: login_code (ar, en_US, fr).',
  )
  const order = await world.request('POST', confirmationPath, { body: world.confirmationBody({ template }) })
  assert.match(String(order.body.detail), /category UTILITY: delivery_refusal \(en\), order_confirmation \(ar, en\)\.$/)
  assert.doesNotMatch(String(order.body.detail), /login_code/)
})

test('of many templates twelve are listed, and for a wrong language only those with the name', async (t) => {
  const code = demoAccount().templates?.find(({ name }) => name === 'login_code')
  assert.ok(code)
  const many = Array.from({ length: 30 }, (_, n) => ({ ...code, id: `9${n}`, name: `code_${100 + n}` }))
  const world = await startWorld(t, { account: { templates: [...many, code] } })
  const detailOf = async (name: string) =>
    String((await postOtp(world, { template: { name, language: 'xx' } })).body.detail)
  const [, listed = ''] = (await detailOf('log_in_code')).split('AUTHENTICATION: ')
  assert.match(listed, /^code_100 \(en_US\), .*, code_111 \(en_US\), and 19 more\.$/)
  assert.match(
    await detailOf('login_code'),
    /has the template login_code in en_US, but not in the language of the request\.$/,
  )
})

test('missing COD settings and languages are named', async (t) => {
  const french = demoAccount().templates?.find(
    ({ name, language }) => name === 'order_confirmation' && language === 'en',
  )
  assert.ok(french)
  const world = await startWorld(t, { account: codAccount({ ...french, id: '9', language: 'fr' }) })
  const ask = async (language: string) => {
    const body = world.confirmationBody({ template: { name: 'order_confirmation', language } })
    return (await world.request('POST', confirmationPath, { body })).body.detail
  }
  assert.match(String(await ask('en')), /^This workspace has no COD settings\. Set them on the COD settings page/)
  const { languages } = await world.codSettings()
  assert.deepEqual(Object.keys(languages).toSorted(), ['ar', 'en'])
  const answer = await ask('fr')
  assert.match(String(answer), /^The COD settings have texts for ar, en, but not for fr\. Add fr on /)
})

test('a used-up quota is named with its month, its units and its reset', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  await setQuota(world.parts.db, { workspaceId, kind: 'otp', monthlyUnits: 1 })
  await world.sendOtp()
  const month = Temporal.Instant.fromEpochMilliseconds(world.clock.now().getTime())
    .toZonedDateTimeISO('UTC')
    .toPlainDate()
    .toPlainYearMonth()
  const { body, headers } = await postOtp(world, {})
  assert.equal(
    body.detail,
    `The quota of one-time codes for ${month.toString()} (1) is used up. It resets on ${month.add({ months: 1 }).toString()}-01 at 00:00 UTC. An owner of the workspace can raise it.`,
  )
  assert.equal(headers.get('retry-after'), null)
})

test('a quota of zero promises no reset, because it stays zero', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const { workspaceId } = world
  for (const kind of ['otp', 'cod_confirmation'] as const)
    await setQuota(world.parts.db, { workspaceId, kind, monthlyUnits: 0 })
  const otp = await postOtp(world, {})
  const confirmation = await world.request('POST', confirmationPath, { body: world.confirmationBody() })
  assert.deepEqual(
    [otp, confirmation].map(({ body: { code, detail } }) => [code, detail]),
    [
      ['OTP_QUOTA_EXCEEDED', 'The monthly quota of one-time codes is 0. An owner of the workspace can raise it.'],
      ['COD_QUOTA_EXCEEDED', 'The monthly quota of confirmations is 0. An owner of the workspace can raise it.'],
    ],
  )
})
