import ipaddr from 'ipaddr.js'

type Block = [ipaddr.IPv6, number]
const block = (text: string): Block => ipaddr.parseCIDR(text) as Block

/** What is allotted to the public; all else in IPv6 is local, experimental or a way to write IPv4. */
const PUBLIC_IPV6 = block('2000::/3')

/** Azure answers machines of its own here, although the address lies in a public range. */
const METADATA_IN_PUBLIC_RANGES = new Set(['168.63.129.16'])

/** Whether the text is an IP address in any notation that a resolver would take for one: `127.1`, `0x7f.1`, `2130706433`. */
export const isAddress = (text: string): boolean => ipaddr.isValid(text)

/**
 * Whether an address is one of the public Internet. Forms of IPv6 that carry an IPv4 address are refused, whatever
 * they carry; only `::ffff:` is read as the IPv4 address that it is, since sockets report their peers in it.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv6' && !address.match(PUBLIC_IPV6)) return false
  return address.range() === 'unicast' && !METADATA_IN_PUBLIC_RANGES.has(address.toString())
}
