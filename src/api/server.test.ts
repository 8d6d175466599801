import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { anyText } from '../../test/faults/any-text.ts'
import type { LightMyRequestResponse } from 'fastify'
import { fileDatabase } from '../../test/database/database.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import { openDb } from '../lib/db/pool.ts'
import { ApiError, apiErrors } from '../lib/errors.ts'
import { fixedDetail } from '../lib/http/problem.ts'
import { isUuid } from '../lib/ids.ts'
import { type Demo, startDemo } from '../../test/world/http-server.ts'

const ID = '7a1f8e52-3c40-4b9e-9d11-5f6a7b8c9d0e'
const THING = `/api/v1/things/${ID}`
const GOOD = '{"to":"+33612345678","name":"abc"}'
const JSON_TYPE = { 'content-type': 'application/json' }

type Problem = {
  type: string
  code: string
  status: number
  instance: string
  correlationId: string
  errors?: { in: string; pointer: string; detail: string }[]
}

/** The members of every problem (docs/api.md#errors). */
function assertProblem(response: LightMyRequestResponse, code: keyof typeof apiErrors): Problem {
  const problem = response.json<Problem>()
  assert.equal(problem.code, code, response.body)
  assert.equal(response.statusCode, apiErrors[code].status)
  assert.equal(response.headers['content-type'], 'application/problem+json')
  assert.equal(response.headers['cache-control'], 'no-store')
  assert.equal(response.headers['x-correlation-id'], problem.correlationId)
  assert.equal(response.headers['retry-after'], code === 'RATE_LIMITED' ? '1' : undefined)
  assert.equal(response.headers['www-authenticate'], apiErrors[code].status === 401 ? 'Bearer' : undefined)
  assert.equal(problem.instance, `urn:uuid:${problem.correlationId}`)
  assert.equal(problem.type, `https://doorcode.example/problems/${code}`)
  assert.equal(problem.status, response.statusCode)
  assert.equal(code === 'DEVELOPER_INVALID_INPUT', problem.errors !== undefined)
  return problem
}

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
    assert.match(detail, DETAILS_OF_KEY[name] ?? /^The API key is unknown, incomplete, revoked or expired\.$/, name)
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
  assert.equal(large.headers.connection, undefined)
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
  'a byte order mark': { payload: `\u{feff}${GOOD}`, places: ['body '] },
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

test('a draining node closes each connection after its next response', async (t) => {
  let draining = false
  const demo = await startDemo(t, { isDraining: () => draining })
  const connections = async (): Promise<unknown[]> =>
    Promise.all(
      ['/healthz', '/api/v1/otp/messages', '/no-such-route'].map(
        async (url) => (await demo.inject({ url })).headers.connection,
      ),
    )
  assert.deepEqual(await connections(), ['keep-alive', 'keep-alive', 'keep-alive'])
  draining = true
  assert.deepEqual(await connections(), ['close', 'close', 'close'])
})

test('a stopping server finishes open requests but waits for no idle connection', {
  timeout: 60_000,
}, async (t) => {
  const [began, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const demo = await startDemo(t, {
    rawRoutes: (scope) => {
      scope.post('/slow', async () => {
        began.resolve()
        await goesOn.promise
        return 'answered'
      })
    },
  })
  await demo.listen()
  const slow = sendRaw(demo, t, 'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')
  const others = ['', 'GET / HT', 'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc']
  const waiting = others.map((bytes) => sendRaw(demo, t, bytes))
  await began.promise
  await waitFor('all connections to be there', async () => (await connectionsOf(demo)) === 1 + others.length)
  const stopped = demo.app.close()
  // The kernel may reset a connection whose bytes the server has not read.
  await Promise.allSettled(waiting).finally(() => goesOn.resolve())
  assert.match(await slow, /^HTTP\/1\.1 200 .*answered$/s)
  await stopped
})

/** Sends bytes on a new connection, and returns the whole response after the server has closed it. */
async function sendRaw(demo: Demo, t: TestContext, bytes: string | Buffer, more?: 'nothing more'): Promise<string> {
  const port = demo.app.server.listening ? portOf(demo) : await demo.listen()
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString()
  })
  if (more) socket.end(bytes)
  else socket.write(bytes)
  await once(socket, 'close')
  return received
}

const connectionsOf = ({ app }: Demo): Promise<number> => promisify(app.server.getConnections.bind(app.server))()

function portOf({ app }: Demo): number {
  const address = app.server.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}

test('bytes that are not a complete HTTP request get a problem', async (t) => {
  const demo = await startDemo(t)
  const authorization = `Authorization: ${await demo.newKey()}\r\n`
  const post = `POST ${THING} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${authorization}`
  const odd: Record<string, string | Buffer> = {
    'no HTTP': 'hello\r\n\r\n',
    'an unknown method': 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n',
    'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'headers without end': `GET / HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`,
    'a NUL in a header': 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n',
    'letters beyond ASCII in the path': Buffer.from('GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1'),
    'a header without a colon': 'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n',
    'two lengths': `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    'length and chunks': `${post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'a broken chunk': `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  }
  for (const [name, bytes] of Object.entries(odd)) {
    const response = await sendRaw(demo, t, bytes)
    assert.match(response, /^HTTP\/1\.1 422 /, `${name}: ${response}`)
    const [, id = ''] =
      /\r\nx-correlation-id: ([0-9a-f-]{36})\r\ncache-control: no-store\r\n/.exec(response) ?? assert.fail(response)
    assert.match(response, /"code":"DEVELOPER_INVALID_INPUT"/)
    assert.ok(demo.logLines.at(-1)?.includes(id), 'the log has its correlation id')
  }
  const cutOff = await sendRaw(demo, t, `${post}Content-Length: 99\r\n\r\n${GOOD}`, 'nothing more')
  assert.match(cutOff, /^HTTP\/1\.1 422 /)
})

test('rare but valid HTTP is served like any other request', async (t) => {
  const demo = await startDemo(t)
  const key = `Authorization: ${await demo.newKey()}\r\nConnection: close\r\n`
  const served: Record<string, [bytes: string, status: number]> = {
    'no host': [`GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n`, 200],
    'HTTP/1.0': ['GET /healthz HTTP/1.0\r\n\r\n', 200],
    'chunks and a trailer': [
      `POST ${THING} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${key}\r\n${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\nA: b\r\n\r\n`,
      202,
    ],
  }
  for (const [name, [bytes, status]] of Object.entries(served)) {
    const response = await sendRaw(demo, t, bytes)
    assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `), `${name}: ${response}`)
    assert.match(response, /\r\nx-correlation-id: [0-9a-f-]{36}\r\n/i, name)
  }
})

test('an idempotency key is measured in characters, sent as UTF-8 or Latin-1', async (t) => {
  const demo = await startDemo(t)
  const post = async (key: Buffer): Promise<string> => {
    const head = `POST ${THING} HTTP/1.1\r\nHost: x\r\nAuthorization: ${await demo.freshKey()}\r\nContent-Type: application/json\r\n`
    const rest = `Connection: close\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}`
    return sendRaw(demo, t, Buffer.concat([Buffer.from(`${head}Idempotency-Key: `), key, Buffer.from(`\r\n${rest}`)]))
  }
  for (const letter of ['é', 'ط', '😀']) {
    assert.match(await post(Buffer.from(letter.repeat(128))), /^HTTP\/1\.1 202 /, letter)
    assert.match(await post(Buffer.from(letter.repeat(129))), /^HTTP\/1\.1 422 [^]*idempotency-key/, letter)
  }
  assert.match(await post(Buffer.from('é'.repeat(128), 'latin1')), /^HTTP\/1\.1 202 /)
  assert.match(await post(Buffer.from('é'.repeat(129), 'latin1')), /^HTTP\/1\.1 422 /)
})

test('a repeated header that may occur only once is rejected', async (t) => {
  const demo = await startDemo(t)
  const authorization = `Authorization: ${await demo.newKey()}\r\n`
  const type = 'Content-Type: application/json\r\n'
  const twice = {
    'idempotency-key': 'Idempotency-Key: a\r\nidempotency-key: a\r\n',
    authorization,
    'content-type': type,
    host: 'Host: x\r\n',
  }
  for (const [name, header] of Object.entries(twice)) {
    const response = await sendRaw(
      demo,
      t,
      `POST ${THING} HTTP/1.1\r\nHost: x\r\n${authorization}${type}${header}Connection: close\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}`,
    )
    assert.match(response, /^HTTP\/1\.1 422 /)
    assert.ok(response.includes(`{"in":"header","pointer":"/${name}","detail":"must not be repeated"}`), response)
  }
})

test('garbage after a valid request does not lose that request’s response', async (t) => {
  const demo = await startDemo(t)
  const response = await sendRaw(
    demo,
    t,
    `POST ${THING} HTTP/1.1\r\nHost: x\r\nAuthorization: ${await demo.newKey()}\r\nContent-Type: application/json\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}rubbish\r\n\r\n`,
  )
  assert.deepEqual(response.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 202', 'HTTP/1.1 422'])
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
