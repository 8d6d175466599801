import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { pipeline } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { forReader } from './reader.ts'

/** A server that answers with the parts, and how each of its answers ended. */
async function startServer(t: TestContext, parts: () => AsyncIterable<string>, readersTimeMs: number) {
  const answers: ServerResponse[] = []
  const server = createServer((_request, response) => {
    answers.push(response)
    pipeline(forReader(parts(), response, readersTimeMs), response, () => {}) // as Fastify sends a stream
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => (server.closeAllConnections(), server.close()))
  const address = server.address()
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, answers, server }
}

async function* endless() {
  for (;;) yield 'x'.repeat(1_000_000)
}

test('a reader that takes nothing is cut off', async (t) => {
  const { port, answers, server } = await startServer(t, endless, 100)
  const reader = connect(port, '127.0.0.1').pause()
  t.after(() => reader.destroy())
  reader.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(server, 'request')
  const [answer] = answers
  if (answer && !answer.closed) await once(answer, 'close')
  assert.deepEqual([answer?.destroyed, answer?.writableFinished], [true, false])
})

test('a reader that takes a little now and then is cut off too', async (t) => {
  const { port, answers, server } = await startServer(t, endless, 100)
  const reader = connect(port, '127.0.0.1').pause()
  const trickle = setInterval(() => reader.read(100), 10)
  t.after(() => (clearInterval(trickle), reader.destroy()))
  reader.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(server, 'request')
  const [answer] = answers
  if (answer && !answer.closed) await once(answer, 'close')
  assert.equal(answer?.writableFinished, false)
})

test('over HTTP/1.0, which nginx speaks by default, a file that is cut short does not look complete', async (t) => {
  async function* failing() {
    yield 'a,b\n'
    await new Promise(setImmediate)
    throw new Error('the person signed out')
  }
  const { port } = await startServer(t, failing, 10_000)
  const reader = connect(port, '127.0.0.1').resume()
  reader.write('GET / HTTP/1.0\r\n\r\n')
  await assert.rejects(once(reader, 'end'), { code: 'ECONNRESET' })
})

test('a reader that takes its file gets every byte, even of characters that are split between pieces', async (t) => {
  const text = `a${'é😀ق'.repeat(20_000)}`
  const { port } = await startServer(
    t,
    async function* () {
      yield text
      yield ''
      yield text
    },
    10,
  )
  assert.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), text + text)
})

test('the time that a part takes to make does not count against the reader', async (t) => {
  let ticks = 0
  async function* slow() {
    yield 'first'
    await new Promise<void>((done) => {
      const timer = setInterval(() => {
        ticks += 1
        if (ticks < 20) return
        clearInterval(timer)
        done()
      }, 10)
    })
    yield 'last'
  }
  const { port } = await startServer(t, slow, 20)
  assert.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), 'firstlast')
  assert.equal(ticks, 20)
})
