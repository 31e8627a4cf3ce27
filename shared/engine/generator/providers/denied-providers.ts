import { createError, messageOf } from '../../../errors/error.ts'
import type { ProviderReference } from '../../../names/provider-reference.ts'
import type { ConfigValue } from '../../request.ts'

const deniedPrefix = 'urn:pulumi:denied::denied::denied$pulumi:providers:denied::'
const deniedSuffix = '::denydefaultprovider'

/** Returns the reference that replaces a default provider which the configuration disables. */
export function createDeniedReference(pkg: string): ProviderReference {
  return `${deniedPrefix}${pkg}${deniedSuffix}` as ProviderReference
}

/**
 * Returns the package of a disabled default provider. Returns undefined for any other reference.
 */
export function deniedPackageOf(reference: string): string | undefined {
  if (!reference.startsWith(deniedPrefix) || !reference.endsWith(deniedSuffix)) return undefined
  return reference.slice(deniedPrefix.length, -deniedSuffix.length)
}

/** Describes the error of a disabled provider. `subject`: a URN, or the token of a function. */
export function describeDenial(pkg: string, subject: string): string {
  return `Default provider for '${pkg}' disabled. '${subject}' must use an explicit provider.`
}

const configKey = 'pulumi:disable-default-providers'

/**
 * Reports whether the configuration disables the default provider of a package. Throws
 * CONFIG_INVALID when the value is not a list of names. Source:
 * docs/spec/providers.md#default-providers.
 */
export function isDefaultProviderDenied(
  config: ReadonlyMap<string, ConfigValue>,
  pkg: string,
): boolean {
  const text = config.get(configKey)?.text ?? ''
  if (text === '' || pkg === 'pulumi') return false
  const deniedNames = parseDeniedNames(text)
  // As in Pulumi, entries after the matching name are not checked.
  for (const [index, name] of deniedNames.entries()) {
    if (typeof name !== 'string')
      throw createError('CONFIG_INVALID', `${configKey}[${index}] must be a string`)
    if (['*', pkg].includes(name.trim())) return true
  }
  return false
}

function parseDeniedNames(text: string): readonly unknown[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw createError('CONFIG_INVALID', `Failed to parse ${text}: ${messageOf(cause)}`, { cause })
  }
  if (parsed === null) return []
  if (Array.isArray(parsed)) return parsed
  throw createError(
    'CONFIG_INVALID',
    `Failed to parse ${text}: ${configKey} must be a list of package names`,
  )
}
