import assert from 'node:assert/strict'
import { type Socket, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { startDemo } from '../../../test/world/http-server.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import { type BodyBudget, SLOW_BODY_MS, createBodyBudget } from './body-budget.ts'
import { isUuid } from '../ids.ts'

const SECRET = 'kx81vq'

test('a raw route gets the exact bytes of any type, up to its limit', async (t) => {
  const demo = await startDemo(t, {
    rawRoutes: (scope) => {
      scope.post<{ Body: Buffer | undefined }>('/hook', (request, reply) =>
        reply.type('text/plain').send(request.body ?? ''),
      )
      scope.post('/broken', () => Promise.reject(new Error(SECRET)))
    },
  })
  const bytes = Buffer.from('{"a": 1,\r\n "\xff":2}', 'latin1')
  for (const type of ['application/json', 'text/plain', 'x/y']) {
    const response = await demo.inject({
      method: 'POST',
      url: '/hook',
      headers: { 'content-type': type },
      payload: bytes,
    })
    assert.deepEqual(response.rawPayload, bytes)
    assert.ok(isUuid(String(response.headers['x-correlation-id'])))
  }
  const tooLarge = await demo.inject({
    method: 'POST',
    url: '/hook',
    headers: { 'content-type': 'application/json' },
    payload: Buffer.alloc(3 * 1024 * 1024 + 1),
  })
  assert.equal(tooLarge.statusCode, 413)
  const broken = await demo.inject({ method: 'POST', url: '/broken', payload: 'x' })
  assert.equal(broken.statusCode, 500)
  assert.equal(
    [broken.body, ...demo.logLines].some((text) => text.includes(SECRET)),
    false,
  )
})

/** A server whose raw route returns the size of the body. For the body "wait" it waits for `release`. */
async function startHook(t: TestContext, bodyBudget: BodyBudget) {
  const sockets: Socket[] = []
  t.after(() => sockets.forEach((socket) => socket.destroy())) // first: a server that closes waits for bodies
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const demo = await startDemo(t, {
    bodyBudget,
    rawRoutes: (scope) => {
      scope.post<{ Body: Buffer }>('/hook', async ({ body }, reply) => {
        if (body.equals(Buffer.from('wait'))) await released
        return reply.type('text/plain').send(String(body.length))
      })
    },
  })
  const port = await demo.listen()
  const open = (length: number, first: Buffer | string) => {
    const body = openBody(port, { length, first })
    sockets.push(body.socket)
    return body
  }
  return { demo, release, open }
}

/** Sends the beginning of a body on a new connection. */
function openBody(port: number, { length, first }: { length: number; first: Buffer | string }) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString()
  })
  socket.write(`POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`)
  socket.write(first)
  return {
    socket,
    send: (bytes: Buffer | string) => void socket.write(bytes),
    response: () => waitFor('a response', () => /\r\n\r\n./.test(received) && received),
  }
}

/** A body budget that shows how much is reserved, with a clock that the test moves. */
function observeBudget(maxBytes: number) {
  let now = 0
  let reserved = 0
  const budget = createBodyBudget({ maxBytes, monotonicMs: () => now })
  const observed: BodyBudget = {
    open(evict) {
      const reservation = budget.open(evict)
      let own = 0
      return {
        grow(bytes) {
          const isGranted = reservation.grow(bytes)
          if (isGranted) [own, reserved] = [own + bytes, reserved + bytes]
          return isGranted
        },
        complete: () => reservation.complete(),
        release() {
          reservation.release()
          ;[own, reserved] = [0, reserved - own]
        },
      }
    },
  }
  /** Or up to twice as many bytes and one block more. */
  const waitUntilReserved = (bytes: number) =>
    waitFor(
      () => `${bytes} bytes to be reserved rather than ${reserved}`,
      () => reserved >= bytes && reserved <= (bytes && 2 * bytes + 4 * KIB),
    )
  return { budget: observed, waitUntilReserved, wait: (ms: number) => void (now += ms) }
}

const KIB = 1024

test('bodies over the memory limit get 503 with Retry-After', async (t) => {
  const { budget, waitUntilReserved } = observeBudget(100 * KIB)
  const { demo, open } = await startHook(t, budget)
  const first = open(100_001, Buffer.alloc(60 * KIB))
  await waitUntilReserved(60 * KIB) // only what arrived is reserved, whatever the header announced
  const second = open(60 * KIB, Buffer.alloc(60 * KIB))
  const rejected = await second.response()
  assert.match(rejected, /^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n[^]*\r\n\r\nunavailable$/)
  first.send(Buffer.alloc(100_001 - 60 * KIB))
  assert.match(await first.response(), /^HTTP\/1\.1 200 [^]*\r\n\r\n100001$/)
  await waitUntilReserved(0)
  assert.equal(demo.logLines.filter((line) => line.includes('webhook bodies were rejected')).length, 1)
})

test('an unfinished body is evicted for the next one, and evicts no other', async (t) => {
  const { budget, waitUntilReserved, wait } = observeBudget(100 * KIB)
  const { open } = await startHook(t, budget)
  const slow = open(90 * KIB, Buffer.alloc(60 * KIB))
  await waitUntilReserved(60 * KIB)
  wait(SLOW_BODY_MS)
  const next = open(60 * KIB, Buffer.alloc(60 * KIB))
  assert.match(await next.response(), /^HTTP\/1\.1 200 /)
  assert.match(await slow.response(), /^HTTP\/1\.1 503 /)
  await waitUntilReserved(0)
})

test('a body holds its memory until it is answered or its connection ends', async (t) => {
  const { budget, waitUntilReserved } = observeBudget(100 * KIB)
  const { open, release } = await startHook(t, budget)
  const waiting = open(4, 'wait')
  await waitUntilReserved(4)
  const cut = open(90 * KIB, Buffer.alloc(60 * KIB))
  await waitUntilReserved(60 * KIB + 4)
  cut.socket.destroy()
  await waitUntilReserved(4)
  release()
  assert.match(await waiting.response(), /\r\n\r\n4$/)
  await waitUntilReserved(0)
})

test('a body sent byte by byte arrives whole, in at most twice its size', async (t) => {
  const { budget, waitUntilReserved } = observeBudget(100 * KIB)
  const { open } = await startHook(t, budget)
  const bytes = Buffer.alloc(10_000, 'x')
  const chunked = `POST /hook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
  const { send, response } = open(0, '')
  await response()
  send(chunked + '1\r\nx\r\n'.repeat(bytes.length))
  await waitUntilReserved(bytes.length)
  send('0\r\n\r\n')
  await waitFor('the second response', async () => (await response()).endsWith('\r\n10000'))
})
