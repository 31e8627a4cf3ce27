import { createError } from '../errors/error.ts'
import { isUrn, typeOf, type Urn } from './urn.ts'

/** A reference `<provider urn>::<id>`, as in states and requests. */
export type ProviderReference = string & { readonly __brand: 'ProviderReference' }

/** The marker of an unknown string on the wire, and of an unknown id. */
export const unknownStringMarker = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'

const providerTypePrefix = 'pulumi:providers:'

/** Reports whether `type` is the type of a provider resource. */
export function isProviderType(type: string): boolean {
  return type.startsWith(providerTypePrefix) && type.length > providerTypePrefix.length
}

/** Returns the provider type of a package. */
export function providerTypeOf(pkg: string): string {
  return providerTypePrefix + pkg
}

/** Returns the package of a provider type, or of any resource or function token. */
export function packageOf(token: string): string {
  return isProviderType(token)
    ? token.slice(providerTypePrefix.length)
    : (token.split(':', 1)[0] ?? '')
}

/** Joins URN and id of a provider. An empty id becomes `unknownStringMarker`. */
export function providerReferenceOf(urn: Urn, id: string): ProviderReference {
  return `${urn}::${id === '' ? unknownStringMarker : id}` as ProviderReference
}

/** Splits a reference at the last `::`. Throws PROVIDER_REFERENCE. */
export function parseProviderReference(text: string): { readonly urn: Urn; readonly id: string } {
  const separatorIndex = text.lastIndexOf('::')
  const urn = text.slice(0, separatorIndex)
  if (separatorIndex < 0 || !isUrn(urn) || !isProviderType(typeOf(urn)))
    throw createError('PROVIDER_REFERENCE', `'${text}' is not a provider reference`)
  return { urn, id: text.slice(separatorIndex + 2) }
}

/** Returns the provider URN of a reference. Returns undefined for an empty reference. */
export function providerUrnOf(reference: string): Urn | undefined {
  return reference === '' ? undefined : parseProviderReference(reference).urn
}

/** Reports whether a name is that of a default provider. */
export function isDefaultProviderName(name: string): boolean {
  return name.startsWith('default')
}
