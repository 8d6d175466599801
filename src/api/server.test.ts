import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyText } from '../../test/faults/any-text.ts'
import { fileDatabase } from '../../test/database/database.ts'
import { openDb } from '../lib/db/pool.ts'
import { ApiError } from '../lib/errors.ts'
import { fixedDetail } from '../lib/http/problem.ts'
import { isUuid } from '../lib/ids.ts'
import {
  GOOD,
  ID,
  JSON_TYPE,
  type Problem,
  THING,
  assertProblem,
  sendRaw,
  startDemo,
} from '../../test/world/http-server.ts'

const placesOf = (problem: Problem): string[] => (problem.errors ?? []).map((fault) => `${fault.in} ${fault.pointer}`)

test('every response forbids type sniffing and, at an https address, http', async (t) => {
  const demo = await startDemo(t, { rawRoutes: (scope) => void scope.get('/raw', () => 'raw') })
  const authorization = await demo.newKey()
  for (const url of ['/', '/docs', '/openapi.json', '/problems/none', '/healthz', '/readyz', '/nope', '/raw', THING]) {
    const { headers } = await demo.inject({ url, headers: { authorization } })
    assert.deepEqual(
      [headers['x-content-type-options'], headers['strict-transport-security']],
      ['nosniff', 'max-age=31536000'],
      url,
    )
  }
  const response = await sendRaw(demo, t, 'hello\r\n\r\n')
  assert.match(response, /\r\nx-content-type-options: nosniff\r\nstrict-transport-security: max-age=31536000\r\n/)
})

test('an unknown route is answered 404 before any other check', async (t) => {
  const demo = await startDemo(t)
  for (const url of ['/api/v1/nope', '/api/v1', '/api/v1/things', `${THING}/`, `${THING}/x`, '/API/v1/lenient']) {
    assertProblem(
      await demo.inject({ method: 'POST', url, headers: { 'content-type': 'x' }, payload: '{' }),
      'NOT_FOUND',
    )
  }
})

test('a path with broken percent-encoding is invalid input', async (t) => {
  const demo = await startDemo(t)
  for (const url of ['/api/v1/things/%zz', '/%c0%af']) {
    const problem = assertProblem(await demo.inject({ url }), 'DEVELOPER_INVALID_INPUT')
    assert.deepEqual(placesOf(problem), ['path '])
  }
})

const NO_HEADER = /^The request has no Authorization header\. /
const MALFORMED = /^The Authorization header must be "Bearer <API key>"\.$/
const DETAILS_OF_KEY: Readonly<Record<string, RegExp>> = {
  none: NO_HEADER,
  empty: NO_HEADER,
  'another scheme': MALFORMED,
  'no scheme': MALFORMED,
  'two keys': MALFORMED,
}

test('without a valid key the response reveals nothing about the input', async (t) => {
  const demo = await startDemo(t)
  const good = await demo.newKey()
  const bad = {
    none: undefined,
    empty: '',
    'another scheme': good.replace('Bearer', 'Basic'),
    'no scheme': good.slice('Bearer '.length),
    'cut off': good.slice(0, -1),
    longer: `${good}x`,
    'a wrong secret': `${good.slice(0, -43)}${'A'.repeat(43)}`,
    'an unknown key': `Bearer dck_aaaaaaaaaaaa_${'A'.repeat(43)}`,
    'very long': `Bearer ${'x'.repeat(10_000)}`,
    'two keys': `${good}, ${good}`,
  }
  for (const [name, authorization] of Object.entries(bad)) {
    const headers = { ...JSON_TYPE, ...(authorization !== undefined && { authorization }) }
    const response = await demo.inject({ method: 'POST', url: '/api/v1/things/x?x=1', headers, payload: '{' })
    assertProblem(response, 'API_KEY_INVALID')
    assert.equal(response.body.includes('AAAA'), false, name)
    const { detail } = response.json<{ detail: string }>()
    assert.match(
      detail,
      DETAILS_OF_KEY[name] ??
        /^The API key is unknown, incomplete, revoked or expired\. Create one on the API keys page of the dashboard, or with “doorcode key create”\.$/,
      name,
    )
  }
  const lowerCase = await demo.inject({ url: THING, headers: { authorization: good.replace('Bearer', 'bearer') } })
  assert.equal(lowerCase.statusCode, 200)
})

test('every fault of path, query, headers and body is listed in one response', async (t) => {
  const demo = await startDemo(t)
  const response = await demo.inject({
    method: 'POST',
    url: '/api/v1/things/x?page=1&%zz',
    headers: { authorization: await demo.newKey(), ...JSON_TYPE, 'idempotency-key': 'k'.repeat(129) },
    payload: '{"to":5,"nested":{"note":"123456","~a/b":1},"extra":1}',
  })
  assert.deepEqual(placesOf(assertProblem(response, 'DEVELOPER_INVALID_INPUT')).sort(), [
    'body /extra',
    'body /name',
    'body /nested/note',
    'body /nested/~0a~1b',
    'body /to',
    'header /idempotency-key',
    'path /id',
    'query /%zz',
    'query /page',
  ])
  const large = await demo.inject({
    method: 'POST',
    url: '/api/v1/things/x',
    headers: { authorization: await demo.newKey(), ...JSON_TYPE },
    payload: GOOD.padEnd(65_537),
  })
  assert.deepEqual(placesOf(assertProblem(large, 'DEVELOPER_INVALID_INPUT')).sort(), ['body ', 'path /id'])
})

const VALUE = 'kx81vq'

const ODD_BODIES: Record<
  string,
  { payload?: string | Buffer; type?: string; headers?: Record<string, string>; places: string[] }
> = {
  'no body': { places: ['body '] },
  'no body and no type': { type: '', places: ['body ', 'header /content-type'] },
  'cut off': { payload: `{"name":"${VALUE}`, places: ['body '] },
  'two values': { payload: `${GOOD}${GOOD}`, places: ['body '] },
  'not UTF-8': { payload: Buffer.from('{"name":"\xff"}', 'latin1'), places: ['body '] },
  'a raw NUL': { payload: '{"name":"a\0b"}', places: ['body '] },
  null: { payload: 'null', places: ['body '] },
  'an array': { payload: `["${VALUE}"]`, places: ['body '] },
  'a string': { payload: `"${VALUE}"`, places: ['body '] },
  'a number': { payload: '1e400', places: ['body '] },
  'an escaped NUL': { payload: '{"to":"+33612345678","name":"a\\u0000"}', places: ['body /name'] },
  'half a surrogate pair': { payload: '{"to":"+33612345678","name":"a\\ud83d"}', places: ['body /name'] },
  'half a pair in a field name': { payload: `${GOOD.slice(0, -1)},"\\ud83d":1}`, places: ['body ', 'body /\u{fffd}'] },
  'six code points': { payload: '{"to":"+33612345678","name":"😀😀😀😀😀😀"}', places: ['body /name'] },
  __proto__: { payload: `${GOOD.slice(0, -1)},"__proto__":{"name":"${VALUE}"}}`, places: ['body /__proto__'] },
  'inherited names': {
    payload: `${GOOD.slice(0, -1)},"constructor":1,"toString":1}`,
    places: ['body /constructor', 'body /toString'],
  },
  'null for what may be left out': { payload: `${GOOD.slice(0, -1)},"nested":null}`, places: ['body /nested'] },
  'text around the number': { payload: '{"to":"call +33612345678","name":"a"}', places: ['body /to'] },
  'plain text': { payload: GOOD, type: 'text/plain', places: ['header /content-type'] },
  'no type': { payload: GOOD, type: '', places: ['header /content-type'] },
  'a malformed type': { payload: GOOD, type: 'json', places: ['header /content-type'] },
  'a longer type': { payload: GOOD, type: 'application/jsonp', places: ['header /content-type'] },
  'an endless type': { payload: GOOD, type: `application/json;${'a'.repeat(300)}`, places: ['header /content-type'] },
  'a compressed body': { payload: GOOD, headers: { 'content-encoding': 'gzip' }, places: ['header /content-encoding'] },
  'one byte too many': { payload: GOOD.padEnd(65_537), places: ['body '] },
  'a deep nest': { payload: '['.repeat(30_000) + ']'.repeat(30_000), places: ['body '] },
  'a deep nest with an escape': { payload: `${'{"a":'.repeat(9_000)}"\\u0000"${'}'.repeat(9_000)}`, places: [] },
}

for (const [name, { payload, type = 'application/json', headers, places }] of Object.entries(ODD_BODIES)) {
  test(`an invalid body is rejected by place, without its content: ${name}`, async (t) => {
    const demo = await startDemo(t)
    const response = await demo.inject({
      method: 'POST',
      url: THING,
      headers: { authorization: await demo.newKey(), ...(type && { 'content-type': type }), ...headers },
      ...(payload !== undefined && { payload }),
    })
    const problem = assertProblem(response, 'DEVELOPER_INVALID_INPUT')
    if (places.length > 0) assert.deepEqual(placesOf(problem).sort(), places)
    assert.equal(response.body.includes(VALUE), false)
  })
}

test('unusual but valid input is accepted', async (t) => {
  const demo = await startDemo(t)
  const right: { payload?: string; type?: string; url?: string; headers?: Record<string, string> }[] = [
    { type: 'application/json; charset=utf-8' },
    { type: 'Application/JSON;charset=latin1' },
    { type: 'application/json\t;\tcharset=utf-8' },
    { headers: { 'content-encoding': 'Identity' } },
    { payload: GOOD.padEnd(65_536) },
    { payload: '{"to":" +33 6 12 34 56 78\\n","name":"😀😀😀😀😀"}' },
    { url: THING.toUpperCase().replace('/API/V1/THINGS', '/api/v1/things') },
    { url: `${THING}?` },
    { headers: { 'idempotency-key': '' } },
    { headers: { 'idempotency-key': 'k'.repeat(128) } },
    { headers: { 'x-correlation-id': 'nonsense' } },
  ]
  for (const { payload = GOOD, type = 'application/json', url = THING, headers } of right) {
    const sent = { authorization: await demo.freshKey(), 'content-type': type, ...headers }
    const response = await demo.inject({ method: 'POST', url, headers: sent, payload })
    assert.equal(response.statusCode, 202, response.body)
    assert.deepEqual(response.json(), { id: ID })
  }
})

test('a GET takes no body, or an empty object where the route allows it', async (t) => {
  const demo = await startDemo(t)
  const get = async (url: string, payload?: string) =>
    demo.inject({
      method: 'GET',
      url,
      headers: { authorization: await demo.freshKey(), ...JSON_TYPE },
      ...(payload !== undefined && { payload }),
    })
  assert.equal((await get(THING)).statusCode, 200)
  assert.equal((await get('/api/v1/lenient')).statusCode, 200)
  assert.equal((await get('/api/v1/lenient', '{}')).statusCode, 200)
  for (const response of [
    await get(THING, '{}'),
    await get('/api/v1/lenient', '[]'),
    await get('/api/v1/lenient', '{"a":1}'),
    await get('/api/v1/lenient', 'x'),
  ]) {
    assertProblem(response, 'DEVELOPER_INVALID_INPUT')
  }
})

test('a UUID-shaped correlation id is returned unchanged, anything else is replaced', async (t) => {
  const demo = await startDemo(t)
  const idOf = async (header: string) =>
    (await demo.inject({ url: '/nope', headers: { 'x-correlation-id': header } })).headers['x-correlation-id']
  assert.equal(await idOf('ABCDEF01-0000-0000-0000-00000000000f'), 'ABCDEF01-0000-0000-0000-00000000000f')
  for (const odd of ['', 'x', `${ID} `.repeat(2), `{${ID}}`, ID.replaceAll('-', '')]) {
    const id = await idOf(odd)
    assert.ok(isUuid(String(id)) && id !== odd)
  }
})

test('an internal error is logged by correlation id, and its message appears nowhere', async (t) => {
  const demo = await startDemo(t, { fail: () => new TypeError(`cannot read "${VALUE}"`, { cause: new Error(VALUE) }) })
  const headers = { authorization: await demo.newKey(), 'x-correlation-id': ID }
  const response = await demo.inject({ url: '/api/v1/failing', headers })
  assertProblem(response, 'INTERNAL_ERROR')
  const line = demo.logLines.find((each) => each.includes(ID)) ?? assert.fail('nothing was logged')
  assert.match(line, /TypeError/)
  assert.match(line, /http-server\.ts/)
  assert.equal(
    [response.body, ...demo.logLines].some((text) => text.includes(VALUE)),
    false,
  )
})

test('only the log learns why the service is unavailable', async (t) => {
  const demo = await startDemo(t, { fail: () => new ApiError('SERVICE_UNAVAILABLE', { code: 'secrets.key_changed' }) })
  const response = await demo.inject({ url: '/api/v1/failing', headers: { authorization: await demo.newKey() } })
  assertProblem(response, 'SERVICE_UNAVAILABLE')
  assert.equal(response.json<{ detail: string }>().detail, fixedDetail('SERVICE_UNAVAILABLE'))
  const lines = demo.logLines.filter((each) => each.includes('DOORCODE_SECRET_KEY'))
  assert.equal(lines.length, 1)
  assert.match(lines.join(''), /"outage":true/) // counts towards the limit of lines about outages
})

test('while the database is unreachable, an uncached key is answered 503', async (t) => {
  const nowhere = openDb({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1 })
  t.after(() => nowhere.close())
  const demo = await startDemo(t, { wrapDb: () => nowhere })
  assertProblem(
    await demo.inject({ url: THING, headers: { authorization: await demo.newKey() } }),
    'SERVICE_UNAVAILABLE',
  )
  assert.equal((await demo.inject({ url: '/readyz' })).statusCode, 503)
  assert.equal((await demo.inject({ url: '/healthz' })).statusCode, 200)
})

test('a probe by HEAD has the status of GET and no body', async (t) => {
  let isDraining = false
  const demo = await startDemo(t, { isDraining: () => isDraining })
  const probe = async (url: string) => {
    const { statusCode, body } = await demo.inject({ method: 'HEAD', url })
    return [statusCode, body]
  }
  for (const url of ['/healthz', '/readyz']) assert.deepEqual(await probe(url), [200, ''], url)
  isDraining = true
  assert.deepEqual(await probe('/readyz'), [503, ''])
})

test('a node whose database became read-only reports it at /readyz', async (t) => {
  const url = new URL(await fileDatabase())
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const readOnly = openDb({ url: url.href, poolSize: 1 })
  t.after(() => readOnly.close())
  const demo = await startDemo(t, { wrapDb: () => readOnly })
  const response = await demo.inject({ url: '/readyz' })
  assert.deepEqual([response.statusCode, response.json()], [503, { status: 'database read-only' }])
})

test('a draining node reports it at /readyz', async (t) => {
  let draining = false
  const demo = await startDemo(t, { isDraining: () => draining })
  assert.equal((await demo.inject({ url: '/readyz' })).statusCode, 200)
  draining = true
  assert.equal((await demo.inject({ url: '/readyz' })).statusCode, 503)
})

const DOCUMENTED = new Set([200, 202, 401, 404, 422])

test('arbitrary JSON, headers and paths get only documented responses', async (t) => {
  const demo = await startDemo(t)
  const text = fc.oneof(fc.string(), anyText, fc.constantFrom('', '__proto__', '\0', '\ud800', '%', '%2f', '..'))
  const member = fc.oneof(fc.constantFrom('to', 'name', 'nested', 'note'), text)
  const json = fc.oneof(fc.jsonValue(), fc.dictionary(member, fc.oneof(text, fc.jsonValue())))
  const payload = fc.oneof(
    json.map((value) => JSON.stringify(value)),
    text,
    fc.constant(GOOD),
  )
  const id = fc.oneof(
    fc.constant(ID),
    text.map((each) => encodeURIComponent(each.toWellFormed())),
    fc.stringMatching(/^[!-~]{0,40}$/),
  )
  const path = fc
    .oneof(
      id.map((each) => `/api/v1/things/${each}`),
      fc.stringMatching(/^\/[!-~]{0,60}$/),
    )
    .filter((url) => URL.canParse(url, 'http://localhost')) // what inject can send
  const headerText = fc.stringMatching(/^[ -~\u00a0-\u00ff]{0,140}$/)
  const headers = fc.record(
    {
      'content-type': fc.oneof(fc.constant('application/json'), headerText),
      'idempotency-key': headerText,
      'x-correlation-id': headerText,
      'content-encoding': fc.constantFrom('identity', 'gzip'),
    },
    { requiredKeys: [] },
  )
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'HEAD' as const)
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      headers,
      fc.option(payload),
      fc.boolean(),
      async (method, url, headers, payload, keyed) => {
        const response = await demo.inject({
          method,
          url,
          headers: { ...headers, ...(keyed && { authorization: await demo.freshKey() }) },
          ...(payload !== null && { payload }),
        })
        assert.ok(DOCUMENTED.has(response.statusCode), `${method} ${url}: ${response.statusCode} ${response.body}`)
        assert.ok(isUuid(String(response.headers['x-correlation-id'])))
        assert.equal(response.headers['cache-control'], 'no-store')
        if (response.statusCode === 422 && method !== 'HEAD')
          assert.ok((response.json<Problem>().errors ?? []).length > 0, response.body)
      },
    ),
    { numRuns: 200 },
  )
  assert.deepEqual(
    demo.logLines.filter((line) => /"level":[456]0/.test(line)),
    [],
  )
})
