import { type Agent, request } from 'undici'
import type { AnswerCheck } from '../runner/responses.ts'

export type SentRequest = {
  body?: unknown
  /** Sent unchanged, instead of `body`. */
  rawBody?: string | Buffer
  headers?: Record<string, string>
  /** Replaces the workspace's key; null sends none. */
  key?: string | null
  /** Replaces the origin of the world's first node. */
  url?: string
}

export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> }

export type Requester = (method: string, path: string, options?: SentRequest) => Promise<Answer>

type RequesterOptions = { http: Agent; check: AnswerCheck; url: string; nextKey: () => Promise<string> }

/** Requests to the public API, each answer compared with the OpenAPI document. */
export function createRequester({ http, check, url, nextKey }: RequesterOptions): Requester {
  return async (method, path, options = {}) => {
    const key = options.key === undefined ? await nextKey() : options.key
    const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
    const answer = await request(`${options.url ?? url}${path}`, {
      method,
      dispatcher: http,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body }),
    })
    const text = await answer.body.text()
    const headers = asHeaders(answer.headers)
    check(method, path, { status: answer.statusCode, headers, text })
    return { status: answer.statusCode, headers, text, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) }
  }
}

function asHeaders(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(received))
    for (const each of [value ?? []].flat()) headers.append(name, each)
  return headers
}

const REQUESTS_PER_WINDOW = 20
/** The limit is per second, but a busy machine may count requests much later. */
const WINDOW_MS = 15_000

/** Uses as many keys as needed to stay below the rate limit. */
export function createKeyRotation(makeKey: () => Promise<string>): () => Promise<string> {
  const keys: { key: Promise<string>; usedAt: number[] }[] = []
  return () => {
    const now = performance.now()
    for (const each of keys) {
      each.usedAt = each.usedAt.filter((at) => now - at < WINDOW_MS)
      if (each.usedAt.length >= REQUESTS_PER_WINDOW) continue
      each.usedAt.push(now)
      return each.key
    }
    const key = makeKey()
    keys.push({ key, usedAt: [now] })
    return key
  }
}
