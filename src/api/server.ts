import { once } from 'node:events'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { MINUTE_MS } from '../lib/clock.ts'
import { isTemporary } from '../lib/db/pool.ts'
import { ApiError, apiErrors } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import type { Parts } from '../runtime/parts.ts'
import { asWritten } from '../../locales/text.ts'
import { createKeyAuthenticator } from '../workspaces/keys/keys.ts'
import { createRecipientExplainer } from './recipient-fault.ts'
import { serveApi } from './serve.ts'
import { type BodyBudget, createBodyBudget } from '../lib/http/body-budget.ts'
import { failureFields } from '../lib/http/redact-error.ts'
import { describeApi } from './docs/openapi.ts'
import { servePages } from './docs/pages.ts'
import type { Provider } from '../providers/provider.ts'
import type { RequestExample } from './docs/try.ts'
import { watchPathMethods } from '../lib/http/path-methods.ts'
import { type WorkState, serveProbes } from '../lib/http/probes.ts'
import {
  type ProblemResponse,
  commonHeaders,
  createProblemWriter,
  fixedDetail,
  invalidInput,
  securityHeaders,
  sendResponse,
} from '../lib/http/problem.ts'
import { createRateLimit } from '../lib/http/rate-limit.ts'
import { MAX_RAW_BODY_BYTES, requestErrorStatus, serveRaw } from '../lib/http/raw.ts'
import { type RejectionContext, createRejectionLog } from '../lib/http/rejection-log.ts'
import type { Route } from '../lib/http/route.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { responseInProgress, dropIdleConnectionsOnClose } from '../lib/http/graceful-shutdown.ts'

export type ServerParts = Pick<Parts, 'config' | 'db' | 'clock' | 'log' | 'metrics' | 'tracer'>

export type ServerOptions = {
  /** The node is about to stop: /readyz answers 503 while open requests finish. */
  isDraining?: () => boolean
  /** See probes.ts. */
  workState?: () => WorkState
  /** Whether `rawRoutes` adds the pages under /dashboard/. */
  servesDashboard?: boolean
  errorCodesOf?: Provider['errorCodesOf']
  example?: () => RequestExample | undefined
  /** Routes outside `/api/v1` whose handlers get the body as bytes and answer plain text. See raw.ts. */
  rawRoutes?: (scope: FastifyInstance) => void
  /** Set by tests. */
  bodyBudget?: BodyBudget
}

const isOurFault = ({ code }: ApiError): boolean => apiErrors[code].status >= 500

const NO_ROUTE = new ApiError('NOT_FOUND', asWritten('No route has this path and method.'))

/** Slow senders must not hold connections. */
const REQUEST_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 15_000
/** How often Node checks these timeouts. */
const TIMEOUT_CHECK_MS = 5_000
/**
 * The proxy must close an idle connection first: a request that it sends while we close it becomes a 502. Longer than any of
 * them keeps one: nginx 60 s, Traefik 90 s, Caddy 2 min, Google's load balancers 10 min, Envoy 1 h.
 */
const KEEP_ALIVE_MS = 65 * MINUTE_MS
/**
 * How long a response that needs no body, such as a 401, waits for the rest of it. A proxy that is answered before it has sent a
 * body may lose the response (nginx and Caddy, if the connection closes) or leave out the rest and use the connection again
 * (HAProxy 2.6): the next client's request would be read as that rest.
 */
const MAX_REST_MS = 2_000
export const MAX_HEADER_BYTES = 16_384

/** All of HTTP without a port. `listen` or `inject` start its background work, `close` ends it. */
export function buildServer(
  parts: ServerParts,
  routes: readonly Route[],
  options: ServerOptions = {},
): FastifyInstance {
  const { log } = parts
  const rejections = createRejectionLog(log)
  const problem = createProblemWriter(parts.config.publicUrl)
  const keys = createKeyAuthenticator(parts)
  const limit = createRateLimit(parts)

  const explainRecipient = createRecipientExplainer(parts.db)

  const app = Fastify({
    exposeHeadRoutes: false,
    trustProxy: parts.config.trustedProxies.length > 0 ? [...parts.config.trustedProxies] : false,
    return503OnClosing: false, // it would answer in Fastify's format
    requestIdHeader: false,
    genReqId: correlationId,
    bodyLimit: MAX_RAW_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The router must not reject long parameters: their schema does, after the key and the rate limit.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      requireHostHeader: false, // Node would answer in its own format
    },
    clientErrorHandler: (_error, socket) => rejectUnreadable(socket, (id) => reject(UNREADABLE, id)),
    // Fastify runs no hooks for such a request.
    frameworkErrors: (_error, request, reply) =>
      void waitForRest(request, reply).then(() =>
        sendProblem(MALFORMED_PATH, reply.headers(commonHeaders(request.id))),
      ),
  })

  /** Logs the rejection and returns the response. */
  const reject = (
    { code, message, faults }: ApiError,
    correlationId: string,
    context: RejectionContext = {},
  ): ProblemResponse => {
    rejections.write({ correlationId, error: code, ...context })
    return problem(code, message, correlationId, faults)
  }

  /** The reason is for the operator; the client gets a fixed text. */
  const unavailable = ({ code, message }: ApiError, correlationId: string, trace?: string): ProblemResponse => {
    log.error(
      { correlationId, trace, outage: true, reason: message },
      'a request failed because the node cannot do its work',
    )
    return problem(code, fixedDetail(code), correlationId)
  }

  /** Internal errors are logged, and the client learns nothing about them. */
  const toResponse = (error: unknown, correlationId: string, context?: RejectionContext): ProblemResponse => {
    if (error instanceof ApiError)
      return isOurFault(error)
        ? unavailable(error, correlationId, context?.trace)
        : reject(error, correlationId, context)
    if (requestErrorStatus(error)) return reject(UNREADABLE, correlationId, context)
    const code = isTemporary(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR'
    const reason = isTemporary(error) ? 'because the database is unavailable' : 'with an internal error'
    log.error({ correlationId, trace: context?.trace, ...failureFields(error) }, `a request failed ${reason}`)
    return problem(code, fixedDetail(code), correlationId)
  }

  const sendProblem = (error: unknown, reply: FastifyReply, context?: RejectionContext): void =>
    sendResponse(reply, toResponse(error, reply.request.id, context))

  const methodsOf = watchPathMethods(app)
  /** A wrong method is a 404 too (docs/api.md#order-of-checks), and learns the methods of the path. */
  const notFound = (request: FastifyRequest, reply: FastifyReply): ApiError => {
    const methods = methodsOf(request.url.split('?')[0] ?? '')
    if (methods.length === 0) return NO_ROUTE
    reply.header('allow', methods.join(', '))
    return new ApiError(
      'NOT_FOUND',
      asWritten(`This path does not support ${request.method}. Use ${methods.join(' or ')}.`),
    )
  }

  const security = securityHeaders(parts.config.publicUrl)
  app.addHook('onRequest', (request, reply, done) => {
    const { headers } = request.raw
    const { 'x-forwarded-for': forwarded } = headers
    if (typeof forwarded === 'string') headers['x-forwarded-for'] = forwarded.replace(PORT_AND_BRACKETS, '$1$2')
    reply.headers(security).headers(commonHeaders(request.id))
    // The end of a drain drops idle connections: no proxy may send another request on one at that moment.
    if (options.isDraining?.()) reply.header('connection', 'close')
    // Here, before Fastify parses the body.
    done(request.is404 ? notFound(request, reply) : undefined)
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.is404) void waitForRest(request, reply).finally(done)
    else done()
  })
  // For every other response, after the route's own hooks, which end its metric and its span.
  app.addHook('onRoute', (route) => {
    route.onSend = [route.onSend ?? [], waitForRest].flat()
  })
  app.setErrorHandler((error, _request, reply) => sendProblem(error, reply))
  app.setNotFoundHandler((request, reply) => reply.send(notFound(request, reply)))
  app.addHook('onReady', async () => keys.watch())
  dropIdleConnectionsOnClose(app)
  // Without this Node answers 417 in its own format. A server may ignore an expectation that it does not know (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onClose', () => keys.close())
  app.addHook('onClose', async () => rejections.close())

  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true }) // each route decides whether a body is allowed
  app.register((scope, _options, done) => {
    serveProbes(scope, parts.db, options)
    const { publicUrl, program } = parts.config
    servePages(scope, () => describeApi(routes, publicUrl), { ...options, program })
    serveApi(scope, routes, {
      keys,
      limit,
      sendProblem,
      explainRecipient,
      metrics: parts.metrics,
      tracer: parts.tracer,
    })
    done()
  })
  if (options.rawRoutes) serveRaw(app, { log, budget: options.bodyBudget ?? createBodyBudget() }, options.rawRoutes)
  return app
}

/**
 * Some proxies, such as Azure's Application Gateway, write 203.0.113.9:51234 and [2001:db8::1]:443. Fastify expects bare addresses.
 * Anyone can send this header: with any number of digits, 16 kB of them would take 0.3 s.
 */
const PORT_AND_BRACKETS = /\[([\da-f:.]+)\](?::\d+)?|(\d{1,3}(?:\.\d{1,3}){3}):\d+/gi

async function waitForRest({ raw }: Pick<FastifyRequest, 'raw'>, reply: FastifyReply): Promise<void> {
  if (raw.complete || raw.readableEnded || !hasBody(raw)) return
  const isRead = await withTimeout(MAX_REST_MS, once(raw.resume(), 'end')).catch(() => false)
  if (!isRead) reply.header('connection', 'close')
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function correlationId({ headers }: { headers: IncomingMessage['headers'] }): string {
  const header = headers['x-correlation-id']
  return typeof header === 'string' && isUuid(header) ? header : crypto.randomUUID()
}

const MALFORMED_PATH = invalidInput([{ in: 'path', pointer: '', detail: asWritten('must be valid percent-encoding') }])

const UNREADABLE = new ApiError(
  'DEVELOPER_INVALID_INPUT',
  asWritten('This is not a complete HTTP request within the limits.'),
  [
    {
      in: 'header',
      pointer: '',
      detail: asWritten(
        `must be a well-formed HTTP/1.1 request with at most ${MAX_HEADER_BYTES} bytes of headers, and arrive completely within ${REQUEST_TIMEOUT_MS / 1000} s`,
      ),
    },
  ],
)

/** Answers bytes that Node's parser rejects, and closes the connection: what follows them cannot be parsed. */
function rejectUnreadable(socket: Socket, toResponse: (correlationId: string) => ProblemResponse): void {
  const pending = responseInProgress(socket)
  if (pending?.req.complete) {
    // The malformed bytes follow a valid request, which must be answered first.
    pending.once('close', () => rejectUnreadable(socket, toResponse))
    return
  }
  // A response to no request may be taken for that of one which a proxy sends at the same moment.
  if (!socket.writable || pending?.headersSent || socket.bytesRead === 0) {
    socket.destroy()
    return
  }
  const id = pending ? correlationId(pending.req) : crypto.randomUUID()
  const { status, headers, body } = toResponse(id)
  const all = { ...commonHeaders(id), ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}
