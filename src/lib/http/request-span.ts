import type { FastifyRequest } from 'fastify'
import { type Span, type Tracer, traceIdOf } from '../tracing.ts'

const spans = new WeakMap<FastifyRequest, Span>()

/** Begins the span of a request, in the trace that its `traceparent` names, if tracing is on. `route`: with parameters as `:name`. */
export function startRequestSpan(
  tracer: Tracer | undefined,
  request: FastifyRequest,
  { method, route }: { method: string; route: string },
): void {
  if (!tracer) return
  const span = tracer.start(`${method} ${route}`, {
    kind: 'server',
    parent: parentOf(request),
    attributes: { 'http.request.method': method, 'http.route': route, 'doorcode.correlation_id': request.id },
  })
  spans.set(request, span)
}

/** Node joins several by commas, which makes no traceparent. */
function parentOf({ raw: { headers } }: FastifyRequest): string | undefined {
  const { traceparent } = headers
  return typeof traceparent === 'string' ? traceparent : undefined
}

/** The `traceparent` for what the request causes. Undefined without a span. */
export const traceparentOf = (request: FastifyRequest): string | undefined => spans.get(request)?.traceparent

/** For a line of the log about the request: the id of its trace, if it has a span. */
export function loggedTrace(request: FastifyRequest): { trace?: string } {
  const traceparent = traceparentOf(request)
  return traceparent === undefined ? {} : { trace: traceIdOf(traceparent) }
}

export const endRequestSpan = (request: FastifyRequest, status: number): void =>
  spans.get(request)?.end({ 'http.response.status_code': status }, { isError: status >= 500 })
