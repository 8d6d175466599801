import { Agent, type Dispatcher } from 'undici'
import { keptSentences } from '../../sentences.ts'
import { withoutToken } from './mask.ts'

/** The one version that all requests name: without it the app's own default would answer (§1). */
const GRAPH_VERSION = 'v26.0'

/**
 * 1,000 sends a second, the rate of the fastest number, at half a second each. Bounded, so that a provider that answers
 * slowly costs waiting and not memory.
 */
const CONNECTIONS_MOST = 512
const CONNECT_TIMEOUT_MS = 5_000
/** Short: writing to a connection that the provider is just closing makes an unknown outcome. */
const KEEP_ALIVE_MS = 4_000

export type GraphAccount = { graphUrl: string; accessToken: string }

export type GraphRequest = {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the version, with a leading slash. */
  path: string
  body?: string
  timeoutMs: number
  answerBytesMost: number
}

export type GraphAnswer =
  | { outcome: 'answered'; httpStatus: number; body: string }
  /** Surely nothing was sent. */
  | { outcome: 'unreachable'; detail: string }
  /** At least the first byte may have been sent. */
  | { outcome: 'unknown'; httpStatus: number | null; detail: string }

export type Graph = {
  /** Never rejects. */
  ask(account: GraphAccount, request: GraphRequest): Promise<GraphAnswer>
  close(): Promise<void>
}

export function openGraph(): Graph {
  const agent = new Agent({
    connections: CONNECTIONS_MOST,
    pipelining: 1, // one request per connection at a time
    allowH2: false, // one lost connection must not make the outcome of a hundred sends unknown
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0, // each request has a timeout of its own over all its phases
    bodyTimeout: 0,
  })
  return { ask: (account, request) => ask(agent, account, request), close: () => agent.destroy() }
}

function ask(agent: Dispatcher, account: GraphAccount, request: GraphRequest): Promise<GraphAnswer> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let httpStatus: number | null = null
    let chunks: Buffer[] = []
    let bytes = 0
    let ended = false

    const end = (answer: GraphAnswer): void => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      chunks = []
      resolve(answer)
    }
    /** The agent tells when it is about to write: what ends before that was surely not sent. */
    const fail = (detail: string): void =>
      end(controller ? { outcome: 'unknown', httpStatus, detail } : { outcome: 'unreachable', detail })
    const giveUp = (detail: string): void => {
      fail(detail)
      controller?.abort(new Error(detail))
    }
    const timer = setTimeout(() => giveUp(details.noAnswer({ timeoutMs: request.timeoutMs }).en), request.timeoutMs)

    const { origin, path } = placeOf(account.graphUrl)
    agent.dispatch(
      {
        origin,
        path: path + request.path,
        method: request.method,
        headers: {
          authorization: `Bearer ${account.accessToken}`,
          accept: 'application/json',
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: request.body ?? null,
      },
      {
        onRequestStart(started) {
          if (ended) started.abort(new Error('its time had passed before a connection was free'))
          else controller = started
        },
        onResponseStart(_controller, status) {
          httpStatus = status
        },
        onResponseData(_controller, chunk) {
          bytes += chunk.length
          if (bytes > request.answerBytesMost) giveUp(details.tooLong({ bytes: request.answerBytesMost }).en)
          else chunks.push(chunk)
        },
        onResponseEnd() {
          end({ outcome: 'answered', httpStatus: httpStatus ?? 0, body: Buffer.concat(chunks).toString('utf8') })
        },
        onResponseError(_controller, error) {
          fail(withoutToken(faultOf(error), account.accessToken))
        },
      },
    )
  })
}

const details = keptSentences({
  noAnswer: { en: 'no answer within {timeoutMs} ms', ar: 'لا رد خلال {timeoutMs} مللي ثانية' },
  tooLong: { en: 'the answer is longer than {bytes} bytes', ar: 'الرد أطول من {bytes} بايت' },
})

/** Origin and path of the Graph API; the URL may name the version itself. */
function placeOf(graphUrl: string): { origin: string; path: string } {
  const url = new URL(graphUrl)
  const path = url.pathname.replace(/\/+$/, '')
  return { origin: url.origin, path: /\/v\d+\.\d+$/.test(path) ? path : `${path}/${GRAPH_VERSION}` }
}

const FAULT_MOST = 120

/** Failed attempts on several addresses come as one error without a message of its own. */
function faultOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const message = error.message.slice(0, FAULT_MOST)
  return message === '' || message.includes(code) ? message || code : `${code}: ${message}`
}
