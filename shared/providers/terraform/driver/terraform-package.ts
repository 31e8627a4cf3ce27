import type { PropertyNames } from '../mapping/property-names.ts'
import type { ResourceNames } from '../mapping/resource-names.ts'
import type { FunctionSignature } from '../mapping/read-schemas.ts'
import type { PackageTokens } from '../mapping/tokens.ts'
import type { MsgpackValue, ProviderSchemaResponse } from '../client/terraform-client.ts'
import type { BlockSchema } from '../values/schema.ts'
import type { ObjectType } from '../values/type-system.ts'

/** The schema of a resource type or data source, with the names of its properties. */
export interface ObjectSchemaOfType {
  /** The name of the type in Terraform, such as `random_pet`. */
  readonly typeName: string
  readonly block: BlockSchema
  /** The implied type of the block. */
  readonly type: ObjectType
  readonly names: PropertyNames
}

/** A resource type. */
export interface ResourceType extends ObjectSchemaOfType {
  readonly names: ResourceNames
  readonly version: number
  readonly identity: IdentitySchema | undefined
}

/** A resource type whose objects can be listed. */
export interface ListedType {
  /** The schema of the list's configuration. */
  readonly config: ObjectSchemaOfType
  /** The type of the listed objects. */
  readonly resource: ResourceType
}

/** The identity of a resource type: a flat object with a version of its own. */
export interface IdentitySchema {
  readonly version: number
  readonly block: BlockSchema
  readonly type: ObjectType
}

/** A package of a Terraform provider: its types and functions by the tokens of Pulumi. */
export interface TerraformPackage {
  /** The name of the package. */
  readonly name: string
  readonly version: string
  /** The address of the provider, such as `registry.opentofu.org/hashicorp/random`. */
  readonly source: string
  /** The type of the provider, such as `random`. */
  readonly providerName: string
  readonly tokens: PackageTokens
  readonly schemas: ProviderSchemaResponse
  readonly provider: ObjectSchemaOfType
  /**
   * The metadata of the package for calls about resources and data sources. Undefined if the
   * provider has no schema for them.
   */
  readonly providerMeta: MsgpackValue | undefined
  /** Throws ProviderError for an unknown token. */
  readonly findResource: (token: string) => ResourceType
  /** Throws ProviderError for an unknown token. */
  readonly findDataSource: (token: string) => ObjectSchemaOfType
  /** Returns an ephemeral resource by its type in Terraform. Throws ProviderError. */
  readonly findEphemeral: (typeName: string) => ObjectSchemaOfType
  readonly findListedType: (token: string) => ListedType | undefined
  readonly findAction: (token: string) => ObjectSchemaOfType | undefined
  readonly findFunction: (
    token: string,
  ) => { readonly name: string; readonly signature: FunctionSignature } | undefined
}

/** The identity of a package. */
export interface PackageIdentity {
  readonly name: string
  readonly version: string
  readonly source: string
  /** The type of the provider, such as `random`. */
  readonly providerName: string
}
