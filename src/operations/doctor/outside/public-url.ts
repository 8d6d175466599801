import { once } from 'node:events'
import { type IncomingMessage, get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { TLSSocket } from 'node:tls'
import { asWritten } from '../../../../locales/text.ts'
import { DAY_MS, SECOND_MS } from '../../../lib/clock.ts'
import type { Config } from '../../../lib/config.ts'
import { systemCodeOf } from '../../../lib/errors.ts'
import { type ListedNode, nodeSettings } from '../../../runtime/jobs/node.ts'
import { type NewFinding, durationText } from '../finding.ts'
import { isOnThisMachine } from '../settings.ts'

const RESPONSE_TIMEOUT_MS = 5 * SECOND_MS
const MAX_RESPONSE_BYTES = 1_024
const MIN_CERTIFICATE_MS = 14 * DAY_MS
/** Nodes with more URLs than this have their own finding. */
const MAX_URLS = 3

/** Asks for `/healthz` at the public URL, as seen from this machine. */
export async function findPublicUrlProblems(config: Config, nodes: readonly ListedNode[]): Promise<NewFinding[]> {
  const alive = nodes.filter(({ isAlive }) => isAlive).map(({ settings }) => settings)
  const inUse = (alive.length > 0 ? alive : [nodeSettings(config)]).map(({ publicUrl }) => publicUrl)
  const urls = [...new Set(inUse)].filter((url) => !isOnThisMachine(url)).slice(0, MAX_URLS)
  return (await Promise.all(urls.map((url) => findProblemsOf(url)))).flat()
}

export async function findProblemsOf(url: string, timeoutMs = RESPONSE_TIMEOUT_MS): Promise<NewFinding[]> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return checkResponse(url, await request(`${url}/healthz`, signal), new Date())
  } catch (error) {
    // Its code would be ABORT_ERR or, within the response, ECONNRESET.
    if (signal.aborted) return checkFailure(url, 'timeout')
    return checkFailure(url, systemCodeOf(error) || String(error))
  }
}

export function checkResponse(url: string, { status, body, validUntil }: Response, now: Date): NewFinding[] {
  if (status !== 200) return [{ code: 'public_url_status', url, status }]
  if (!isDoorcode(body)) return [{ code: 'public_url_elsewhere', url }]
  const leftMs = validUntil === undefined ? Number.POSITIVE_INFINITY : validUntil.getTime() - now.getTime()
  return leftMs < MIN_CERTIFICATE_MS ? [{ code: 'certificate_expires', url, duration: durationText(leftMs) }] : []
}

/** Recognizes the response of /healthz. */
const isDoorcode = (body: string): boolean => body.includes('"alive"')

/** Matches the names that OpenSSL and Node give to faults of certificates and of the handshake. */
const IS_TLS = /CERT|ISSUER|SELF_SIGNED|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$|^CRL_/

export function checkFailure(url: string, errorCode: string): NewFinding[] {
  if (errorCode === 'ENOTFOUND') return [{ code: 'public_url_unknown_host', url }]
  const reason = asWritten(errorCode)
  return [
    IS_TLS.test(errorCode) ? { code: 'public_url_tls', url, reason } : { code: 'public_url_unreachable', url, reason },
  ]
}

type Response = { status: number; body: string; validUntil: Date | undefined }

async function request(url: string, signal: AbortSignal): Promise<Response> {
  const options = { signal, agent: false as const, headers: { accept: 'application/json' } }
  const sent = url.startsWith('https:') ? getSecure(url, options) : getPlain(url, options)
  const [response] = (await once(sent, 'response', { signal })) as [IncomingMessage]
  const { socket } = response
  const certificate = socket instanceof TLSSocket ? socket.getPeerCertificate() : undefined
  let body = ''
  for await (const chunk of response) {
    body += String(chunk)
    if (body.length > MAX_RESPONSE_BYTES) break
  }
  sent.destroy()
  const validUntil = certificate?.valid_to ? new Date(certificate.valid_to) : undefined
  return { status: response.statusCode ?? 0, body, validUntil }
}
