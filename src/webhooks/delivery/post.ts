import { asWritten, type CodedText, plainText } from '../../../locales/text.ts'
import http, { type ClientRequestArgs, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import type { buildConnector } from 'undici'
import { SECOND_MS } from '../../lib/clock.ts'
import { type ConnectorOptions, AddressRejectedError, publicConnector } from './connector.ts'

/** The limit on everything: DNS, connection, answer and body. */
export const ATTEMPT_TIMEOUT_MS = 15 * SECOND_MS
/** The part of an answer's body that is stored to help find the cause of a failure. The rest is not read. */
export const MAX_RESPONSE_BYTES = 2_048
/** Shorter than the keep-alive of common servers, of which gunicorn's 2 s is the shortest: they seldom close a connection just as it is used. */
const KEEP_ALIVE_MS = 1.5 * SECOND_MS
export const USER_AGENT = 'Doorcode-Webhooks/1'

/** `httpStatus` is null when no answer came; then `error` says why. */
export type PostResult = {
  httpStatus: number | null
  retryAfter: string | null
  response: string | null
  error: CodedText | null
  /** What the endpoint's name means, if that is not public: only for operators. */
  hiddenAddress?: string
}

/**
 * Keeps connections per origin, as many as there are attempts in flight: two endpoints on one host never wait for each
 * other. The number of attempts is limited before, per endpoint.
 */
export function webhookAgent(options: ConnectorOptions): WebhookAgent {
  const connect = publicConnector(options)
  const agentOptions = { keepAlive: true, timeout: KEEP_ALIVE_MS } // while a connection is in use it has no effect
  const plain = connectedBy(new http.Agent(agentOptions), 'http:', connect)
  const tls = connectedBy(new https.Agent(agentOptions), 'https:', connect)
  return {
    // node:http, since undici treats an unrequested "100 Continue" as an error.
    request(url, args, { onNewConnection = false } = {}) {
      // Without an agent, Node's default is port 80 for HTTPS too.
      const by = (agent: http.Agent, defaultPort: number): ClientRequestArgs =>
        onNewConnection
          ? { ...args, defaultPort, createConnection: (...of) => agent.createConnection(...of) }
          : { ...args, agent }
      if (url.protocol === 'https:') return https.request(url, by(tls, 443))
      // Checked at each attempt: the endpoint may have been added while DOORCODE_ALLOW_PRIVATE_WEBHOOKS was set.
      if (!options.allowPrivate) throw new SchemeRejectedError()
      return http.request(url, by(plain, 80))
    },
    destroy() {
      plain.destroy()
      tls.destroy()
    },
  }
}

export type WebhookAgent = {
  request(url: URL, args: ClientRequestArgs, options?: { onNewConnection?: boolean }): http.ClientRequest
  destroy(): void
}

function connectedBy(agent: http.Agent, protocol: string, connect: buildConnector.connector): http.Agent {
  agent.createConnection = ({ host, port }, done) => {
    const hostname = host ?? ''
    connect({ hostname, host: hostname, protocol, port: String(port) }, (...[error, socket]) => {
      // With an error there is no socket; Node reads the error first.
      done?.(error, socket as Duplex)
    })
    return undefined
  }
  return agent
}

class SchemeRejectedError extends Error {}

export class Interrupted extends Error {}

export type Outgoing = {
  url: string
  headers: Record<string, string>
  body: string
  /** For tests. */
  timeoutMs?: number
}

/** Throws only Interrupted, when `stop` is aborted; errors of the receiver or the network are returned. */
export async function post(agent: WebhookAgent, outgoing: Outgoing, stop: AbortSignal): Promise<PostResult> {
  const { url, headers, body, timeoutMs = ATTEMPT_TIMEOUT_MS } = outgoing
  const attempt = new AbortController()
  const end = (): void => attempt.abort(new Interrupted())
  const timer = setTimeout(() => attempt.abort(new TookTooLong()), timeoutMs)
  stop.addEventListener('abort', end)
  try {
    if (stop.aborted) throw new Interrupted()
    const args = {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': USER_AGENT,
      },
      signal: attempt.signal,
    }
    const request = agent.request(new URL(url), args)
    const answer = await answerTo(request, body).catch((error: unknown) => {
      if (!request.reusedSocket || networkErrorOf(codeOf(error)) !== 'ECONNRESET') throw error
      // The receiver may have closed the kept connection before it read the event.
      return answerTo(agent.request(new URL(url), args, { onNewConnection: true }), body)
    })
    const response = await firstBytes(answer)
    const httpStatus = answer.statusCode ?? 0
    return {
      httpStatus,
      retryAfter: answer.headers['retry-after'] ?? null,
      response: response === '' ? null : response,
      error: httpStatus >= 300 && httpStatus < 400 ? { code: 'webhooks.redirect' } : null,
    }
  } catch (thrown) {
    const error: unknown = attempt.signal.aborted ? attempt.signal.reason : thrown
    if (error instanceof Interrupted) throw error
    const hidden = error instanceof AddressRejectedError && { hiddenAddress: error.address }
    return { httpStatus: null, retryAfter: null, response: null, error: failureReason(error), ...hidden }
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
  }
}

/** The final answer: informational ones (1xx) are skipped. */
const answerTo = (request: http.ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    // also after a 101, which emits neither of the above
    request.on('close', () => reject(Object.assign(new Error(), { code: 'ECONNRESET' })))
    request.end(body)
  })

/** Never throws: the status has come, and the body does not change the outcome. Leaving the loop closes the connection. */
async function firstBytes(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      if (length > MAX_RESPONSE_BYTES) break
    }
  } catch {
    // keep what arrived
  }
  return storable(Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES))
}

/** PostgreSQL takes neither NUL nor invalid UTF-8. A character that the limit cuts in two is left out. */
const storable = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')

class TookTooLong extends Error {}

/** Errors that have a text in the locales. */
const NETWORK_ERRORS = [
  'ENOTFOUND',
  'ENODATA',
  'ETIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_OVERFLOW',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
] as const
type NetworkError = (typeof NETWORK_ERRORS)[number]

/** Other codes for the same errors. */
const ALIASES: Readonly<Record<string, NetworkError>> = {
  EPIPE: 'ECONNRESET',
  HPE_HEADER_OVERFLOW: 'UND_ERR_HEADERS_OVERFLOW',
  ENETUNREACH: 'EHOSTUNREACH',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  SELF_SIGNED_CERT_IN_CHAIN: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const networkErrorOf = (code: string): NetworkError | undefined =>
  ALIASES[code] ?? NETWORK_ERRORS.find((each) => each === code)

const MAX_ERROR_LENGTH = 300

/** Why a request got no answer. */
export function failureReason(error: unknown): CodedText {
  if (error instanceof TookTooLong) return { code: 'webhooks.took_too_long', seconds: ATTEMPT_TIMEOUT_MS / SECOND_MS }
  if (error instanceof AddressRejectedError) return { code: 'webhooks.post_not_public' }
  if (error instanceof SchemeRejectedError) return { code: 'webhooks.not_https' }
  if (!(error instanceof Error)) return { code: 'webhooks.failed' }
  const code = codeOf(error)
  const known = networkErrorOf(code)
  if (known) return plainText(`webhooks.network_${known.toLowerCase() as Lowercase<NetworkError>}`)
  // OpenSSL's message is its reason between an address in memory and a line of its source
  const message = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message
  return asWritten(`${code} ${message}`.trim().slice(0, MAX_ERROR_LENGTH).replaceAll('\0', '').toWellFormed())
}
