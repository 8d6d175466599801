import { Agent, type Dispatcher } from 'undici'
import { type CodedText, quoted } from '../../../locales/text.ts'
import type { ProviderAccount, SendOutcome } from '../provider.ts'
import { withoutToken } from './mask.ts'

/** Named in every request: otherwise the app's default version would answer. */
const GRAPH_VERSION = 'v26.0'

/**
 * Enough for 1,000 sends a second, the rate of the fastest number, at half a second each. The limit keeps slow answers
 * from taking memory.
 */
const MAX_CONNECTIONS = 512
const CONNECT_TIMEOUT_MS = 5_000
/** Short: a write to a connection that the provider is closing has an unknown outcome. */
const KEEP_ALIVE_MS = 4_000

export type GraphRequest = {
  method: 'GET' | 'POST' | 'DELETE'
  /** The path below the version, with a leading slash. */
  path: string
  body?: string
  timeoutMs: number
  maxResponseBytes: number
  traceparent?: string | undefined
}

/** `unknown`: at least the first byte may have been sent. */
export type GraphResponse =
  | { outcome: 'answered'; httpStatus: number; body: string }
  | Extract<SendOutcome, { outcome: 'unreachable' | 'unknown' }>

export type GraphClient = ReturnType<typeof createGraphClient>

/** A request never rejects. */
export function createGraphClient() {
  const agent = new Agent({
    connections: MAX_CONNECTIONS,
    pipelining: 1, // one request per connection at a time
    allowH2: false, // one lost connection must not make the outcome of a hundred sends unknown
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0, // dispatch has one timeout for all phases
    bodyTimeout: 0,
  })
  return {
    request: (account: ProviderAccount, request: GraphRequest) => dispatch(agent, account, request),
    close: () => agent.destroy(),
  }
}

function dispatch(agent: Dispatcher, account: ProviderAccount, request: GraphRequest): Promise<GraphResponse> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let httpStatus: number | null = null
    let chunks: Buffer[] = []
    let bytes = 0
    let ended = false

    const end = (response: GraphResponse): void => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      chunks = []
      resolve(response)
    }
    /** The agent passes a controller when it is about to write: before that, nothing was sent. */
    const fail = (detail: CodedText): void =>
      end(controller ? { outcome: 'unknown', httpStatus, detail } : { outcome: 'unreachable', detail })
    const abort = (detail: CodedText): void => {
      fail(detail)
      controller?.abort(new Error(detail.code))
    }
    const timer = setTimeout(
      () => abort({ code: 'providers.no_answer', timeoutMs: request.timeoutMs }),
      request.timeoutMs,
    )

    const { origin, path } = baseOf(account.graphUrl)
    agent.dispatch(
      {
        origin,
        path: path + request.path,
        method: request.method,
        headers: {
          authorization: `Bearer ${account.accessToken}`,
          accept: 'application/json',
          ...(request.traceparent !== undefined && { traceparent: request.traceparent }),
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: request.body ?? null,
      },
      {
        onRequestStart(started) {
          if (ended) started.abort(new Error('timed out before a connection was free'))
          else controller = started
        },
        onResponseStart(_controller, status) {
          httpStatus = status
        },
        onResponseData(_controller, chunk) {
          bytes += chunk.length
          if (bytes > request.maxResponseBytes) abort({ code: 'providers.too_long', bytes: request.maxResponseBytes })
          else chunks.push(chunk)
        },
        onResponseEnd() {
          end({ outcome: 'answered', httpStatus: httpStatus ?? 0, body: Buffer.concat(chunks).toString('utf8') })
        },
        onResponseError(_controller, error) {
          fail(quoted(withoutToken(errorText(error), account.accessToken)))
        },
      },
    )
  })
}

/** The URL may name a version. */
function baseOf(graphUrl: string): { origin: string; path: string } {
  const url = new URL(graphUrl)
  const path = url.pathname.replace(/\/+$/, '')
  return { origin: url.origin, path: /\/v\d+\.\d+$/.test(path) ? path : `${path}/${GRAPH_VERSION}` }
}

const MAX_ERROR_TEXT = 120

/** An error for failed attempts on several addresses has no message. */
function errorText(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const message = error.message.slice(0, MAX_ERROR_TEXT)
  return message === '' || message.includes(code) ? message || code : `${code}: ${message}`
}
