import type { FastifyRequest } from 'fastify'
import type { Span, Tracer } from '../lib/tracing.ts'

/** Begins the span of a request, in the trace that its `traceparent` names. `route`: with parameters as `:name`. */
export const startRequestSpan = (
  tracer: Tracer | undefined,
  request: FastifyRequest,
  { method, route }: { method: string; route: string },
): Span | undefined =>
  tracer?.start(`${method} ${route}`, {
    kind: 'server',
    parent: parentOf(request),
    attributes: { 'http.request.method': method, 'http.route': route, 'doorcode.correlation_id': request.id },
  })

/** Node joins several by commas, which makes no traceparent. */
function parentOf({ raw: { headers } }: FastifyRequest): string | undefined {
  const { traceparent } = headers
  return typeof traceparent === 'string' ? traceparent : undefined
}

export const endRequestSpan = (span: Span | undefined, status: number): void =>
  span?.end({ 'http.response.status_code': status }, { isError: status >= 500 })
