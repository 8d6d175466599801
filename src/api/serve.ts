import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SECOND_MS } from '../lib/clock.ts'
import type { ApiError } from '../lib/errors.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { ApiKey, KeyAuthenticator } from '../workspaces/keys/keys.ts'
import { MAX_BODY_BYTES, type JsonBody, TOO_LARGE, readJson } from '../lib/http/body.ts'
import { fixedError, invalidInput, keyError } from '../lib/http/problem.ts'
import { type Fault, headerFault } from '../lib/http/faults.ts'
import type { RateLimit } from '../lib/http/rate-limit.ts'
import type { RejectionContext } from '../lib/http/rejection-log.ts'
import { endRequestSpan, loggedTrace, startRequestSpan, traceparentOf } from '../lib/http/request-span.ts'
import type { Client, RawInput, Route } from '../lib/http/route.ts'
import type { Tracer } from '../lib/tracing.ts'
import type { RecipientExplainer } from './recipient-fault.ts'

export const API_PREFIX = '/api/v1'

export type ApiParts = {
  keys: KeyAuthenticator
  limit: RateLimit
  sendProblem: (error: unknown, reply: FastifyReply, context: RejectionContext) => void
  explainRecipient: RecipientExplainer
  metrics: Pick<Metrics, 'requests'>
  tracer: Tracer | undefined
}

type Call = { startedAt: number; key?: ApiKey; run?: (client: Client) => Promise<unknown> }

const JSON_TYPE = 'application/json'

const callOf = (request: FastifyRequest): Call => request.getDecorator('call')

/** Every route runs the same checks in the same order (docs/api.md#order-of-checks). */
export function serveApi(
  scope: FastifyInstance,
  routes: readonly Route[],
  { keys, limit, sendProblem, explainRecipient, metrics, tracer }: ApiParts,
): void {
  scope.decorateRequest('call')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  )
  scope.addHook('onRequest', (request, _reply, done) => {
    // Fastify would reject a malformed one before the other faults are found. It copies replaced headers at every access.
    if (request.raw.headers['content-type'] !== JSON_TYPE) request.headers = { 'content-type': undefined }
    done()
  })
  const invalidKey = (authorization: string | undefined): ApiError =>
    keyError(authorization, keys.findExpiry(authorization))
  /** A revoked key stops within a second (docs/api.md#authentication), even while its request waits. */
  const assertStillValid = async ({ raw: { headers } }: FastifyRequest): Promise<void> => {
    if (!(await keys.find(headers.authorization))) throw invalidKey(headers.authorization)
  }
  const inputError = async (
    request: FastifyRequest,
    { body }: RawInput,
    faults: readonly Fault[],
  ): Promise<ApiError> => {
    const { key } = callOf(request)
    return invalidInput(key ? await explainRecipient(faults, { body, workspaceId: key.workspaceId }) : faults)
  }
  const stopping = new AbortController()
  scope.addHook('preClose', (done) => {
    stopping.abort()
    done()
  })
  for (const route of routes) {
    const url = API_PREFIX + route.path
    const bodyRequired = !route.schemas.body.safeParse(undefined).success
    scope.route({
      method: route.method,
      url,
      async onRequest(request) {
        const call: Call = { startedAt: performance.now() }
        startRequestSpan(tracer, request, { method: route.method, route: url })
        request.setDecorator('call', call)
        const key = await keys.find(request.raw.headers.authorization)
        if (!key) throw invalidKey(request.raw.headers.authorization)
        call.key = key
        if (!(await limit(key.publicId))) throw fixedError('RATE_LIMITED')
      },
      async preValidation(request) {
        const input = inputOf(request, readJson(request, bodyRequired))
        const { faults, run } = route.read(input)
        if (faults) throw await inputError(request, input, faults)
        callOf(request).run = run
      },
      async handler(request, reply) {
        const { key, run } = callOf(request)
        if (!key || !run) throw new Error('a handler ran without its checks')
        // Fastify's serializer adds a charset, which JSON does not have.
        reply.code(route.success.status).type(JSON_TYPE).serializer(JSON.stringify)
        const client = {
          workspaceId: key.workspaceId,
          apiKeyId: key.publicId,
          correlationId: request.id,
          trace: traceparentOf(request),
        }
        let mayWait = false
        const end = (): AbortSignal => {
          mayWait = true
          return endOf(reply.raw, stopping.signal)
        }
        const body = await run({ ...client, end })
        if (mayWait) await assertStillValid(request)
        return body
      },
      errorHandler(error, request, reply) {
        const { key } = callOf(request)
        const context = { route: { method: route.method, path: url }, key, ...loggedTrace(request) }
        if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return sendProblem(error, reply, context)
        const { faults = [] } = route.read(inputOf(request, TOO_LARGE))
        return sendProblem(invalidInput(faults), reply, context)
      },
      onSend(request, { statusCode: status }, _payload, done) {
        const { startedAt } = callOf(request)
        metrics.requests.observe({ route: route.path, status }, (performance.now() - startedAt) / SECOND_MS)
        endRequestSpan(request, status)
        done()
      },
    })
  }
}

function endOf(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController()
  if (response.closed) gone.abort()
  response.once('close', () => gone.abort())
  return AbortSignal.any([gone.signal, stopping])
}

const inputOf = ({ raw, params, query }: FastifyRequest, body: JsonBody): RawInput => ({
  params,
  query,
  headers: withUtf8Key(raw.headers),
  body: body.value,
  faults: [...repeatedHeaders(raw), ...body.faults],
})

const IDEMPOTENCY_KEY = 'idempotency-key'

/** Node decodes headers as Latin-1. A key in UTF-8, which most clients send, is measured in characters. */
function withUtf8Key(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const bytes = Buffer.from(String(headers[IDEMPOTENCY_KEY] ?? ''), 'latin1')
  return bytes.length > 0 && isUtf8(bytes) ? { ...headers, [IDEMPOTENCY_KEY]: bytes.toString('utf8') } : headers
}

const ONCE_ONLY = new Set(['authorization', 'content-type', 'host', IDEMPOTENCY_KEY])

/** Node drops or joins repeated headers, so two values would look like one. */
function repeatedHeaders({ rawHeaders }: IncomingMessage): Fault[] {
  const seen = new Set<string>()
  const faults: Fault[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (!ONCE_ONLY.has(name)) continue
    if (seen.has(name)) faults.push(headerFault(name, 'must not be repeated'))
    seen.add(name)
  }
  return faults
}
