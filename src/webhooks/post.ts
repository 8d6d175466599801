import { type buildConnector, type Dispatcher, Agent, request } from 'undici'
import { SECOND_MS } from '../clock.ts'
import { keptSentences } from '../sentences.ts'
import { type ConnectorOptions, AddressRefused, publicConnector } from './connector.ts'

/** For everything: name, connection, answer and body. */
export const ATTEMPT_TIMEOUT_MS = 15 * SECOND_MS
/** So much of an answer's body is kept, for whoever looks for the cause; the rest is not even read. */
export const RESPONSE_BYTES_MOST = 2_048
/** Shorter than what common servers keep idle connections for, so that they seldom end just as one is used. */
const KEEP_ALIVE_MS = 4 * SECOND_MS
export const USER_AGENT = 'Doorcode-Webhooks/1'

/** What one request brought. Without an `httpStatus` no answer came, and `error` says why. */
export type Posted = {
  httpStatus: number | null
  retryAfter: string | null
  response: string | null
  error: string | null
}

/**
 * Connections are kept per origin, as many as there are attempts under way: two endpoints on one host never wait for
 * each other. How many attempts there may be is decided before, per endpoint.
 */
export function webhookAgent(options: ConnectorOptions): Agent {
  const connector = publicConnector(options)
  const connect = options.allowPrivate ? connector : byTlsAlone(connector)
  return new Agent({ connect, pipelining: 1, keepAliveTimeout: KEEP_ALIVE_MS })
}

/** An endpoint may have been added while DOORCODE_ALLOW_PRIVATE_WEBHOOKS was set: its URL counts at each attempt anew. */
const byTlsAlone =
  (connector: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    options.protocol === 'https:' ? connector(options, callback) : callback(new SchemeRefused(), null)

class SchemeRefused extends Error {}

export class Interrupted extends Error {}

export type Outgoing = {
  url: string
  headers: Record<string, string>
  body: string /** For tests. */
  timeoutMs?: number
}

/** One request. Never throws for what the receiver or the network did; throws Interrupted when `stop` was aborted. */
export async function post(agent: Dispatcher, outgoing: Outgoing, stop: AbortSignal): Promise<Posted> {
  const { url, headers, body, timeoutMs = ATTEMPT_TIMEOUT_MS } = outgoing
  const attempt = new AbortController()
  const end = (): void => attempt.abort(new Interrupted())
  const timer = setTimeout(() => attempt.abort(new TookTooLong()), timeoutMs)
  stop.addEventListener('abort', end)
  try {
    if (stop.aborted) throw new Interrupted()
    const answer = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': USER_AGENT },
      body,
      signal: attempt.signal,
    })
    const response = await firstBytes(answer.body)
    return {
      httpStatus: answer.statusCode,
      retryAfter: single(answer.headers['retry-after']),
      response: response === '' ? null : response,
      error: answer.statusCode >= 300 && answer.statusCode < 400 ? says.redirect.en : null,
    }
  } catch (error) {
    if (error instanceof Interrupted) throw error
    return { httpStatus: null, retryAfter: null, response: null, error: reason(error) }
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
  }
}

/** The status has come: whatever happens to the body changes nothing any more. Leaving the loop ends the connection. */
async function firstBytes(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      if (length > RESPONSE_BYTES_MOST) break
    }
  } catch {
    // kept as far as it came
  }
  return storable(Buffer.concat(chunks).subarray(0, RESPONSE_BYTES_MOST))
}

/** PostgreSQL takes neither NUL nor bad UTF-8. A character that the limit cut in two is left out. */
const storable = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')

const single = (header: string | string[] | undefined): string | null =>
  (Array.isArray(header) ? header[0] : header) ?? null

class TookTooLong extends Error {}

/** By the code of what the network says. */
const reasons = keptSentences({
  ENOTFOUND: { en: 'The host name does not exist.', ar: 'اسم المضيف غير موجود.' },
  ENODATA: { en: 'The host name has no address.', ar: 'لا عنوان لاسم المضيف.' },
  ETIMEOUT: { en: 'The name servers of the host did not answer.', ar: 'لم تجب خوادم أسماء المضيف.' },
  ECONNREFUSED: { en: 'The connection was refused.', ar: 'رُفض الاتصال.' },
  ECONNRESET: { en: 'The connection was ended before an answer came.', ar: 'انقطع الاتصال قبل وصول رد.' },
  EHOSTUNREACH: { en: 'There is no route to the host.', ar: 'لا طريق إلى المضيف.' },
  UND_ERR_CONNECT_TIMEOUT: { en: 'No connection could be made in time.', ar: 'تعذّر الاتصال في الوقت المتاح.' },
  UND_ERR_HEADERS_OVERFLOW: { en: 'The headers of the answer are too long.', ar: 'رؤوس الرد أطول من المسموح.' },
  CERT_HAS_EXPIRED: { en: 'The certificate has expired.', ar: 'انتهت صلاحية الشهادة.' },
  DEPTH_ZERO_SELF_SIGNED_CERT: { en: 'The certificate is signed by itself.', ar: 'الشهادة موقّعة ذاتيًا.' },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    en: 'The chain of certificates is not complete.',
    ar: 'سلسلة الشهادات غير مكتملة.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    en: 'The certificate is not for this host name.',
    ar: 'الشهادة ليست لاسم المضيف هذا.',
  },
})

/** What is known by several codes. */
const SAME: Readonly<Record<string, keyof typeof reasons>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  ENETUNREACH: 'EHOSTUNREACH',
}

const says = keptSentences({
  redirect: { en: 'Redirects are not followed.', ar: 'لا تُتبع عمليات إعادة التوجيه.' },
  tookTooLong: { en: 'There was no answer within {seconds} s.', ar: 'لم يصل رد خلال {seconds} ثانية.' },
  notPublic: { en: 'Not sent: {address} is not a public address.', ar: 'لم يُرسل: {address} ليس عنوانًا عامًا.' },
  notHttps: {
    en: 'Not sent: webhooks go to https:// alone.',
    ar: 'لم يُرسل: لا تُرسل الإشعارات إلا عبر اتصال مشفّر (HTTPS).',
  },
  failed: { en: 'The request failed.', ar: 'فشل الطلب.' },
})

const ERROR_LENGTH_MOST = 300

function reason(error: unknown): string {
  if (error instanceof TookTooLong) return says.tookTooLong({ seconds: ATTEMPT_TIMEOUT_MS / SECOND_MS }).en
  if (error instanceof AddressRefused) return says.notPublic({ address: error.address }).en
  if (error instanceof SchemeRefused) return says.notHttps.en
  if (!(error instanceof Error)) return says.failed.en
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = SAME[code] ?? code
  if (Object.hasOwn(reasons, known)) return reasons[known as keyof typeof reasons].en
  return `${code} ${error.message}`.trim().slice(0, ERROR_LENGTH_MOST).replaceAll('\0', '').toWellFormed()
}
