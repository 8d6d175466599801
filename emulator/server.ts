import Fastify from 'fastify'
import { errorBody, GraphError } from './errors.ts'
import { TWIN_LIMITS } from './limits.ts'
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify'

const VERSION = /^\/v\d{1,3}\.\d{1,3}(?=\/|\?|$)/

/** A server whose every answer has Graph's form, errors included. Routes are added by the callers. */
export function buildServer(): FastifyInstance {
  const server = Fastify({
    bodyLimit: TWIN_LIMITS.requestBytes,
    forceCloseConnections: true,
    // The version changes nothing here, and leaving it out gives the app's default: routes are written without it.
    rewriteUrl: (request) => (request.url ?? '/').replace(VERSION, '') || '/',
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (fault, _request, reply) => {
      const error = asGraphError(fault)
      void (reply as FastifyReply).code(error.httpStatus).send(errorBody(error))
    },
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? {} : JSON.parse(String(text)))
    } catch {
      done(new GraphError(100, 'the body is not valid JSON'))
    }
  })
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    done(null, Object.fromEntries(new URLSearchParams(String(text))))
  })
  server.setNotFoundHandler((request, reply) => {
    const error = new GraphError(
      2500,
      `no such path here: ${request.method} ${request.originalUrl.split('?')[0]}; GET / lists them`,
    )
    return reply.code(error.httpStatus).send(errorBody(error))
  })
  server.setErrorHandler((fault: FastifyError | GraphError, _request, reply) => {
    const error = fault instanceof GraphError ? fault : asGraphError(fault)
    return reply.code(error.httpStatus).send(errorBody(error))
  })
  return server
}

function asGraphError(fault: FastifyError): GraphError {
  if (fault.statusCode !== undefined && fault.statusCode < 500) return new GraphError(100, fault.message)
  return new GraphError(131000, 'the twin itself has a fault, please report it')
}
