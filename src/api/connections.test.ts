import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import type { Tracer } from '../lib/tracing.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import { type Demo, GOOD, THING, sendRaw, startDemo } from '../../test/world/http-server.ts'

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

const connectionsOf = ({ app }: Demo): Promise<number> => promisify(app.server.getConnections.bind(app.server))()

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
    'an unknown expectation': [`GET /healthz HTTP/1.1\r\nExpect: foo\r\n${key}\r\n`, 200],
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

test('a connection without a request ends without a response', async (t) => {
  const demo = await startDemo(t)
  demo.app.server.headersTimeout = 1 // checked every 5 s
  assert.equal(await sendRaw(demo, t, ''), '')
  assert.match(await sendRaw(demo, t, 'GET / HT'), /^HTTP\/1\.1 422 /)
  assert.equal(demo.logLines.filter((line) => line.includes('a request was rejected')).length, 1)
})

test('an idle connection stays open longer than a proxy keeps it, so that no request meets its end', async (t) => {
  const { app } = await startDemo(t)
  const kept = { nginx: 60, 'Amazon’s balancers': 60, Traefik: 90, Caddy: 120, 'Google’s balancers': 600, Envoy: 3_600 }
  for (const [proxy, seconds] of Object.entries(kept))
    assert.ok(app.server.keepAliveTimeout > seconds * SECOND_MS, proxy)
})

test('a rejection waits for the rest of the body, or closes the connection', async (t) => {
  const demo = await startDemo(t, {
    rawRoutes: (scope) => {
      scope.post('/raw', { onRequest: async (_request, reply) => reply.code(401).send('not signed') }, async () => '')
    },
  })
  const port = await demo.listen()
  const rest = 'x'.repeat(100_000)
  for (const [path, status] of Object.entries({ [THING]: 401, '/no-such-route': 404, '/%zz': 422, '/raw': 401 })) {
    const open = (connection = '') => {
      const socket = connect(port, '127.0.0.1')
      t.after(() => socket.destroy())
      const received: string[] = []
      socket.on('data', (chunk) => received.push(chunk.toString()))
      const length = `Content-Length: ${rest.length + 1}\r\n`
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${length}${connection}\r\nx`)
      const statuses = () =>
        received
          .join('')
          .match(/(?<=HTTP\/1\.1 )\d+/g)
          ?.map(Number) ?? []
      return { socket, received, statuses }
    }
    const [whole, closing, cut] = [open(), open('Connection: close\r\n'), open()]
    const end = once(closing.socket, 'end') // an error, such as ECONNRESET, throws
    closing.socket.write(rest)
    whole.socket.write(`${rest}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`)
    await end
    assert.deepEqual(closing.statuses(), [status], path)
    await waitFor('both responses', () => whole.statuses().length === 2)
    assert.deepEqual(whole.statuses(), [status, 200], path)
    await waitFor('the response', () => cut.statuses().length > 0)
    assert.deepEqual(cut.statuses(), [status], path)
    assert.match(cut.received.join(''), /\r\nConnection: close\r\n/i, path)
  }
})

test('the time and the span of a rejection end when it is decided, not when the rest of its body has come', async (t) => {
  let spanEndedAt = 0
  const end = () => {
    spanEndedAt = performance.now()
  }
  const tracer: Tracer = { start: () => ({ traceparent: '', end }), drop: () => {}, close: async () => {} }
  const demo = await startDemo(t, { tracer })
  const port = await demo.listen()
  const now = performance.now.bind(performance)
  const startedAt = now()
  let aheadMs = 0
  t.mock.method(performance, 'now', () => now() + aheadMs)
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.write(`POST ${THING} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nx`)
  await waitFor('the rejection', () => demo.logLines.some((line) => line.includes('a request was rejected')))
  aheadMs = 10 * MINUTE_MS
  socket.write('x')
  await once(socket, 'data')
  const { values } = await demo.metrics.requests.get()
  const sum = values.find(({ metricName }) => metricName?.endsWith('_sum'))?.value ?? assert.fail('no request counted')
  assert.ok(sum < aheadMs / SECOND_MS, `${sum} s`)
  assert.ok(startedAt < spanEndedAt && spanEndedAt < startedAt + aheadMs, `${spanEndedAt} ms`)
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
