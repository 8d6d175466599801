import { Resolver, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { SECOND_MS } from '../clock.ts'
import { isAddress, isPublicAddress } from './addresses.ts'

/** Why no connection was made: the endpoint leads into a network that is not public. */
export class AddressRefused extends Error {
  readonly address: string

  constructor(address: string) {
    super(`${address} is not a public address`)
    this.name = 'AddressRefused'
    this.address = address
  }
}

export type Address = { address: string; family: 4 | 6 }
/** All addresses of a name; throws when it has none. */
export type Resolve = (hostname: string) => Promise<Address[]>

const CONNECT_TIMEOUT_MS = 5 * SECOND_MS
const DNS_TIMEOUT_MS = 2 * SECOND_MS
const DNS_TRIES = 2

export type ConnectorOptions = { allowPrivate: boolean; resolve?: Resolve }

/**
 * Connects to public addresses alone (contract §5). Three checks, since each has a way round it: a host that is an
 * address is never looked up; a name is refused when any of its addresses is private; and the peer that was reached is
 * checked again. The addresses that were checked are the ones connected to, so a name that changes its mind in between
 * gains nothing.
 */
export function publicConnector({ allowPrivate, resolve = resolveName }: ConnectorOptions): buildConnector.connector {
  if (allowPrivate) return buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: systemLookup })
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: publicLookup(resolve) })
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isAddress(host) && !isPublicAddress(host)) return callback(new AddressRefused(host), null)
    connect(options, (...[error, socket]) => {
      if (error) return callback(error, null)
      const peer = socket.remoteAddress ?? 'an unknown peer'
      if (isPublicAddress(peer)) return callback(null, socket)
      socket.destroy()
      callback(new AddressRefused(peer), null)
    })
  }
}

/** Throws AddressRefused, or the resolver's error, unless the host is public now. */
export async function checkHost(hostname: string, resolve: Resolve = resolveName): Promise<void> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const addresses = isAddress(host) ? [host] : (await resolve(host)).map(({ address }) => address)
  const refused = addresses.find((address) => !isPublicAddress(address))
  if (refused !== undefined) throw new AddressRefused(refused)
}

const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, answer) => {
    const look = async (): Promise<void> => {
      const addresses = await resolve(hostname)
      const refused = addresses.find(({ address }) => !isPublicAddress(address))
      if (refused) throw new AddressRefused(refused.address)
      const [first] = addresses
      if (!first) throw new Error(`${hostname} has no address`)
      if (options.all) answer(null, addresses)
      else answer(null, first.address, first.family)
    }
    look().catch((error: Error) => answer(error, ''))
  }

/**
 * Asks the name servers itself: the system's resolver runs on the four threads that the whole process shares, where a
 * few names whose servers do not answer would hold up everyone else's.
 */
async function resolveName(hostname: string): Promise<Address[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })
  const ask = (family: 4 | 6): Promise<Address[]> =>
    new Promise((resolve, reject) => {
      const answer = (error: Error | null, addresses: string[]): void =>
        error ? reject(error) : resolve(addresses.map((address) => ({ address, family })))
      if (family === 4) resolver.resolve4(hostname, answer)
      else resolver.resolve6(hostname, answer)
    })
  const [four, six] = await Promise.allSettled([ask(4), ask(6)])
  const addresses = [four, six].flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  if (addresses.length > 0) return addresses
  throw four.status === 'rejected' ? four.reason : new Error(`${hostname} has no address`)
}
