import type { FastifyRequest } from 'fastify'

/**
 * Whether a call comes from a page of this dashboard: another site's page can make a browser send the cookie along, but
 * not name our origin. Calls are JSON, which no form can send, and each must say where it comes from.
 */
export function isFromOurPages({ method, headers, protocol }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (method !== 'GET' && !/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) return false
  const { origin, host } = headers
  if (origin !== undefined) return isOurs(origin, host, protocol)
  return method === 'GET' || site === 'same-origin'
}

/** Behind a proxy that ends TLS the page is https while the request is not: only the host counts then. */
function isOurs(origin: string, host: string | undefined, protocol: string): boolean {
  if (host === undefined) return false
  return origin === `${protocol}://${host}` || origin === `https://${host}`
}
