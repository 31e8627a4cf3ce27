import { error, messageOf } from '../../../errors/error.ts'
import type { ProviderReference } from '../../../names/provider-reference.ts'
import type { ConfigValue } from '../../request.ts'

const prefix = 'urn:pulumi:denied::denied::denied$pulumi:providers:denied::'
const suffix = '::denydefaultprovider'

/** What stands for the default provider of a package that may have none. */
export function createDeniedReference(pkg: string): ProviderReference {
  return `${prefix}${pkg}${suffix}` as ProviderReference
}

/** The package whose default provider a reference denies; undefined for any other reference. */
export function deniedPackageOf(reference: string): string | undefined {
  if (!reference.startsWith(prefix) || !reference.endsWith(suffix)) return undefined
  return reference.slice(prefix.length, -suffix.length)
}

/** What is told to who would need it. `subject`: a URN, or the token of a function. */
export function describeDenial(pkg: string, subject: string): string {
  return `Default provider for '${pkg}' disabled. '${subject}' must use an explicit provider.`
}

const key = 'pulumi:disable-default-providers'

/**
 * Whether the configuration says that a package has no default provider. Throws CONFIG_INVALID for
 * what is no list of names. Source: docs/spec/providers.md#default-providers.
 */
export function isDenied(config: ReadonlyMap<string, ConfigValue>, pkg: string): boolean {
  const text = config.get(key)?.text ?? ''
  if (text === '' || pkg === 'pulumi') return false
  const denied = parse(text)
  // What stands behind the name itself is not looked at, as in Pulumi.
  for (const [at, name] of denied.entries()) {
    if (typeof name !== 'string') throw error('CONFIG_INVALID', `${key}[${at}] must be a string`)
    if (['*', pkg].includes(name.trim())) return true
  }
  return false
}

function parse(text: string): readonly unknown[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw error('CONFIG_INVALID', `Failed to parse ${text}: ${messageOf(cause)}`, { cause })
  }
  if (parsed === null) return []
  if (Array.isArray(parsed)) return parsed
  throw error('CONFIG_INVALID', `Failed to parse ${text}: ${key} must be a list of package names`)
}
