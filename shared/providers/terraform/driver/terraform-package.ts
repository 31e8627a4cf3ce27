import type { PropertyNames } from '../mapping/property-names.ts'
import type { ResourceNames } from '../mapping/resource-names.ts'
import type { FunctionSignature } from '../mapping/read-schema-messages.ts'
import type { PackageTokens } from '../mapping/tokens.ts'
import type { MsgpackValue, ProviderSchemaResponse } from '../client/terraform-client.ts'
import type { BlockSchema } from '../values/schema.ts'
import type { ObjectType } from '../values/type-system.ts'

/** The schema of a type that a provider defines, such as a resource type or an action. */
export interface TypeSchema {
  /** The name of the type in Terraform, such as `random_pet`. */
  readonly typeName: string
  readonly block: BlockSchema
  /** The implied type of the block. */
  readonly type: ObjectType
  /** The names of its properties in Pulumi and in Terraform. */
  readonly names: PropertyNames
}

/** A resource type. */
export interface ResourceType extends TypeSchema {
  readonly names: ResourceNames
  readonly version: number
  readonly identity: IdentitySchema | undefined
}

/** A resource type whose objects can be listed. */
export interface ListedType {
  /** The schema of the list's configuration. */
  readonly config: TypeSchema
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
export interface TerraformPackage extends PackageDescriptor {
  readonly tokens: PackageTokens
  readonly schemas: ProviderSchemaResponse
  /** The schema of the provider's configuration. */
  readonly provider: TypeSchema
  /**
   * The metadata of the package for calls about resources and data sources. Undefined if the
   * provider accepts no metadata.
   */
  readonly providerMeta: MsgpackValue | undefined
  /** Throws ProviderError for an unknown token. */
  readonly requireResource: (token: string) => ResourceType
  /** Throws ProviderError for an unknown token. */
  readonly requireDataSource: (token: string) => TypeSchema
  /** Returns an ephemeral resource by its type in Terraform. Throws ProviderError. */
  readonly requireEphemeral: (typeName: string) => TypeSchema
  readonly findListedType: (token: string) => ListedType | undefined
  readonly findAction: (token: string) => TypeSchema | undefined
  readonly findFunction: (
    token: string,
  ) => { readonly name: string; readonly signature: FunctionSignature } | undefined
}

/** The name and version of a package, and its provider. */
export interface PackageDescriptor {
  /** The name of the package. */
  readonly name: string
  readonly version: string
  /**
   * The address of the provider, such as `registry.opentofu.org/hashicorp/random`, or the path of a
   * local one.
   */
  readonly source: string
  /** The type of the provider, such as `random`. */
  readonly providerName: string
}
