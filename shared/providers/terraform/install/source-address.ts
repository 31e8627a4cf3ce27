import { domainToASCII } from 'node:url'
import { createError } from '../../../errors/error.ts'

/** The address of a provider in a registry. All parts are in lower case. */
export interface SourceAddress {
  /** The host, with its port unless it is 443. */
  readonly hostname: string
  readonly namespace: string
  readonly type: string
}

/** The host of addresses without one. */
const defaultHostname = 'registry.opentofu.org'
const defaultNamespace = 'hashicorp'

/**
 * Parses an address of the form `[hostname/][namespace/]type`. Throws TERRAFORM_ADDRESS_INVALID.
 */
export function parseSourceAddress(source: string): SourceAddress {
  const parts = source.split('/')
  const type = parts.at(-1) ?? ''
  const namespace = parts.at(-2) ?? defaultNamespace
  const hostname = parts.at(-3) ?? defaultHostname
  if (parts.length > 3) throw createAddressError(source, 'it has more than three parts')
  if (type.startsWith('terraform-provider-'))
    throw createAddressError(
      source,
      `its type must be '${type.slice('terraform-provider-'.length)}'`,
    )
  const address = {
    hostname: parseHostname(source, hostname),
    namespace: parsePart(source, namespace),
    type: parsePart(source, type),
  }
  if (address.hostname === 'terraform.io')
    throw createAddressError(source, 'providers of terraform.io are part of Terraform itself')
  return address
}

/** Formats an address with all three parts. */
export function formatSourceAddress({ hostname, namespace, type }: SourceAddress): string {
  return `${hostname}/${namespace}/${type}`
}

/**
 * Formats an address as the name of a stored plugin. Only the host contains dots, so the name is
 * unambiguous.
 */
export function formatStoredName({ hostname, namespace, type }: SourceAddress): string {
  return [hostname.replace(':', '_'), namespace, type].join('.')
}

/** Normalizes a host. Returns undefined for text that is not a host. */
export function normalizeHostname(text: string): string | undefined {
  const { name = '', port = '' } =
    /^(?<name>[^:/]+)(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {}
  const ascii = domainToASCII(name)
  if (ascii === '' || Number(port) > 65_535) return undefined
  return port === '' || port === '443' ? ascii : `${ascii}:${Number(port)}`
}

function parseHostname(source: string, text: string): string {
  const hostname = normalizeHostname(text)
  if (hostname === undefined) throw createAddressError(source, `'${text}' is not a host`)
  return hostname
}

function parsePart(source: string, part: string): string {
  if (part.length <= 63 && /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u.test(part))
    return part.toLowerCase().normalize('NFC')
  throw createAddressError(source, `'${part}' must consist of letters, digits and single dashes`)
}

function createAddressError(source: string, problem: string): Error {
  return createError(
    'TERRAFORM_ADDRESS_INVALID',
    `'${source}' is not an address of a Terraform provider: ${problem}`,
  )
}
