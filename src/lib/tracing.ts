import { randomBytes } from 'node:crypto'
import { SECOND_MS } from './clock.ts'
import type { Log } from './log.ts'

/**
 * Spans as OTLP over HTTP in JSON (docs/decisions/0022-spans-without-an-sdk.md). A part of the program has a tracer only if tracing is
 * on, so that it costs nothing else.
 */
export type Tracer = {
  /** `parent`: the `traceparent` of the span that this one is a part of; undefined begins a trace. */
  start(name: string, of: SpanStart): Span
  /** Counts spans that were not made because too much is traced. */
  drop(spans: number): void
  /** Sends what waits, for a few seconds at most. */
  close(): Promise<void>
}

type SpanStart = { kind: keyof typeof KINDS; parent?: string | undefined; attributes?: Attributes; startedAt?: Date }

export type Span = {
  /** For what this span causes: the header of W3C Trace Context. */
  traceparent: string
  end(attributes?: Attributes, status?: { isError: boolean }): void
}

/** Ids, counts and codes only: no text that a person or another system wrote. */
export type Attributes = Readonly<Record<string, string | number | null | undefined>>

/** As OTLP numbers them. */
const KINDS = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
const ERROR = 2

/** Of 3 MB or so. More are dropped, and counted. */
export const MAX_WAITING_SPANS = 8_192
export const MAX_SPANS_PER_EXPORT = 1_024
const EXPORT_EVERY_MS = SECOND_MS
const EXPORT_TIMEOUT_MS = 10 * SECOND_MS
const MAX_CLOSE_MS = 3 * SECOND_MS
/** Between two lines of the log about a receiver that does not take spans. */
const LOG_EVERY_MS = 60 * SECOND_MS

export type TracingConfig = {
  /** Without `/v1/traces`. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  serviceName: string
}

type TracerParts = {
  log: Log
  node: string
  release: string
  /** Called with the number of spans that are lost. */
  dropped: (reason: 'full' | 'not_exported', spans: number) => void
}

export function createTracer({ endpoint, headers, serviceName }: TracingConfig, parts: TracerParts): Tracer {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const resource = { 'service.name': serviceName, 'service.version': parts.release, 'service.instance.id': parts.node }
  let waiting: object[] = []
  let exporting: Promise<void> | undefined
  let loggedAtMs = Number.NEGATIVE_INFINITY
  const closing = new AbortController()

  const add = (span: object): void => {
    if (waiting.length >= MAX_WAITING_SPANS) parts.dropped('full', 1)
    else waiting.push(span)
    if (waiting.length >= MAX_SPANS_PER_EXPORT) startExport()
  }
  const startExport = (): void => {
    if (waiting.length > 0) exporting ??= exportAll().finally(() => (exporting = undefined))
  }
  /** One request at a time: what comes meanwhile waits, or is dropped. */
  const exportAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const spans = waiting.slice(0, MAX_SPANS_PER_EXPORT)
      waiting = waiting.slice(MAX_SPANS_PER_EXPORT)
      const fault = await exportSpans(spans)
      if (fault === undefined) continue
      parts.dropped('not_exported', spans.length)
      if (performance.now() - loggedAtMs > LOG_EVERY_MS) {
        loggedAtMs = performance.now()
        parts.log.warn({ fault, spans: spans.length }, 'spans could not be exported and are lost')
      }
      if (closing.signal.aborted) return
    }
  }
  /** Returns what went wrong, without what the receiver said. */
  const exportSpans = async (spans: readonly object[]): Promise<string | undefined> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(requestOf(resource, spans)),
        redirect: 'error', // it would send the headers, which may hold a key, to another host
        signal: AbortSignal.any([AbortSignal.timeout(EXPORT_TIMEOUT_MS), closing.signal]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : `the receiver responded with ${response.status}`
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } }
      return `the receiver could not be reached: ${cause?.code ?? name}`
    }
  }
  const timer = setInterval(startExport, EXPORT_EVERY_MS).unref()

  return {
    start(name, { kind, parent, attributes = {}, startedAt }) {
      const from = parseTraceparent(parent)
      const traceId = from?.traceId ?? randomBytes(16).toString('hex')
      const spanId = randomBytes(8).toString('hex')
      const isSampled = from?.isSampled ?? true
      const startMs = startedAt?.getTime() ?? nowMs()
      return {
        traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
        end(more = {}, { isError } = { isError: false }) {
          if (!isSampled) return
          add({
            traceId,
            spanId,
            ...(from && { parentSpanId: from.spanId }),
            name,
            kind: KINDS[kind],
            startTimeUnixNano: nanoseconds(startMs),
            endTimeUnixNano: nanoseconds(Math.max(startMs, nowMs())),
            attributes: attributesOf({ ...attributes, ...more }),
            ...(isError && { status: { code: ERROR } }),
          })
        },
      }
    },
    drop: (spans) => parts.dropped('full', spans),
    async close() {
      clearInterval(timer)
      const limit = setTimeout(() => closing.abort(), MAX_CLOSE_MS)
      await exporting
      startExport()
      await exporting
      clearTimeout(limit)
    },
  }
}

const requestOf = (resource: Attributes, spans: readonly object[]): object => ({
  resourceSpans: [
    { resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope: { name: 'doorcode' }, spans }] },
  ],
})

const attributesOf = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined
      ? []
      : { key, value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value } },
  )

/** The machine's clock, as other programs of the trace use theirs. */
const nowMs = (): number => performance.timeOrigin + performance.now()

const nanoseconds = (ms: number): string => (BigInt(Math.round(ms * 1_000)) * 1_000n).toString()

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined for what is no traceparent (W3C Trace Context): such a header is ignored, as the standard says. */
export function parseTraceparent(
  text: string | undefined,
): { traceId: string; spanId: string; isSampled: boolean } | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** For the log. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35)
