import type { FastifyInstance } from 'fastify'
import { isDatabaseUnavailable } from '../db.ts'
import type { Log } from '../log.ts'
import { faultOfOurs } from './fault-of-ours.ts'

/** The largest webhook that Meta documents. */
export const RAW_BODY_BYTES_MOST = 3 * 1024 * 1024

/**
 * Routes outside the API for callers whose signature covers the exact bytes: `request.body` is a Buffer, whatever the
 * content type says, and answers are plain text. An error thrown there becomes a bare 500 or 503, so that the caller
 * sends it again.
 */
export function serveRaw(app: FastifyInstance, log: Log, addRoutes: (scope: FastifyInstance) => void): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: RAW_BODY_BYTES_MOST }, (_request, body, parsed) =>
      parsed(null, body),
    )
    scope.setErrorHandler((error, request, reply) => {
      const status = statusOf(error)
      if (status >= 500) log.error({ correlationId: request.id, fault: faultOfOurs(error) }, 'a raw route failed')
      return reply.code(status).type('text/plain; charset=utf-8').send(TEXTS[status])
    })
    addRoutes(scope)
    done()
  })
}

const TEXTS: Record<number, string> = {
  413: `at most ${RAW_BODY_BYTES_MOST} bytes`,
  415: 'the content type is malformed',
  400: 'the request cannot be read',
  500: 'internal error',
  503: 'unavailable',
}

function statusOf(error: unknown): number {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined
  if (status === 413 || status === 415) return status
  if (typeof status === 'number' && status >= 400 && status < 500) return 400
  return isDatabaseUnavailable(error) ? 503 : 500
}
