import type { FastifyRequest } from 'fastify'

/**
 * Whether a call comes from a page of this dashboard: another site's page can make a browser send the cookie along, but
 * not name our origin. Calls are JSON, which no form can send, and each must say where it comes from.
 */
export function isFromOurPages(request: FastifyRequest, publicUrl: string): boolean {
  const { method, headers } = request
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (method !== 'GET' && !/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) return false
  const { origin } = headers
  if (origin !== undefined) return isOurs(origin, request, publicUrl)
  return method === 'GET' || site === 'same-origin'
}

/**
 * The instance may have several names. Behind a proxy that ends TLS the page is https while the request is not: only the
 * host counts then.
 */
function isOurs(origin: string, { host, protocol }: FastifyRequest, publicUrl: string): boolean {
  if (origin === publicUrl) return true
  return host !== '' && (origin === `${protocol}://${host}` || origin === `https://${host}`)
}
