import { BlockList, isIP, isIPv6 } from 'node:net'
import { createError } from '../../errors/error.ts'

/**
 * Networks that are not public unicast, with the reason of their refusal. The source is IANA's
 * special-purpose registries (RFC 6890 and its successors). Networks with embedded IPv4 addresses
 * are refused completely, because a translator chooses the actual host.
 */
const refusedNetworks: readonly (readonly [network: string, bits: number, reason: string])[] = [
  ['0.0.0.0', 8, 'this network'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared by carriers (NAT)'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local, where clouds keep their metadata'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'protocol assignments'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.88.99.0', 24, 'relays of 6to4'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'benchmarks'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved, including broadcast'],
  ['::', 96, 'unspecified, loopback, IPv4-compatible'],
  ['::ffff:0:0', 96, 'IPv4-mapped'],
  ['64:ff9b::', 96, 'translation to IPv4'],
  ['64:ff9b:1::', 48, 'translation to IPv4'],
  ['100::', 64, 'discarded'],
  ['2001::', 23, 'protocol assignments, including Teredo'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4'],
  ['3fff::', 20, 'documentation'],
  ['5f00::', 16, 'segment routing'],
  ['fc00::', 7, 'unique local: private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'site-local'],
  ['ff00::', 8, 'multicast'],
  // The rest of the addresses outside of 2000::/3, the only network that is assigned to hosts.
  ['::', 3, 'unassigned'],
  ['4000::', 2, 'unassigned'],
  ['8000::', 1, 'unassigned'],
]

/** The rules for outbound addresses, by network (`10.1.0.0/16`) and scheme. */
export interface AddressRules {
  /** Networks that are allowed although they are not public. Default: none. */
  readonly allowedNetworks?: readonly string[]
  /** Whether `http:` is allowed too. Default: false. */
  readonly isHttpAllowed?: boolean
}

/**
 * The check of an IP address: the literal address in a URL, or an address to which the name in the
 * URL resolves.
 */
export interface AddressFilter {
  /**
   * Returns the reason why the address must not be called, or undefined if calls to it are allowed.
   */
  readonly refusalOf: (address: string) => string | undefined
}

/** Creates the filter of these rules. Throws OUTBOUND_REFUSED for an invalid network. */
export function createAddressFilter(rules: AddressRules): AddressFilter {
  const allowedNetworks = new BlockList()
  for (const network of rules.allowedNetworks ?? []) addNetwork(allowedNetworks, network)
  return {
    refusalOf: address => {
      const family = familyOf(address)
      if (allowedNetworks.check(address, family)) return undefined
      // A block list would compare an IPv4 address also with IPv6 networks, as an IPv4-mapped
      // address.
      const isComparable = (networkFamily: 'ipv4' | 'ipv6'): boolean =>
        family === 'ipv6' || networkFamily === 'ipv4'
      return blockLists.find(
        blockList => isComparable(blockList.family) && blockList.list.check(address, family),
      )?.reason
    },
  }
}

/**
 * One block list for each refused network. A check of an IPv4-mapped address against an IPv4
 * network uses the embedded IPv4 address, so the reason of that network applies.
 */
const blockLists = refusedNetworks.map(([network, bits, reason]) => {
  const list = new BlockList()
  const family = familyOf(network)
  list.addSubnet(network, bits, family)
  return { list, family, reason }
})

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', bits = ''] = network.split('/')
  try {
    if (!/^\d{1,3}$/.test(bits)) throw new Error('it has no prefix length')
    list.addSubnet(address, Number(bits), familyOf(address))
  } catch {
    throw createError(
      'OUTBOUND_REFUSED',
      `'${network}' is not a network such as 10.1.0.0/16 or fd00::/8`,
    )
  }
}

/**
 * Parses the URL of a call. Throws OUTBOUND_REFUSED for an invalid URL, for another scheme than
 * https (or http if allowed), and for a URL with credentials.
 */
export function parseOutboundUrl(text: string, { isHttpAllowed = false }: AddressRules): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined)
    throw createError('OUTBOUND_REFUSED', 'the address to call is not a valid URL')
  const schemes = isHttpAllowed ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol))
    throw createError(
      'OUTBOUND_REFUSED',
      `${url.host} must not be called by ${url.protocol}, only by https:`,
    )
  if (url.username !== '' || url.password !== '')
    throw createError('OUTBOUND_REFUSED', `the address at ${url.host} has a user or password in it`)
  return url
}

/**
 * Throws OUTBOUND_REFUSED for a URL that these rules can never allow, so that it is not saved. If
 * its host is a name, each call checks the addresses of the name.
 */
export function refuseForbiddenUrl(text: string, rules: AddressRules): void {
  const host = hostOf(parseOutboundUrl(text, rules))
  if (isIP(host) !== 0) requireAllowedAddress(host, createAddressFilter(rules))
}

/** Throws OUTBOUND_REFUSED if the literal address of a URL must not be called. */
export function requireAllowedAddress(address: string, addressFilter: AddressFilter): void {
  const reason = addressFilter.refusalOf(address)
  if (reason !== undefined)
    throw createError('OUTBOUND_REFUSED', `calls to ${address} are not allowed: ${reason}`)
}

/** Returns the host of a URL as a name or an address, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}
