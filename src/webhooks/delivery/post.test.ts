import assert from 'node:assert/strict'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import https from 'node:https'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import tls from 'node:tls'
import { inEnglish } from '../../../locales/resources.ts'
import { asWritten } from '../../../locales/text.ts'
import { certificate } from '../../../test/world/certificate.ts'
import { listen } from '../../../test/world/listen.ts'
import { Interrupted, type Outgoing, failureReason, post, webhookAgent } from './post.ts'

const NEVER = new AbortController().signal
const SHORT_MS = 40
/** Long enough for an answer on a busy machine. */
const ENOUGH_MS = 1_000

async function startServer(t: TestContext, answer: (response: ServerResponse) => void, scheme = 'http') {
  let connections = 0
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    request.resume()
    answer(response)
  }
  if (scheme === 'https') trustCertificate(t)
  const server = scheme === 'https' ? https.createServer(certificate, handle) : createServer(handle)
  server.on('connection', () => (connections += 1))
  const agent = webhookAgent({ allowPrivate: true })
  t.after(() => agent.destroy())
  const url = `${scheme}://${await listen(t, server)}/`
  return {
    agent,
    url,
    connections: () => connections,
    send: (outgoing: Partial<Outgoing> = {}, stop = NEVER) =>
      post(agent, { url, headers: {}, body: '{}', ...outgoing }, stop),
  }
}

function trustCertificate(t: TestContext): void {
  const trusted = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...trusted, certificate.cert])
  t.after(() => tls.setDefaultCACertificates(trusted))
}

test('a receiver that never answers times out', async (t) => {
  const server = await startServer(t, () => undefined)
  const { httpStatus, error } = await server.send({ timeoutMs: SHORT_MS })
  assert.deepEqual({ httpStatus, error }, { httpStatus: null, error: { code: 'webhooks.took_too_long', seconds: 15 } })
})

test('a 200 with an endless body succeeds without waiting longer', async (t) => {
  const server = await startServer(t, (response) => response.writeHead(200).write('started'))
  const { httpStatus, response } = await server.send({ timeoutMs: ENOUGH_MS })
  assert.deepEqual({ httpStatus, response }, { httpStatus: 200, response: 'started' })
})

for (const informational of [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 102 Processing\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n',
])
  test(`the answer counts that follows ${informational.replace(/\r\n[^]*/, '')} (${informational.length} bytes)`, async (t) => {
    const server = await startServer(t, (response) => {
      response.socket?.write(informational)
      response.writeHead(202).end('taken')
    })
    for (let each = 0; each < 2; each += 1) {
      const { httpStatus, response } = await server.send()
      assert.deepEqual({ httpStatus, response }, { httpStatus: 202, response: 'taken' })
    }
  })

test('an answer that switches protocols is a failure', async (t) => {
  const server = await startServer(t, (response) => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
  })
  const { httpStatus, error } = await server.send()
  assert.equal(httpStatus, null)
  assert.deepEqual(error, { code: 'webhooks.network_econnreset' })
})

test('headers above the limit are a failure with a reason', async (t) => {
  const server = await startServer(t, (response) => response.writeHead(200, { long: 'x'.repeat(100_000) }).end())
  const { httpStatus, error } = await server.send()
  assert.deepEqual(
    { httpStatus, error },
    { httpStatus: null, error: { code: 'webhooks.network_und_err_headers_overflow' } },
  )
})

test('only the first bytes of an endless body are read', async (t) => {
  const server = await startServer(t, (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1_000)));
      response.once('drain', more)
    }
    more()
  })
  const { httpStatus, response } = await server.send()
  assert.equal(httpStatus, 200)
  assert.equal(response, 'x'.repeat(2_048))
})

test('a character that the limit cuts in two is left out', async (t) => {
  const server = await startServer(t, (response) => response.end('é'.repeat(2_000).replace('é', 'e')))
  assert.equal((await server.send()).response, `e${'é'.repeat(1_023)}`)
})

test('invalid UTF-8 becomes text that can be stored', async (t) => {
  const server = await startServer(t, (response) => response.end(Buffer.from([0x61, 0xff, 0x00, 0xed, 0xa0, 0x80])))
  const { response } = await server.send()
  assert.equal(response?.startsWith('a\uFFFD\uFFFD'), true)
  assert.equal(response?.isWellFormed(), true)
})

test('an interrupted attempt is not a failure', async (t) => {
  const server = await startServer(t, () => undefined)
  const stop = new AbortController()
  const attempt = server.send({}, stop.signal)
  stop.abort()
  await assert.rejects(attempt, Interrupted)
  await assert.rejects(server.send({}, stop.signal), Interrupted)
})

test('connections are reused for the next events', async (t) => {
  const server = await startServer(t, (response) => response.writeHead(204).end())
  for (let each = 0; each < 20; each += 1) await server.send()
  assert.ok(server.connections() <= 2, 'one may not be free again when the next event comes')
})

/** A receiver that closes connections without an answer, after the given number of answers on each. */
async function startClosingServer(t: TestContext, answersEach: number, scheme?: string) {
  const answers = new WeakMap<object, number>()
  let requests = 0
  const server = await startServer(
    t,
    (response) => {
      requests += 1
      const { socket } = response
      const before = (socket && answers.get(socket)) ?? 0
      if (!socket || before === answersEach) return void socket?.destroy()
      answers.set(socket, before + 1)
      response.writeHead(204).end()
    },
    scheme,
  )
  return { ...server, requests: () => requests }
}

for (const scheme of ['http', 'https'])
  test(`an event is sent again immediately if the receiver closed the kept connection (${scheme})`, async (t) => {
    const server = await startClosingServer(t, 1, scheme)
    for (let each = 0; each < 2; each += 1) {
      assert.equal((await server.send()).httpStatus, 204)
      await setImmediate() // the connection is free again
    }
    assert.equal(server.requests(), 3, 'the second event was sent on the kept connection and on a new one')
  })

test('a new connection goes to the port of the scheme, as a kept one does', async (t) => {
  const agent = webhookAgent({ allowPrivate: true })
  t.after(() => agent.destroy())
  for (const scheme of ['http', 'https']) {
    const request = agent.request(new URL(`${scheme}://127.0.0.1/`), {}, { onNewConnection: true })
    request.on('error', () => undefined).destroy()
    assert.equal(request.getHeader('host'), '127.0.0.1', scheme) // with any other port it names that
  }
})

test('an event on a new connection that the receiver closes is sent once', async (t) => {
  const server = await startClosingServer(t, 0)
  const { httpStatus, error } = await server.send()
  assert.deepEqual({ httpStatus, error }, { httpStatus: null, error: { code: 'webhooks.network_econnreset' } })
  assert.equal(server.requests(), 1)
})

test('a receiver that prefers HTTP/2 gets its webhooks by HTTP/1.1', async (t) => {
  trustCertificate(t)
  const server = createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => {
    request.resume()
    response.end(request.httpVersion)
  })
  const url = `https://${await listen(t, server)}/`
  const agent = webhookAgent({ allowPrivate: true })
  t.after(() => agent.destroy())
  const { httpStatus, response } = await post(agent, { url, headers: {}, body: '{}' }, NEVER)
  assert.deepEqual({ httpStatus, response }, { httpStatus: 200, response: '1.1' })
})

test('a TLS error is its reason, without an address in memory', async (t) => {
  const { send, url } = await startServer(t, (response) => response.end())
  const { error } = await send({ url: url.replace('http:', 'https:') })
  assert.deepEqual(error, asWritten('ERR_SSL_WRONG_VERSION_NUMBER wrong version number'))
})

test('each network error has its own text', async () => {
  const agent = webhookAgent({ allowPrivate: false, resolve: async () => [{ address: '10.0.0.1', family: 4 }] })
  const outgoing = { headers: {}, body: '{}' }
  const hidden = await post(agent, { ...outgoing, url: 'https://inside.example/' }, NEVER)
  assert.deepEqual([hidden.error, hidden.hiddenAddress], [{ code: 'webhooks.post_not_public' }, '10.0.0.1'])
  const open = webhookAgent({ allowPrivate: true })
  const closed = await post(open, { ...outgoing, url: 'http://127.0.0.1:1/' }, NEVER)
  assert.deepEqual(closed.error, { code: 'webhooks.network_econnrefused' })
  agent.destroy()
  open.destroy()
})

test('an endpoint of plain HTTP gets nothing once only HTTPS is allowed', async (t) => {
  const agent = webhookAgent({ allowPrivate: false, resolve: async () => [{ address: '93.184.216.34', family: 4 }] })
  t.after(() => agent.destroy())
  const { error } = await post(agent, { url: 'http://shop.example/', headers: {}, body: '{}', timeoutMs: 1_000 }, NEVER)
  assert.deepEqual(error, { code: 'webhooks.not_https' })
})

test('a certificate of an authority that is not trusted is explained, with and without its chain', () => {
  // a private authority’s certificate alone, with an intermediate one, and with the root
  for (const code of [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'SELF_SIGNED_CERT_IN_CHAIN',
  ]) {
    const text = inEnglish(failureReason(Object.assign(new Error('openssl'), { code })))
    assert.equal(text, 'The certificate chain is incomplete, or its certificate authority is not trusted here.', code)
  }
})
