import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import packageJson from '../../package.json' with { type: 'json' }
import Fastify, { type FastifyInstance } from 'fastify'
import { isDatabaseUnavailable } from '../db.ts'
import { Refusal } from '../errors.ts'
import { isUuid } from '../ids.ts'
import type { Parts } from '../parts.ts'
import { asWritten } from '../sentences.ts'
import { openKeyRing } from '../workspaces/keys.ts'
import { type Answer, commonHeaders, sendAnswer } from './answer.ts'
import { serveApi } from './api.ts'
import { type BodyRoom, bodyRoom } from './body-room.ts'
import { details } from './details.ts'
import { faultOfOurs } from './fault-of-ours.ts'
import { documentedEvents } from './documented-events.ts'
import { describeApi } from './openapi.ts'
import { servePages } from './pages.ts'
import { serveProbes } from './probes.ts'
import { problems } from './problem.ts'
import { limitInDatabase, limitInMemory } from './rate-limit.ts'
import { RAW_BODY_BYTES_MOST, serveRaw } from './raw.ts'
import { type RefusedOf, refusalLog } from './refusal-log.ts'
import type { Route } from './route.ts'
import { answerInProgress, stopWithoutWaiting } from './stopping.ts'

export type ServerParts = Pick<Parts, 'config' | 'db' | 'clock' | 'log' | 'metrics'>

export type ServerOptions = {
  /** The node is about to stop: /readyz sends traffic elsewhere while what is under way ends. */
  isDraining?: () => boolean
  /** Among the raw routes are the pages under /dashboard/. */
  servesDashboard?: boolean
  /** Routes outside `/api/v1` whose handlers get the body as bytes and answer plain text. See raw.ts. */
  rawRoutes?: (scope: FastifyInstance) => void
  /** For tests. */
  room?: BodyRoom
}

const NO_ROUTE = asWritten('No route has this path and method.')

/** A request that takes longer to arrive is cut off: slow senders must not hold connections. */
const REQUEST_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 15_000
/** How often Node looks for requests over those times. */
const TIMEOUT_CHECK_MS = 5_000
/** Longer than the 60 s after which common proxies drop an idle connection, so that it is never us who do. */
const KEEP_ALIVE_MS = 75_000
const HEADER_BYTES_MOST = 16_384

/** The whole HTTP side without a port. `listen` or `inject` start its background work, `close` ends it. */
export function buildServer(
  parts: ServerParts,
  routes: readonly Route[],
  options: ServerOptions = {},
): FastifyInstance {
  const { log } = parts
  const refusals = refusalLog(log)
  const problem = problems(parts.config.publicUrl)
  const keys = openKeyRing(parts)
  const limit = parts.config.rateLimit === 'memory' ? limitInMemory() : limitInDatabase(parts.db)

  const latest: RawRefusal['latest'] = new WeakMap()
  const app = Fastify({
    exposeHeadRoutes: false,
    trustProxy: parts.config.trustedProxies.length > 0 ? [...parts.config.trustedProxies] : false,
    return503OnClosing: false, // it answers in Fastify's own format; what still arrives is served
    requestIdHeader: false,
    genReqId: correlationId,
    rewriteUrl: readableUrl,
    bodyLimit: RAW_BODY_BYTES_MOST,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // No parameter is cut short by the router: its own schema refuses it, after the key and the rate.
    routerOptions: { maxParamLength: HEADER_BYTES_MOST },
    http: {
      maxHeaderSize: HEADER_BYTES_MOST,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      requireHostHeader: false, // Node would answer in its own format
    },
    clientErrorHandler: (_error, socket) => refuseRaw(socket, { latest, make: (id) => refused(UNREADABLE, id) }),
    frameworkErrors: (error, request, reply) => sendAnswer(reply, request.id, answerOf(error, request.id)),
  })

  /** For the caller, and for the log, which says less. */
  const refused = ({ code, message, faults }: Refusal, correlationId: string, of: RefusedOf = {}): Answer => {
    refusals.tell({ correlationId, refusal: code, ...of })
    return problem(code, message, correlationId, faults)
  }

  /** What an error becomes for the caller. A fault of ours is logged and says nothing of itself. */
  const answerOf = (error: unknown, correlationId: string, of?: RefusedOf): Answer => {
    if (error instanceof Refusal) return refused(error, correlationId, of)
    if (isFaultOfRequest(error)) return refused(UNREADABLE, correlationId, of)
    if (isDatabaseUnavailable(error)) {
      log.error({ correlationId, fault: faultOfOurs(error) }, 'the database cannot be reached')
      return problem('SERVICE_UNAVAILABLE', details.SERVICE_UNAVAILABLE, correlationId)
    }
    log.error({ correlationId, fault: faultOfOurs(error) }, 'a request met a fault of ours')
    return problem('INTERNAL_ERROR', details.INTERNAL_ERROR, correlationId)
  }

  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id))
    // Now, before Fastify looks at a body that nobody asked for.
    done(request.is404 ? new Refusal('NOT_FOUND', NO_ROUTE) : undefined)
  })
  app.setErrorHandler((error, request, reply) => sendAnswer(reply, request.id, answerOf(error, request.id)))
  app.setNotFoundHandler((request, reply) => reply.send(new Refusal('NOT_FOUND', NO_ROUTE)))
  app.addHook('onReady', async () => keys.watch())
  stopWithoutWaiting(app)
  app.addHook('onClose', () => keys.close())
  app.addHook('onClose', async () => refusals.close())

  app.server.on('request', (request) => latest.set(request.socket, request))
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.server.on('connect', (_request, socket) => {
    refuseRaw(socket, { latest, make: (id) => refused(new Refusal('NOT_FOUND', NO_ROUTE), id) })
  })

  serveProbes(app, parts.db, options)
  servePages(
    app,
    describeApi({ routes, events: documentedEvents, publicUrl: parts.config.publicUrl, version: packageJson.version }),
    options,
  )
  serveApi(app, routes, { keys, limit, answerOf, metrics: parts.metrics })
  if (options.rawRoutes) serveRaw(app, { log, room: options.room ?? bodyRoom() }, options.rawRoutes)
  return app
}

function correlationId({ headers }: { headers: IncomingMessage['headers'] }): string {
  const given = headers['x-correlation-id']
  return typeof given === 'string' && isUuid(given) ? given : crypto.randomUUID()
}

/**
 * A path with broken percent-encoding is taken letter by letter, so that it meets the checks in their order: 404 for
 * no route, 401 without a key, and only then 422 for an id that is none.
 */
function readableUrl({ url = '/' }: { url?: string | undefined }): string {
  if (!url.includes('%')) return url
  const [path = '', ...query] = url.split('?')
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}

/** Fastify's own refusals: all of them speak of the request. */
const isFaultOfRequest = (error: unknown): boolean =>
  error instanceof Error &&
  'statusCode' in error &&
  typeof error.statusCode === 'number' &&
  error.statusCode >= 400 &&
  error.statusCode < 500

const UNREADABLE = new Refusal(
  'DEVELOPER_INVALID_INPUT',
  asWritten('This is no complete HTTP request within the limits.'),
  [
    {
      in: 'header',
      pointer: '',
      detail: `must be a well-formed HTTP/1.1 request with at most ${HEADER_BYTES_MOST} bytes of headers, and arrive whole within ${REQUEST_TIMEOUT_MS / 1000} s`,
    },
  ],
)

/** `latest`: the last request whose headers came on a connection. */
type RawRefusal = { latest: WeakMap<Duplex, IncomingMessage>; make: (correlationId: string) => Answer }

/** Answers where Fastify has no request to reply to, and ends the connection: the bytes that follow mean nothing. */
function refuseRaw(socket: Duplex, { latest, make }: RawRefusal): void {
  const answering = answerInProgress(socket)
  // Answered in full before its body was whole, such as with 404: that was its one answer.
  const isAnswered = answering === undefined && latest.get(socket)?.complete === false
  if (!socket.writable || isAnswered || (answering?.headersSent && !answering.req.complete)) {
    socket.destroy()
    return
  }
  if (answering?.req.complete) {
    // The fault is in what came after a good request, whose own answer goes first.
    answering.once('close', () => refuseRaw(socket, { latest, make }))
    return
  }
  const id = answering ? correlationId(answering.req) : crypto.randomUUID()
  const { status, headers, body } = make(id)
  const all = { ...commonHeaders(id), ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}
