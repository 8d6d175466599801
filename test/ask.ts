import { type Agent, request } from 'undici'
import type { AnswerCheck } from './answers.ts'

/** A request in a test's words. */
export type Asked = {
  body?: unknown
  /** Sent as it is, instead of `body`. */
  rawBody?: string | Buffer
  headers?: Record<string, string>
  /** Another key than one of the workspace's; null sends none. */
  key?: string | null
  /** Where to ask, instead of the world's first node. */
  url?: string
}

export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> }

export type Ask = (method: string, path: string, asked?: Asked) => Promise<Answer>

type AskOptions = { http: Agent; check: AnswerCheck; url: string; nextKey: () => Promise<string> }

/** Requests to the public API, each answer compared with the OpenAPI document. */
export function asking({ http, check, url, nextKey }: AskOptions): Ask {
  return async (method, path, asked = {}) => {
    const key = asked.key === undefined ? await nextKey() : asked.key
    const body = asked.rawBody ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body))
    const answer = await request(`${asked.url ?? url}${path}`, {
      method,
      dispatcher: http,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...asked.headers,
      },
      ...(body !== undefined && { body }),
    })
    const text = await answer.body.text()
    const headers = asHeaders(answer.headers)
    check(method, path, { status: answer.statusCode, headers, text })
    return { status: answer.statusCode, headers, text, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) }
  }
}

function asHeaders(given: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) for (const each of [value ?? []].flat()) headers.append(name, each)
  return headers
}

const REQUESTS_PER_WINDOW = 20
/** The limit counts a second; on a busy machine requests are counted long after they were made. */
const WINDOW_MS = 15_000

/** As many keys as it takes to stay under the rate limit of each, so that tests need not think of it. */
export function rotatingKeys(makeKey: () => Promise<string>): () => Promise<string> {
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
