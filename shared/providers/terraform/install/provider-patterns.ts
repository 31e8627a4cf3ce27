import { createError } from '../../../errors/error.ts'
import { normalizeHostname, parseSourceAddress, type SourceAddress } from './source-address.ts'

/** Reports whether an installation method accepts a provider. */
export type ProviderFilter = (address: SourceAddress) => boolean

/**
 * Creates the filter of an installation method from patterns such as `example.com/acme/*`. Without
 * `include` patterns, all providers are included. Throws TERRAFORM_SETTINGS_INVALID and
 * TERRAFORM_ADDRESS_INVALID.
 */
export function createProviderFilter(patterns: {
  readonly include: readonly string[] | undefined
  readonly exclude: readonly string[] | undefined
}): ProviderFilter {
  const includes = patterns.include?.map(parsePattern)
  const excludes = (patterns.exclude ?? []).map(parsePattern)
  return address =>
    (includes === undefined || includes.some(matches => matches(address))) &&
    !excludes.some(matches => matches(address))
}

function parsePattern(pattern: string): ProviderFilter {
  const parts = pattern.split('/')
  const type = parts.at(-1) ?? ''
  const namespace = parts.at(-2) ?? 'hashicorp'
  const isInvalid = parts.length > 3 || (namespace === '*' && type !== '*')
  if (isInvalid) throw createPatternError(pattern)
  const hostText = parts.at(-3)
  const isAnyHost = hostText === '*'
  if (isAnyHost && namespace !== '*') throw createPatternError(pattern)
  if (hostText !== undefined && !isAnyHost && normalizeHostname(hostText) === undefined)
    throw createPatternError(pattern)
  // Valid parts replace the wildcards, so that the other parts are checked and normalized.
  const literal = parseSourceAddress(
    [
      ...(hostText === undefined || isAnyHost ? [] : [hostText]),
      namespace === '*' ? 'any' : namespace,
      type === '*' ? 'any' : type,
    ].join('/'),
  )
  return address =>
    (isAnyHost || address.hostname === literal.hostname) &&
    (namespace === '*' || address.namespace === literal.namespace) &&
    (type === '*' || address.type === literal.type)
}

function createPatternError(pattern: string): Error {
  return createError(
    'TERRAFORM_SETTINGS_INVALID',
    `'${pattern}' is not a pattern of provider addresses`,
  )
}
