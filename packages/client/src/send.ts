import type { Problem } from './errors.ts'
import { DoorcodeConnectionError, DoorcodeError } from './errors.ts'
import { readRetryAfter, waitBeforeRetry } from './retry.ts'
import type { OperationName, Route } from './routes.ts'

/** One event may have 3 MiB, and the other events of a page 1 MiB together. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type Call = {
  operation: OperationName
  route: Route
  url: URL
  headers: Headers
  body: string | undefined
  /** Of each attempt. */
  timeoutMs: number
  maxRetries: number
  idempotencyKey: string | undefined
  signal: AbortSignal | undefined
  fetch: Fetch
}

/** Every attempt has the same idempotency key. */
export async function send(call: Call): Promise<unknown> {
  const { route, maxRetries, signal } = call
  const isRepeatable = route.method === 'GET' || route.takesKey
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt(call)
    } catch (error) {
      const waitMs = waitBeforeRetry(error, { retries, isRepeatable }, Math.random())
      if (waitMs === undefined || retries === maxRetries) throw error
      await pause(waitMs, signal)
    }
  }
}

async function attempt(call: Call): Promise<unknown> {
  const { url, route, headers, body, timeoutMs, signal } = call
  signal?.throwIfAborted()
  const ending = new AbortController()
  const abort = (): void => ending.abort(signal?.reason)
  let isTimeout = false
  const timer = setTimeout(() => {
    isTimeout = true
    ending.abort()
  }, timeoutMs)
  signal?.addEventListener('abort', abort)
  try {
    // Redirects are not followed: the key must not reach a host that the caller did not name.
    const init: RequestInit = { method: route.method, headers, redirect: 'manual', signal: ending.signal }
    const response = await call.fetch(url.href, body === undefined ? init : { ...init, body })
    return read(call, response, await textOf(call, response))
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof DoorcodeError || error instanceof DoorcodeConnectionError) throw error
    const reason = isTimeout
      ? `${url.origin} did not respond within ${timeoutMs} ms.`
      : `${url.origin} cannot be reached, or the connection broke: ${causeOf(error)}.`
    throw connectionError(call, { reason, isTimeout, cause: error })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

async function textOf(call: Call, { body, status }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  const reader = body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.byteLength
    if (bytes > MAX_RESPONSE_BYTES) {
      const reason = `${call.url.origin} responded with more than ${MAX_RESPONSE_BYTES} bytes.`
      await reader.cancel()
      throw connectionError(call, { reason, status })
    }
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}

function read(call: Call, { ok, status, headers }: Response, text: string): unknown {
  const { operation, route, url, idempotencyKey } = call
  const answer = asObject(text)
  if (ok && answer !== undefined && route.responseField in answer) return answer
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now())
  if (!ok && isProblem(answer))
    throw new DoorcodeError({ operation, status, problem: answer, idempotencyKey, retryAfterMs })
  const location = headers.get('location')
  const reason = location
    ? `${url.origin} redirects to ${location}. Set "url" to the address at which Doorcode itself answers.`
    : // without its text, which may repeat the request's code
      `${url.origin + url.pathname} responded with ${status}, but not as Doorcode does. Check "url": is there a proxy, or another program?`
  throw connectionError(call, { reason, status, retryAfterMs })
}

const connectionError = (
  { operation, idempotencyKey }: Call,
  facts: ConstructorParameters<typeof DoorcodeConnectionError>[2],
): DoorcodeConnectionError => new DoorcodeConnectionError(operation, idempotencyKey, facts)

function asObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const isProblem = (value: object | undefined): value is Problem =>
  value !== undefined && 'code' in value && 'detail' in value && 'correlationId' in value

/** `fetch` says only "fetch failed"; its cause says why. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? cause.message || cause.name : error.message
}

/** Throws the reason of the signal when it aborts. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
