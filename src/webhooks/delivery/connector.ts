import { lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { SECOND_MS } from '../../lib/clock.ts'

/** The endpoint's address is not public, so no connection was made. */
export class AddressRejectedError extends Error {
  readonly address: string

  constructor(address: string) {
    super(`${address} is not a public address`)
    this.name = 'AddressRejectedError'
    this.address = address
  }
}

export type Address = { address: string; family: 4 | 6 }
/** All addresses of a name; throws when it has none. */
export type Resolve = (hostname: string) => Promise<Address[]>

const CONNECT_TIMEOUT_MS = 5 * SECOND_MS
/** post.ts speaks HTTP/1.1: a server that is offered HTTP/2 may choose it. */
const CONNECT_OPTIONS = { timeout: CONNECT_TIMEOUT_MS, allowH2: false }
const DNS_TIMEOUT_MS = 2 * SECOND_MS
const DNS_TRIES = 2
/** From the IPv4 addresses on: some name servers never answer for IPv6, and the resolver's tries take longer than CONNECT_TIMEOUT_MS. */
const IPV6_WAIT_MS = SECOND_MS

export type ConnectorOptions = { allowPrivate: boolean; resolve?: Resolve }

/**
 * Connects to public addresses only (docs/webhooks.md#endpoints). Three checks, since each one can be bypassed: a host
 * that is an address is never looked up; a name is rejected when any of its addresses is private; and the connected peer is
 * checked again. The checked addresses are the ones connected to, so DNS rebinding gains nothing.
 */
export function publicConnector({ allowPrivate, resolve = resolveName }: ConnectorOptions): buildConnector.connector {
  if (allowPrivate) return buildConnector({ ...CONNECT_OPTIONS, lookup: systemLookup })
  const connect = buildConnector({ ...CONNECT_OPTIONS, lookup: publicLookup(resolve) })
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isAddress(host) && !isPublicAddress(host)) return callback(new AddressRejectedError(host), null)
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      const peer = socket.remoteAddress ?? 'an unknown peer'
      if (isPublicAddress(peer)) return callback(null, socket)
      socket.destroy()
      callback(new AddressRejectedError(peer), null)
    })
  }
}

/** The addresses of a host. Throws AddressRejectedError, or the resolver's error, unless all are public now. */
export async function checkHost(hostname: string, resolve: Resolve = resolveName): Promise<Address[]> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const addresses = isAddress(host) ? [{ address: host, family: 4 } as const] : await resolve(host)
  const rejected = addresses.find(({ address }) => !isPublicAddress(address))
  if (rejected) throw new AddressRejectedError(rejected.address)
  return addresses
}

const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, answer) => {
    const lookup = async (): Promise<void> => {
      const addresses = await checkHost(hostname, resolve)
      const [first] = addresses
      if (!first) throw new Error(`${hostname} has no address`)
      if (options.all) answer(null, addresses)
      else answer(null, first.address, first.family)
    }
    lookup().catch((error: Error) => answer(error, ''))
  }

/**
 * Queries the name servers directly: the system's resolver runs on the four threads of the whole process, where a few
 * names whose servers do not answer would delay all others.
 */
export async function resolveName(
  hostname: string,
  resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES }),
): Promise<Address[]> {
  const ipv4 = resolver.resolve4(hostname)
  ipv4.then(
    () => setTimeout(() => resolver.cancel(), IPV6_WAIT_MS).unref(),
    () => undefined,
  )
  const [four, six] = await Promise.allSettled([ipv4, resolver.resolve6(hostname)])
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address): Address => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address): Address => ({ address, family: 6 })),
  ]
  if (addresses.length > 0) return addresses
  throw four.status === 'rejected' ? four.reason : new Error(`${hostname} has no address`)
}

/** The public range; everything else in IPv6 is local, experimental or another notation for IPv4. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Azure's platform services answer its virtual machines here, although the address lies in a public range. */
const METADATA_IN_PUBLIC_RANGES = new Set(['168.63.129.16'])

/** In any notation that a resolver takes for an IP address: `127.1`, `0x7f.1`, `2130706433`. */
const isAddress = (text: string): boolean => ipaddr.isValid(text)

/**
 * IPv6 forms that carry an IPv4 address are never public, whatever they carry, except `::ffff:`, which is read as its IPv4
 * address, since sockets report their peers in it.
 */
export function isPublicAddress(text: string): boolean {
  if (!isAddress(text)) return false
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv6' && !address.match(PUBLIC_IPV6)) return false
  return address.range() === 'unicast' && !METADATA_IN_PUBLIC_RANGES.has(address.toString())
}
