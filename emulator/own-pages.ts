import { ControlError } from './control-error.ts'
import type { FastifyRequest } from 'fastify'

/** Names under which a page of this machine alone can have come from the twin. */
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i

/**
 * The control API has no password, and every web page that is open in a browser on this machine can send requests to
 * it, or have its own name point to it. So a browser must say that it shows the twin's own page; what is no browser,
 * such as curl, says nothing of the kind.
 */
export async function refuseOtherPages({ headers }: FastifyRequest): Promise<void> {
  const { host = '', origin } = headers
  const site = headers['sec-fetch-site']
  if (!LOOPBACK.test(host)) throw refusal(`the host is ${host}: call the twin by 127.0.0.1 or localhost`)
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw refusal('the page of another site asked')
  if (origin !== undefined && origin !== `http://${host}`) throw refusal(`the page is from ${origin}`)
}

const refusal = (why: string): ControlError => new ControlError(`only the twin’s own page may do this; ${why}`, 403)
