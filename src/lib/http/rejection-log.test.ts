import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { startDemo } from '../../../test/world/http-server.ts'
import { REJECTIONS_LOGGED_PER_SECOND, type RejectedRequest, createRejectionLog } from './rejection-log.ts'

const ID = '7a1f8e52-3c40-4b9e-9d11-5f6a7b8c9d0e'
const VALUE = 'v493817'
const KEY = { publicId: 'abcdefghijkl', workspaceId: ID }

type Line = Record<string, unknown>

/** Without the members that every line has. */
const read = (lines: readonly string[]): Line[] =>
  lines.map((line) => {
    const { time: _time, pid: _pid, hostname: _hostname, ...rest } = JSON.parse(line) as Line
    return rest
  })

const INFO = 30

test('a rejected request is one log line with its key and route', async (t) => {
  const demo = await startDemo(t)
  const authorization = await demo.newKey()
  const headers = { authorization, 'x-correlation-id': ID, 'content-type': 'application/json' }
  const payload = JSON.stringify({ to: VALUE, name: VALUE, [VALUE]: VALUE })
  const response = await demo.inject({ method: 'POST', url: `/api/v1/things/${VALUE}?${VALUE}=1`, headers, payload })
  assert.equal(response.statusCode, 422, response.body)
  assert.deepEqual(read(demo.logLines), [
    {
      level: INFO,
      correlationId: ID,
      error: 'DEVELOPER_INVALID_INPUT',
      status: 422,
      method: 'POST',
      path: '/api/v1/things/:id',
      apiKeyId: authorization.slice('Bearer dck_'.length, 'Bearer dck_'.length + 12),
      workspaceId: demo.workspaceId,
      msg: 'a request was rejected',
    },
  ])
})

test('without a valid key or route only the correlation id is logged', async (t) => {
  const demo = await startDemo(t)
  const good = await demo.newKey()
  const headers = { 'x-correlation-id': ID, cookie: VALUE }
  const wrongSecret = `${good.slice(0, -1)}${good.endsWith('A') ? 'E' : 'A'}`
  await demo.inject({ url: `/api/v1/things/${VALUE}`, headers: { ...headers, authorization: wrongSecret } })
  await demo.inject({ url: `/api/v1/${VALUE}?${VALUE}`, headers })
  await demo.inject({ method: 'POST', url: `/${VALUE}`, headers })
  const rejected = { level: INFO, correlationId: ID, msg: 'a request was rejected' }
  const noRoute = { ...rejected, error: 'NOT_FOUND', status: 404 }
  assert.deepEqual(read(demo.logLines), [
    { ...rejected, error: 'API_KEY_INVALID', status: 401, method: 'GET', path: '/api/v1/things/:id' },
    noRoute,
    noRoute,
  ])
})

/** A log whose seconds pass when the test moves them. */
function counted(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const rejections = createRejectionLog(log)
  const reject = (times: number, rejected: Partial<RejectedRequest> = {}): void => {
    for (let time = 0; time < times; time += 1) {
      rejections.write({ correlationId: ID, error: 'NOT_FOUND', ...rejected })
    }
  }
  const linesOf = (error: string): number => read(lines).filter((line) => line.error === error).length
  return { lines, reject, linesOf, close: () => rejections.close() }
}

test('a flood logs a limited number of lines a second and counts the rest', (t) => {
  const { lines, reject, linesOf } = counted(t)
  const { others } = REJECTIONS_LOGGED_PER_SECOND
  reject(others + 5)
  assert.equal(lines.length, others)
  t.mock.timers.tick(1_000)
  reject(1)
  assert.equal(linesOf('NOT_FOUND'), others + 1)
  assert.deepEqual(
    read(lines).flatMap(({ leftOut }) => leftOut ?? []),
    [5],
  )
})

test('a flood without valid keys does not hide the mistakes of clients', (t) => {
  const { reject, linesOf } = counted(t)
  const { keyed, others } = REJECTIONS_LOGGED_PER_SECOND
  reject(others, { error: 'API_KEY_INVALID' })
  reject(10, { error: 'RATE_LIMITED', key: KEY })
  reject(keyed + 1, { error: 'DEVELOPER_INVALID_INPUT', key: KEY })
  assert.deepEqual([linesOf('RATE_LIMITED'), linesOf('DEVELOPER_INVALID_INPUT')], [0, keyed])
})

test('a stopping server logs how many lines it dropped', (t) => {
  const { lines, reject, close } = counted(t)
  reject(REJECTIONS_LOGGED_PER_SECOND.others + 3)
  close()
  close()
  assert.deepEqual(
    read(lines).flatMap(({ leftOut }) => leftOut ?? []),
    [3],
  )
})
