import { BlockList, isIP, isIPv6 } from 'node:net'
import { error } from '../../errors/error.ts'

/**
 * Networks that are no public unicast addresses, with what they are for. From the special-purpose
 * registries of IANA (RFC 6890 and its successors); those that carry an IPv4 address within are
 * refused whole, for the host behind such an address is chosen by a translator.
 */
const refused: readonly (readonly [network: string, bits: number, why: string])[] = [
  ['0.0.0.0', 8, 'this network'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared by carriers'],
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
  ['240.0.0.0', 4, 'reserved, broadcast among it'],
  ['::', 96, 'unspecified, loopback, IPv4-compatible'],
  ['::ffff:0:0', 96, 'IPv4-mapped'],
  ['64:ff9b::', 96, 'translation to IPv4'],
  ['64:ff9b:1::', 48, 'translation to IPv4'],
  ['100::', 64, 'discarded'],
  ['2001::', 23, 'protocol assignments, Teredo among them'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4'],
  ['3fff::', 20, 'documentation'],
  ['5f00::', 16, 'segment routing'],
  ['fc00::', 7, 'unique local: private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'site-local'],
  ['ff00::', 8, 'multicast'],
  // What no row above names: of all the rest only 2000::/3 was ever given out to hosts.
  ['::', 3, 'not given out'],
  ['4000::', 2, 'not given out'],
  ['8000::', 1, 'not given out'],
]

/** Which addresses may be called, by network (`10.1.0.0/16`) and by scheme. */
export interface AddressRules {
  /** Networks that are called although they are not public; none by default. */
  readonly allowedNetworks?: readonly string[]
  /** Whether `http:` is as good as `https:`; not by default. */
  readonly isPlainAllowed?: boolean
}

/** Decides on addresses that a name resolved to. */
export interface AddressFilter {
  /** Why the address must not be called; undefined when it may be. */
  readonly refusalOf: (address: string) => string | undefined
}

/** A judge by these rules. Throws OUTBOUND_REFUSED for a network that is none. */
export function createAddressFilter(rules: AddressRules): AddressFilter {
  const allowed = new BlockList()
  for (const network of rules.allowedNetworks ?? []) addNetwork(allowed, network)
  return {
    refusalOf: address => {
      const family = familyOf(address)
      if (allowed.check(address, family)) return undefined
      // To a list every IPv4 address is in the IPv4-mapped network too.
      const isMeant = (of: 'ipv4' | 'ipv6'): boolean => family === 'ipv6' || of === 'ipv4'
      return lists.find(one => isMeant(one.family) && one.list.check(address, family))?.why
    },
  }
}

/**
 * One list for each reason. A check of an IPv4-mapped address against an IPv4 network sees the
 * address within, so the reason is the one of that.
 */
const lists = refused.map(([network, bits, why]) => {
  const list = new BlockList()
  const family = familyOf(network)
  list.addSubnet(network, bits, family)
  return { list, family, why }
})

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', bits = ''] = network.split('/')
  try {
    if (!/^\d{1,3}$/.test(bits)) throw new Error('it has no length')
    list.addSubnet(address, Number(bits), familyOf(address))
  } catch {
    throw error('OUTBOUND_REFUSED', `'${network}' is no network like 10.1.0.0/16 or fd00::/8`)
  }
}

/**
 * The address of a call as it was given. Throws OUTBOUND_REFUSED for what is no URL, another scheme
 * than https (or http where that is allowed), and for a URL with a user in it.
 */
export function parseOutboundUrl(text: string, { isPlainAllowed = false }: AddressRules): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw error('OUTBOUND_REFUSED', 'the address to call is no URL')
  const schemes = isPlainAllowed ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol))
    throw error('OUTBOUND_REFUSED', `${url.host} is not called by ${url.protocol} but by https:`)
  if (url.username !== '' || url.password !== '')
    throw error('OUTBOUND_REFUSED', `the address at ${url.host} has a user or password in it`)
  return url
}

/**
 * Refuses an address that no call could ever reach by these rules, before anybody relies on it;
 * what a name resolves to is judged at each call. Throws OUTBOUND_REFUSED.
 */
export function refuseAddress(text: string, rules: AddressRules): void {
  const host = hostOf(parseOutboundUrl(text, rules))
  const why = isIP(host) === 0 ? undefined : createAddressFilter(rules).refusalOf(host)
  if (why !== undefined) throw error('OUTBOUND_REFUSED', `${host} is not called: ${why}`)
}

/** The host of a URL as a name or an address, which stands in brackets if it is one of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}
