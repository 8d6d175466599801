import Fastify from 'fastify'
import { errorBody, GraphError } from '../errors.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import type { JsonObject } from '../reading.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const VERSION = /^\/v\d{1,3}\.\d{1,3}(?=\/|\?|$)/

/**
 * Members that a form carries as JSON. Every other member of a form is text, even if it looks like JSON:
 * `biz_opaque_callback_data` may hold any text.
 */
const JSON_MEMBERS = new Set([
  'template',
  'text',
  'interactive',
  'context',
  'typing_indicator',
  'components',
  'message_send_ttl_seconds',
  'allow_category_change',
])

/** A server without routes, whose errors have Graph's form. */
export function buildServer(): FastifyInstance {
  const server = Fastify({
    bodyLimit: EMULATOR_LIMITS.requestBytes,
    forceCloseConnections: true,
    trustProxy: true, // for links to media and pages; nothing else trusts these headers
    // The version is optional and changes nothing: routes are written without it.
    rewriteUrl: (request) => (request.url ?? '/').replace(VERSION, '') || '/',
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (fault, _request, reply) => void sendError(reply as FastifyReply, asGraphError(fault)),
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'string' }, async (_request: FastifyRequest, text: string) =>
    parseJson(text),
  )
  server.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'multipart/form-data'],
    { parseAs: 'buffer' },
    ({ headers }: FastifyRequest, body: Buffer<ArrayBuffer>) => parseForm(body, headers['content-type'] ?? ''),
  )
  server.setNotFoundHandler((request, reply) => {
    const path = `${request.method} ${request.originalUrl.split('?')[0]}`
    return sendError(reply, new GraphError(2500, `no such path here: ${path}; GET / lists them`))
  })
  server.setErrorHandler((fault: FastifyError | GraphError, _request, reply) => sendError(reply, asGraphError(fault)))
  return server
}

function sendError(reply: FastifyReply, error: GraphError): FastifyReply {
  return reply.code(error.httpStatus).send(errorBody(error))
}

function asGraphError(fault: FastifyError | GraphError): GraphError {
  if (fault instanceof GraphError) return fault
  if (fault.statusCode !== undefined && fault.statusCode < 500) return new GraphError(100, fault.message)
  return new GraphError(131000, 'the emulator itself has a fault, please report it')
}

function parseJson(text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new GraphError(100, 'the body is not valid JSON')
  }
}

/** Files stay `File`s. The caller limits the size: the whole body is in memory. */
async function parseForm(body: Buffer<ArrayBuffer>, contentType: string): Promise<JsonObject> {
  const parsing = new Response(body, { headers: { 'content-type': contentType } }).formData()
  const form = await parsing.catch(() => {
    throw new GraphError(100, 'the body is not a valid form')
  })
  return Object.fromEntries(Array.from(form, ([name, value]) => [name, readMember(name, value)]))
}

function readMember(name: string, value: string | File): unknown {
  if (typeof value !== 'string' || !JSON_MEMBERS.has(name)) return value
  try {
    return JSON.parse(value)
  } catch {
    throw new GraphError(100, `${name} must be JSON in a form`)
  }
}
