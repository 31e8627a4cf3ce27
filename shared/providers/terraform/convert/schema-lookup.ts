import type { PropertyNames } from '../mapping/property-names.ts'
import type { BlockSchema } from '../values/schema.ts'
import type { TypedDeclaration } from './terraform-program.ts'
import {
  type Conversion,
  createFreeExpression,
  type PrintedExpression,
  type PrintScope,
} from './conversion.ts'
import type { HclExpression } from '../hcl/syntax.ts'
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

/** Prints a reference to the configuration of a provider, such as `aws.west`. */
export function printProvider(
  provider: HclExpression | undefined,
  { conversion }: PrintScope,
): PrintedExpression | undefined {
  const address =
    provider?.kind === 'attribute' && provider.source.kind === 'name'
      ? `provider.${provider.source.name}.${provider.name}`
      : provider?.kind === 'name'
        ? `provider.${provider.name}`
        : undefined
  const name = address === undefined ? undefined : conversion.names.get(address)
  return name === undefined ? undefined : createFreeExpression(name)
}
