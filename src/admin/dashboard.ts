import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { fromNodeHeaders } from 'better-auth/node'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SECOND_MS } from '../lib/clock.ts'
import { type Sql, openDb } from '../lib/db/pool.ts'
import { createExaminer } from '../operations/doctor/examiner.ts'
import type { Parts } from '../runtime/parts.ts'
import { AUTH_PATH, CLIENT_ADDRESS_HEADER } from './auth/auth.ts'
import { openSignIn } from './auth/sign-in.ts'
import { createExports } from './export/export.ts'
import { changesOf, createStreams } from './live.ts'
import { type Pages, serveDashboardPages } from './pages/pages.ts'
import { isKnownHost, isSameOrigin, unknownHost } from './pages/request-checks.ts'
import type { Person } from './auth/person.ts'
import { phoneEvents } from './phone/emulator.ts'
import { dashboardRouter } from './router.ts'
import type { Context } from './rpc/trpc.ts'
import { createUserConcurrency } from './rpc/user-concurrency.ts'

const CALLS_PATH = '/dashboard/calls'

/** Charts and searches have their own pool, so that they take no connections from sending messages. */
const FIGURES_POOL_SIZE = 3
const FIGURES_TIMEOUT_MS = 15_000
/** Below FIGURES_POOL_SIZE, so that one user's slow charts leave a connection to the others. */
const FIGURES_LIMITS = { maxRunning: 2, maxWaiting: 200 }
/** These calls use the main pool. A page makes a dozen calls, and a user may have many pages open. */
const CALL_LIMITS = { maxRunning: 6, maxWaiting: 200 }
/** The same number as in dashboard/api.ts. */
const MAX_BATCH = 10
/** Fits one batch of blocked recipients. */
const MAX_CALL_BYTES = 1024 * 1024
const MAX_SIGN_IN_BYTES = 16 * 1024

/** Returns the plugin with the dashboard's routes, which closes what it has opened. Request bodies must be buffers. */
export function openDashboard(parts: Parts, pages: Pages): (scope: FastifyInstance) => void {
  const { publicUrl } = parts.config
  const signIn = openSignIn(parts)
  const figures = openDb({
    url: parts.db.url,
    poolSize: FIGURES_POOL_SIZE,
    planEachTime: true,
    statementTimeoutMs: FIGURES_TIMEOUT_MS,
    watch: parts.metrics.watchPool('figures'),
    onIdleError: (error) => parts.log.warn({ err: error }, 'a database connection of the dashboard ended'),
  })
  const calls = createUserConcurrency(CALL_LIMITS)
  const queries = createUserConcurrency(FIGURES_LIMITS)
  const figuresOf = (userId = ''): Sql => ({
    rows: (...query) => queries(userId, () => figures.rows(...query)),
    row: (...query) => queries(userId, () => figures.row(...query)),
  })
  const doctor = createExaminer(parts)
  const contextOf = (person: Person | undefined, correlationId: string): Context => ({
    parts,
    figures: figuresOf(person?.userId),
    calls,
    person,
    doctor,
    correlationId,
  })
  const findViewer = async (request: FastifyRequest): Promise<Person | undefined> =>
    isSameOrigin(request, publicUrl) ? signIn.findViewer(headersOf(request)) : undefined
  const streams = createStreams({ ...parts, findViewer })
  const exports = createExports({ ...parts, findViewer, contextOf })

  /** A route of one of the libraries, for this dashboard's pages only. */
  const serveLibrary = (
    scope: FastifyInstance,
    path: string,
    { bodyLimit, answer }: { bodyLimit: number; answer: (request: Request, id: string) => Promise<Response> },
  ) =>
    scope.route({
      method: ['GET', 'POST'],
      url: `${path}/*`,
      bodyLimit,
      handler: async (request, reply) =>
        isSameOrigin(request, publicUrl)
          ? sendWhole(reply, await answer(toFetchRequest(request, publicUrl), request.id))
          : reply
              .code(403)
              .send({ code: 'OTHER_ORIGIN', message: 'Only pages of this dashboard may make this request.' }),
    })

  return (all) => {
    all.addHook('preClose', async () => {
      streams.end() // a closing server would wait for them forever
      exports.end()
    })
    all.addHook('onClose', async () => {
      await signIn.close()
      await figures.close()
    })
    all.register(async (scope) => {
      scope.addHook('onResponse', (request, reply, done) => {
        const { url: route } = request.routeOptions
        if (route !== undefined && !isStream(reply))
          parts.metrics.dashboardRequests.observe({ route, status: reply.statusCode }, reply.elapsedTime / SECOND_MS)
        done()
      })
      scope.addHook('onRequest', (request, reply, done) => {
        if (isKnownHost(request, parts.config)) done()
        else reply.code(403).send(unknownHost(request, parts.config))
      })
      serveLibrary(scope, AUTH_PATH, { bodyLimit: MAX_SIGN_IN_BYTES, answer: signIn.answer })
      serveLibrary(scope, CALLS_PATH, {
        bodyLimit: MAX_CALL_BYTES,
        async answer(req, correlationId) {
          const { person, cookies } = await signIn.findPerson(req.headers)
          const response = await fetchRequestHandler({
            endpoint: CALLS_PATH,
            req,
            router: dashboardRouter,
            maxBatchSize: MAX_BATCH,
            allowMethodOverride: true,
            createContext: () => contextOf(person, correlationId),
          })
          for (const cookie of cookies) response.headers.append('set-cookie', cookie)
          return response
        },
      })
      streams.serve(scope, changesOf(parts.live))
      streams.serve(scope, phoneEvents(parts.db))
      exports.serve(scope)
      serveDashboardPages(scope, pages)
    })
  }
}

/** It lasts as long as its page. */
const isStream = ({ raw }: FastifyReply): boolean =>
  String(raw.getHeader('content-type')).startsWith('text/event-stream')

/** Uses our public URL, because the host that the request names may be invalid. */
function toFetchRequest(request: FastifyRequest, publicUrl: string): Request {
  const { method } = request
  const body = request.body instanceof Buffer && request.body.length > 0 ? new Uint8Array(request.body) : null
  const url = `${publicUrl}${request.url.replace(/^https?:\/\/[^/]*/, '')}`
  return new Request(url, { method, headers: headersOf(request), body: method === 'GET' ? null : body })
}

/** A client cannot forge CLIENT_ADDRESS_HEADER: it is always overwritten. */
function headersOf(request: FastifyRequest): Headers {
  const headers = fromNodeHeaders(request.headers)
  headers.set(CLIENT_ADDRESS_HEADER, request.ip)
  return headers
}

/** Fastify sends the body of a Response in chunks, without its length. */
async function sendWhole(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  for (const [name, value] of response.headers) reply.header(name, value)
  return reply.code(response.status).send(Buffer.from(await response.arrayBuffer()))
}
