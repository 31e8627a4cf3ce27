import type {
  GetProviderSchema_Response,
  Schema,
  Schema_Attribute,
  Schema_Block,
  Schema_NestedBlock,
} from '../../../../proto/gen/terraform/tfplugin6.ts'

/**
 * A schema of protocol 5 or 6. The protocols differ in the attributes: only protocol 6 has nested
 * types.
 */
export interface WireSchema extends Omit<Schema, 'block'> {
  readonly block: WireBlock | undefined
}

/** A block of protocol 5 or 6. */
export interface WireBlock extends Omit<Schema_Block, 'attributes' | 'blockTypes'> {
  readonly attributes: readonly WireAttribute[]
  readonly blockTypes: readonly WireBlockType[]
}

/** A block type of protocol 5 or 6. */
export interface WireBlockType extends Omit<Schema_NestedBlock, 'block'> {
  readonly block: WireBlock | undefined
}

/** An attribute of protocol 5 or 6. */
export interface WireAttribute extends Omit<Schema_Attribute, 'nestedType'> {
  readonly nestedType?: Schema_Attribute['nestedType']
}

/** The response of GetProviderSchema in protocol 5 or 6. */
export interface WireProviderSchema
  extends Pick<GetProviderSchema_Response, 'diagnostics' | 'functions' | 'serverCapabilities'> {
  readonly provider: WireSchema | undefined
  readonly providerMeta: WireSchema | undefined
  readonly resourceSchemas: ReadonlyMap<string, WireSchema>
  readonly dataSourceSchemas: ReadonlyMap<string, WireSchema>
  readonly ephemeralResourceSchemas: ReadonlyMap<string, WireSchema>
  readonly listResourceSchemas: ReadonlyMap<string, WireSchema>
  readonly actionSchemas: ReadonlyMap<string, { readonly schema: WireSchema | undefined }>
}
