import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { z } from 'zod'
import { fileDatabase } from '../database/database.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { readConfig } from '../../src/lib/config.ts'
import { type Db, openDb } from '../../src/lib/db/pool.ts'
import { ApiError, apiErrors } from '../../src/lib/errors.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import type { Tracer } from '../../src/lib/tracing.ts'
import { asWritten } from '../../locales/text.ts'
import { createKey } from '../../src/workspaces/keys/keys.ts'
import { createWorkspace } from '../../src/workspaces/workspaces.ts'
import { boundedText, idempotencyHeaders, phone, uuid } from '../../src/lib/http/fields.ts'
import { noBody, noHeaders, noParams, noQuery, route } from '../../src/lib/http/route.ts'
import { type ServerOptions, buildServer } from '../../src/api/server.ts'

const body = z.strictObject({ id: z.string() })
const success = { status: 200, description: 'Done.', schema: body, example: { id: '' } } as const
const described = { tag: 'One-time codes', summary: 'A demo', description: 'A demo.', errors: [] } as const

/** Routes of every shape in the API. `fail` throws what it was given. */
const demoRoutes = (fail: () => unknown) => [
  route({
    ...described,
    method: 'POST',
    path: '/things/:id',
    operationId: 'putThing',
    schemas: {
      params: z.strictObject({ id: uuid }),
      query: noQuery,
      headers: idempotencyHeaders,
      body: z.strictObject({
        to: phone,
        name: boundedText(1, 5),
        nested: z.strictObject({ note: boundedText(0, 5) }).optional(),
      }),
    },
    success: { ...success, status: 202 },
    handler: async ({ params }) => params,
  }),
  route({
    ...described,
    method: 'GET',
    path: '/things/:id',
    operationId: 'getThing',
    schemas: { params: z.strictObject({ id: uuid }), query: noQuery, headers: noHeaders, body: noBody },
    success,
    handler: async ({ params }) => params,
  }),
  route({
    ...described,
    method: 'GET',
    path: '/lenient',
    operationId: 'getLenient',
    schemas: { params: noParams, query: noQuery, headers: noHeaders, body: z.strictObject({}).optional() },
    success,
    handler: async () => ({ id: 'lenient' }),
  }),
  route({
    ...described,
    method: 'GET',
    path: '/failing',
    operationId: 'getFailing',
    schemas: { params: noParams, query: noQuery, headers: noHeaders, body: noBody },
    success,
    handler: async () => Promise.reject(fail()),
  }),
]

export type Demo = Awaited<ReturnType<typeof startDemo>>

export type DemoOptions = ServerOptions & {
  fail?: () => unknown
  /** The server's database. */
  wrapDb?: (db: Db) => Db
  tracer?: Tracer
}

/** The HTTP server with demo routes on the file's database. Ends with the test. */
export async function startDemo(t: TestContext, { fail, wrapDb = (db) => db, tracer, ...options }: DemoOptions = {}) {
  const url = await fileDatabase()
  const db = openDb({ url, poolSize: 3 })
  const config = readConfig({
    DATABASE_URL: url,
    DOORCODE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    DOORCODE_RATE_LIMIT: 'memory',
    DOORCODE_PUBLIC_URL: 'https://doorcode.example',
  })
  const logLines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) })
  const routes = demoRoutes(fail ?? (() => new ApiError('NOT_FOUND', asWritten('No.'))))
  const parts = { config, db: wrapDb(db), clock: systemClock, log, metrics: createMetrics(), tracer }
  const app = buildServer(parts, routes, options)
  t.after(async () => {
    await app.close()
    await db.close()
  })
  const { workspaceId } = await createWorkspace(db, systemClock, { name: 'demo', sandbox: false })
  const newKey = async (): Promise<string> => {
    const { apiKey } = await createKey(db, systemClock, { workspaceId, name: 'demo' })
    return `Bearer ${apiKey}`
  }
  let uses = 0
  let authorization = await newKey()

  return {
    app,
    db,
    config,
    logLines,
    metrics: parts.metrics,
    workspaceId,
    newKey,
    inject: (options: InjectOptions): Promise<LightMyRequestResponse> => app.inject(options),
    /** A key below its rate limit. */
    async freshKey(): Promise<string> {
      uses += 1
      if (uses % 20 === 0) authorization = await newKey()
      return authorization
    },
    /** A port on which raw bytes can be sent. */
    async listen(): Promise<number> {
      await app.listen({ port: 0, host: '127.0.0.1' })
      const address = app.server.address()
      if (address === null || typeof address === 'string') throw new Error('the server has no port')
      return address.port
    },
  }
}

export const ID = '7a1f8e52-3c40-4b9e-9d11-5f6a7b8c9d0e'
export const THING = `/api/v1/things/${ID}`
export const GOOD = '{"to":"+33612345678","name":"abc"}'
export const JSON_TYPE = { 'content-type': 'application/json' }

export type Problem = {
  type: string
  code: string
  status: number
  instance: string
  correlationId: string
  errors?: { in: string; pointer: string; detail: string }[]
}

/** The members of every problem (docs/api.md#errors). */
export function assertProblem(response: LightMyRequestResponse, code: keyof typeof apiErrors): Problem {
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

/** Sends bytes on a new connection, and returns the whole response after the server has closed it. */
export async function sendRaw(
  demo: Demo,
  t: TestContext,
  bytes: string | Buffer,
  more?: 'nothing more',
): Promise<string> {
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

function portOf({ app }: Demo): number {
  const address = app.server.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}
