import type { PropertyNames } from '../mapping/property-names.ts'
import type { BlockSchema } from '../values/schema.ts'
import type { TypedDeclaration } from './terraform-program.ts'
import type { Conversion } from './conversion.ts'
import { addressOfProvider } from './name-nodes.ts'
import { localProviderOf } from './read-program.ts'

/** A type of a provider, with its token. */
export interface FoundType {
  readonly token: string
  readonly block: BlockSchema
  readonly names: PropertyNames
}

/** The part of a conversion that contains the types. */
type Packages = Pick<Conversion, 'packages'>

/** Returns the type of a resource, or undefined if its provider has none. */
export function findResourceSchema(
  { type, body }: TypedDeclaration,
  { packages }: Packages,
): FoundType | undefined {
  const pkg = packages.get(localProviderOf(type, body))?.pkg
  const token = pkg?.tokens.resources.toToken.get(type)
  return pkg === undefined || token === undefined
    ? undefined
    : { token, ...pkg.requireResource(token) }
}

/** Returns the type of a data source, or undefined if its provider has none. */
export function findDataSourceSchema(
  { type, body }: TypedDeclaration,
  { packages }: Packages,
): FoundType | undefined {
  const pkg = packages.get(localProviderOf(type, body))?.pkg
  const token = pkg?.tokens.dataSources.toToken.get(type)
  return pkg === undefined || token === undefined
    ? undefined
    : { token, ...pkg.requireDataSource(token) }
}

/**
 * Returns the new name of the provider configuration that a resource or data source uses. The
 * argument `provider` may name a configuration, such as `aws.west`. Otherwise the configuration
 * without an alias is used. Returns undefined if the program does not configure the provider.
 */
export function findProviderName(
  { type, body }: TypedDeclaration,
  { names }: Pick<Conversion, 'names'>,
): string | undefined {
  const provider = body.attributes.get('provider')
  const alias =
    provider?.kind === 'attribute' && provider.source.kind === 'name' ? provider.name : undefined
  const local = localProviderOf(type, body)
  return (
    names.get(addressOfProvider(local, alias)) ?? names.get(addressOfProvider(local, undefined))
  )
}
