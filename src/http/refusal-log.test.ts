import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { pino } from 'pino'
import { startDemo } from './demo-for-tests.ts'
import { REFUSALS_LOGGED_PER_SECOND, type RefusedRequest, refusalLog } from './refusal-log.ts'

const ID = '7a1f8e52-3c40-4b9e-9d11-5f6a7b8c9d0e'
const VALUE = 'v493817'
const KEY = { publicId: 'abcdefghijkl', workspaceId: ID }

type Line = Record<string, unknown>

/** Without what every line has. */
const read = (lines: readonly string[]): Line[] =>
  lines.map((line) => {
    const { time: _time, pid: _pid, hostname: _hostname, ...rest } = JSON.parse(line) as Line
    return rest
  })

const INFO = 30

test('a refused request is one line of the log that says whose it was and which route it met', async (t) => {
  const demo = await startDemo(t)
  const authorization = await demo.newKey()
  const headers = { authorization, 'x-correlation-id': ID, 'content-type': 'application/json' }
  const payload = JSON.stringify({ to: VALUE, name: VALUE, [VALUE]: VALUE })
  const answer = await demo.ask({ method: 'POST', url: `/api/v1/things/${VALUE}?${VALUE}=1`, headers, payload })
  assert.equal(answer.statusCode, 422, answer.body)
  assert.deepEqual(read(demo.logLines), [
    {
      level: INFO,
      correlationId: ID,
      refusal: 'DEVELOPER_INVALID_INPUT',
      status: 422,
      method: 'POST',
      path: '/api/v1/things/:id',
      apiKeyId: authorization.slice('Bearer dck_'.length, 'Bearer dck_'.length + 12),
      workspaceId: demo.workspaceId,
      msg: 'a request was refused',
    },
  ])
})

test('of a request without a good key, or without a route, the log repeats nothing but the correlation id', async (t) => {
  const demo = await startDemo(t)
  const good = await demo.newKey()
  const headers = { 'x-correlation-id': ID, cookie: VALUE }
  const wrongSecret = `${good.slice(0, -1)}${good.endsWith('A') ? 'E' : 'A'}`
  await demo.ask({ url: `/api/v1/things/${VALUE}`, headers: { ...headers, authorization: wrongSecret } })
  await demo.ask({ url: `/api/v1/${VALUE}?${VALUE}`, headers })
  await demo.ask({ method: 'POST', url: `/${VALUE}`, headers })
  const refused = { level: INFO, correlationId: ID, msg: 'a request was refused' }
  const noRoute = { ...refused, refusal: 'NOT_FOUND', status: 404 }
  assert.deepEqual(read(demo.logLines), [
    { ...refused, refusal: 'API_KEY_INVALID', status: 401, method: 'GET', path: '/api/v1/things/:id' },
    noRoute,
    noRoute,
  ])
})

test('what is no HTTP at all is in the log under the id that was answered', async (t) => {
  const demo = await startDemo(t)
  const port = await demo.listen()
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(`${VALUE}\r\n\r\n`))
    let text = ''
    socket
      .on('data', (bytes) => (text += String(bytes)))
      .on('end', () => resolve(text))
      .on('error', reject)
  })
  const [, correlationId] = /^x-correlation-id: (.+)\r$/m.exec(answer) ?? assert.fail(answer)
  assert.deepEqual(read(demo.logLines), [
    { level: INFO, correlationId, refusal: 'DEVELOPER_INVALID_INPUT', status: 422, msg: 'a request was refused' },
  ])
})

/** A log over a clock that the test moves. */
function counted() {
  const lines: string[] = []
  const clock = { ms: 0 }
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const told = refusalLog(log, () => clock.ms)
  const refuse = (times: number, refused: Partial<RefusedRequest> = {}): void => {
    for (let time = 0; time < times; time += 1) {
      told.tell({ correlationId: ID, refusal: 'NOT_FOUND', ...refused })
    }
  }
  const linesOf = (refusal: string): number => read(lines).filter((line) => line.refusal === refusal).length
  return { lines, clock, refuse, linesOf, close: () => told.close() }
}

test('a flood of refusals costs a limited number of lines a second, and what was left out is counted', () => {
  const { lines, clock, refuse, linesOf } = counted()
  const { others } = REFUSALS_LOGGED_PER_SECOND
  refuse(others + 5)
  assert.equal(lines.length, others)
  clock.ms = 1_000
  refuse(1)
  assert.equal(linesOf('NOT_FOUND'), others + 1)
  assert.deepEqual(
    read(lines).flatMap(({ leftOut }) => leftOut ?? []),
    [5],
  )
})

test('what strangers and keys over their rate do leaves room for what a caller’s program does wrong', () => {
  const { refuse, linesOf } = counted()
  const { keyed, others } = REFUSALS_LOGGED_PER_SECOND
  refuse(others, { refusal: 'API_KEY_INVALID' })
  refuse(10, { refusal: 'RATE_LIMITED', key: KEY })
  refuse(keyed + 1, { refusal: 'DEVELOPER_INVALID_INPUT', key: KEY })
  assert.deepEqual([linesOf('RATE_LIMITED'), linesOf('DEVELOPER_INVALID_INPUT')], [0, keyed])
})

test('a server that stops tells how many refusals its log left out', () => {
  const { lines, refuse, close } = counted()
  refuse(REFUSALS_LOGGED_PER_SECOND.others + 3)
  close()
  close()
  assert.deepEqual(
    read(lines).flatMap(({ leftOut }) => leftOut ?? []),
    [3],
  )
})
