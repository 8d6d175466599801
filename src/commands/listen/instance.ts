import { request } from 'undici'
import { z } from 'zod'
import { SECOND_MS } from '../../lib/clock.ts'
import { asWritten } from '../../../locales/text.ts'
import { inEnglish } from '../../../locales/resources.ts'
import { visibleText } from '../../../locales/visible-text.ts'
import { UserError, systemCodeOf } from '../../lib/errors.ts'
import { failureReason } from '../../webhooks/delivery/post.ts'

/** An event as the instance sent it. Without `id` it is the webhook's body. */
export type ReadEvent = { id: string; type: string; timestamp: string }

export type ReadPage = { events: readonly ReadEvent[]; next: string | null }

/** `after` is the id of an event, or "latest". Throws RetryableError, or UserError for what only the user can fix. */
export type Instance = {
  url: string
  read(position: { after?: string | undefined; waitSeconds: number }, end: AbortSignal): Promise<ReadPage>
}

/** The next attempt may succeed. */
export class RetryableError extends Error {
  /** The instance only asks the client to slow down: no line is printed. */
  readonly isRateLimit: boolean

  constructor(reason: string, { isRateLimit = false } = {}) {
    super(reason)
    this.isRateLimit = isRateLimit
  }
}

/** In addition to the wait. */
const ANSWER_TIMEOUT_MS = 15 * SECOND_MS
/** One event may have 3 MiB, and the other events of a page 1 MiB together. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

const pageSchema = z.looseObject({
  events: z.array(z.looseObject({ id: z.uuid(), type: z.string(), timestamp: z.string() })),
  next: z.uuid().nullable(),
})

const problemSchema = z.looseObject({ code: z.string(), detail: z.string() })

export function instanceAt(url: string, apiKey: string): Instance {
  return {
    url,
    async read({ after, waitSeconds }, end) {
      const query = new URLSearchParams({ wait: String(waitSeconds), ...(after !== undefined && { after }) })
      const { status, location, body } = await get(`${url}${EVENTS_PATH}?${query.toString()}`, apiKey, {
        end,
        timeoutMs: waitSeconds * SECOND_MS + ANSWER_TIMEOUT_MS,
      })
      if (status >= 300 && status < 400) throw userError(redirectText(url, location))
      if (status === 200) {
        // The parsed copy orders the members differently, so only the original gives the bytes that were signed.
        if (pageSchema.safeParse(body).success) return body as ReadPage
        throw userError(`${url} responded to GET ${EVENTS_PATH} with something other than events. ${SET_URL}`)
      }
      throw toError(url, { status, problem: problemSchema.safeParse(body).data })
    },
  }
}

const EVENTS_PATH = '/api/v1/events'
/** For responses of other programs. */
const SET_URL = 'Set --url to the address where Doorcode responds to /healthz, with its port.'

/** Redirects are not followed: the key must not reach a host that the user did not name. */
function redirectText(url: string, location: string): string {
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined
  const isMoved = target?.pathname === EVENTS_PATH && target.origin !== url
  return isMoved
    ? `${url} redirects to ${target.origin}. Set --url to ${target.origin}`
    : `${url} redirects GET ${EVENTS_PATH} to ${visibleText(location)}. If a proxy asks people to sign in, exempt /api from it. ${SET_URL}`
}

type Failure = { status: number; problem: z.infer<typeof problemSchema> | undefined }

function toError(url: string, { status, problem }: Failure): Error {
  if (problem?.code === 'API_KEY_INVALID')
    return userError(
      `${url} does not accept the API key. Use a complete key of this instance that is neither revoked nor expired.`,
      'API_KEY_INVALID',
    )
  if (problem?.code === 'EVENT_NOT_FOUND')
    return userError(
      `${url} has no such event in the key’s workspace, or no longer keeps its content, and later ones may be missing. Use the id of a later event, or --from-start instead of --after to begin with the oldest event that is kept.`,
      'EVENT_NOT_FOUND',
    )
  if (problem?.code === 'RATE_LIMITED') return new RetryableError(visibleText(problem.detail), { isRateLimit: true })
  if (status === 429) return new RetryableError(`${url} responded with 429.`, { isRateLimit: true })
  if (status >= 500) return new RetryableError(`${url} responded with ${status}.`)
  if (problem === undefined && (status === 401 || status === 403))
    return userError(
      `${url} responded with ${status}, but the response is not Doorcode’s: another program or a proxy rejects the request. If it is a proxy, let /api pass. ${SET_URL}`,
    )
  if (problem === undefined || problem.code === 'NOT_FOUND')
    return userError(
      `${url} responded with ${status} to GET ${EVENTS_PATH}. It is not Doorcode, a node without the role api, or a release that does not have this route. ${SET_URL}`,
    )
  return userError(`${url} responded with ${status}: ${visibleText(problem.detail)}`)
}

const userError = (text: string, code?: ConstructorParameters<typeof UserError>[1]): UserError =>
  new UserError(asWritten(text), code)

type HttpResponse = { status: number; location: string; body: unknown }

async function get(
  url: string,
  apiKey: string,
  { end, timeoutMs }: { end: AbortSignal; timeoutMs: number },
): Promise<HttpResponse> {
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const response = await request(url, {
      headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json' },
      signal: AbortSignal.any([end, late]),
    })
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_RESPONSE_BYTES)
        throw userError(`${new URL(url).origin} responded with more than ${MAX_RESPONSE_BYTES} bytes. ${SET_URL}`)
      chunks.push(chunk)
    }
    const { location = '' } = response.headers
    return { status: response.statusCode, location: String(location), body: asJson(Buffer.concat(chunks)) }
  } catch (error) {
    if (error instanceof UserError || end.aborted) throw error
    const { origin } = new URL(url)
    if (late.aborted) throw new RetryableError(`${origin} did not respond within ${timeoutMs / SECOND_MS} s.`)
    throw new RetryableError(`${origin} cannot be reached. ${reasonOf(error)}`)
  }
}

/** Most readers do not understand OpenSSL's words for a server without TLS. */
function reasonOf(error: unknown): string {
  const isTlsFault = systemCodeOf(error).startsWith('ERR_SSL_')
  return isTlsFault ? 'It does not speak TLS: should --url begin with http://?' : inEnglish(failureReason(error))
}

function asJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
