import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isTemporary } from '../db/pool.ts'
import type { Log } from '../log.ts'
import { throttle } from '../throttle.ts'
import { type BodyBudget, BodyBudgetExceeded } from './body-budget.ts'
import { failureFields } from './redact-error.ts'
import { loggedTrace } from './request-span.ts'

/** The largest webhook that Meta documents. */
export const MAX_RAW_BODY_BYTES = 3 * 1024 * 1024

/** Bodies are processed much faster, so memory is free again by then. */
const RETRY_AFTER_SECONDS = 1
/** A flood must not fill the log. */
const BUDGET_LOG_INTERVAL_MS = 10_000

/**
 * Routes outside the API for clients whose signature covers the exact bytes: `request.body` is a Buffer whatever the
 * content type, and responses are plain text. An error thrown there becomes a bare 500 or 503, so the client retries.
 */
export function serveRaw(
  app: FastifyInstance,
  { log, budget }: { log: Log; budget: BodyBudget },
  addRoutes: (scope: FastifyInstance) => void,
): void {
  app.register((scope, _options, done) => {
    const logExceeded = throttle(
      () => log.warn('webhook bodies were rejected: the memory for bodies is used up'),
      () => BUDGET_LOG_INTERVAL_MS,
    )
    scope.addHook('onClose', async () => logExceeded.end())
    scope.decorateRequest('response', null)
    scope.addHook('onRequest', (request, reply, done) => {
      request.setDecorator('response', reply.raw)
      done()
    })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (request: FastifyRequest) =>
      readBody({
        request: request.raw,
        response: request.getDecorator<ServerResponse>('response'),
        maxBytes: request.routeOptions.bodyLimit,
        budget,
      }),
    )
    scope.setErrorHandler((error, request, reply) => {
      const status = statusOf(error)
      if (error instanceof BodyBudgetExceeded) {
        logExceeded.call()
        reply.header('retry-after', RETRY_AFTER_SECONDS)
      } else if (status >= 500)
        log.error(
          { correlationId: request.id, ...loggedTrace(request), ...failureFields(error) },
          'a request outside the API failed',
        )
      return reply.code(status).type('text/plain; charset=utf-8').send(textOf(status, request.routeOptions.bodyLimit))
    })
    addRoutes(scope)
    done()
  })
}

const textOf = (status: number, maxBytes: number): string | undefined =>
  status === 413 ? `at most ${maxBytes} bytes` : TEXTS[status]

const TEXTS: Record<number, string> = {
  415: 'the content type is malformed',
  400: 'the request cannot be read',
  500: 'internal error',
  503: 'unavailable',
}

function statusOf(error: unknown): number {
  const status = requestErrorStatus(error)
  if (status) return status === 413 || status === 415 ? status : 400
  return error instanceof BodyBudgetExceeded || isTemporary(error) ? 503 : 500
}

/** The 4xx status that Fastify gives to errors of a request. */
export function requestErrorStatus(error: unknown): number | undefined {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined
}

/** Chunks are copied together: each chunk kept separately costs 200 bytes, and a client may send byte by byte. */
const MIN_BUFFER_BYTES = 4 * 1024

type BodyOptions = { request: IncomingMessage; response: ServerResponse; maxBytes: number; budget: BodyBudget }

/** The body's memory stays reserved until the response is sent. */
function readBody({ request, response, maxBytes, budget }: BodyOptions): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? maxBytes)
  if (announced > maxBytes) return Promise.reject(unreadable(413))
  if (response.closed || request.destroyed) return Promise.reject(unreadable(400))
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const reservation = budget.open(() => fail(new BodyBudgetExceeded()))
  let buffer: Buffer = Buffer.alloc(0)
  let size = 0

  const onData = (chunk: Buffer): void => {
    const total = size + chunk.length
    if (total > announced) return fail(unreadable(413))
    if (chunk.length === announced) {
      if (!reservation.grow(announced)) return fail(new BodyBudgetExceeded())
      buffer = chunk // most webhooks come in one chunk
    } else {
      if (total > buffer.length && !grow(total)) return fail(new BodyBudgetExceeded())
      chunk.copy(buffer, size)
    }
    size = total
  }
  /** Reserves at most twice what has arrived: an announced body that never comes holds nothing. */
  const grow = (needed: number): boolean => {
    const bytes = Math.min(Math.max(needed, 2 * buffer.length, MIN_BUFFER_BYTES), announced)
    if (!reservation.grow(bytes - buffer.length)) return false
    const larger = Buffer.allocUnsafeSlow(bytes)
    buffer.copy(larger, 0, 0, size)
    buffer = larger
    return true
  }
  const onEnd = (): void => {
    stopListening()
    reservation.complete()
    resolve(buffer.subarray(0, size))
  }
  const fail = (error: Error): void => {
    stopListening()
    reservation.release()
    buffer = Buffer.alloc(0)
    request.resume()
    reject(error)
  }
  const onCutOff = (): void => fail(unreadable(400))
  const stopListening = (): void =>
    void request.off('data', onData).off('end', onEnd).off('error', onCutOff).off('close', onCutOff)

  response.once('close', () => reservation.release())
  request.on('data', onData).on('end', onEnd).on('error', onCutOff).on('close', onCutOff)
  return promise
}

const unreadable = (statusCode: 400 | 413): Error => Object.assign(new Error('a body was not read'), { statusCode })
