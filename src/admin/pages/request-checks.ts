import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config, SettingName } from '../../lib/config.ts'
import { translatorOf } from '../../../locales/resources.ts'
import { type CodedText, LANGUAGES } from '../../../locales/text.ts'

type HostConfig = Pick<Config, 'publicUrl' | 'host'>

const HOST = /^(?<name>[a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/i

/**
 * Whether the Host header names this dashboard. With DNS rebinding, an attacker's host name resolves to this server, and
 * the attacker's pages get the dashboard's origin. Rebinding needs a name, so every IP address is accepted.
 */
export function isKnownHost(request: FastifyRequest, config: HostConfig): boolean {
  const { ips, headers } = request
  // A trusted proxy that does not forward the host must check it.
  if (ips !== undefined && ips.length > 1 && headers['x-forwarded-host'] === undefined) return true
  const name = HOST.exec(request.host)?.groups?.['name']?.toLowerCase().replace(/\.$/, '') ?? ''
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  return name !== '' && (name === new URL(config.publicUrl).hostname || name === config.host.toLowerCase())
}

const MAX_HOST_CHARACTERS = 255

/** In every language, because the reader's language is unknown. */
export function unknownHost({ host }: FastifyRequest, { publicUrl }: HostConfig): string {
  const text: CodedText = {
    code: 'server_pages.unknown_host',
    host: host.slice(0, MAX_HOST_CHARACTERS),
    publicUrl,
    setting: 'DOORCODE_PUBLIC_URL' satisfies SettingName,
    header: 'Host',
  }
  return LANGUAGES.map((language) => `${translatorOf(language).textOf(text)}\n`).join('\n')
}

/**
 * Whether a page of this dashboard makes the request (protection against CSRF). Another site can make a browser send the
 * cookie, but it can neither send our origin nor post JSON with a form.
 */
export function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { method, headers } = request
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (method !== 'GET' && !/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) return false
  const { origin } = headers
  if (origin === undefined) return method === 'GET' || site === 'same-origin'
  // The instance may have several host names. Behind a proxy that ends TLS, the page is https but the request is http.
  const { host, protocol } = request
  return origin === publicUrl || (host !== '' && [`${protocol}://${host}`, `https://${host}`].includes(origin))
}
