/** The nesting of a block type or of a nested type. Only blocks can be groups. */
export type SchemaNesting = 'single' | 'list' | 'set' | 'map' | 'group'

/** A description for people, in plain text or Markdown. */
export interface SchemaDescription {
  readonly text: string
  readonly isMarkdown: boolean
}

/** The schema of a resource, a data source or a provider, as the provider sent it. */
export interface SchemaMessage {
  readonly version: number
  readonly block: BlockMessage
}

/** The contents of a block. */
export interface BlockMessage {
  readonly attributes: readonly AttributeMessage[]
  readonly blockTypes: readonly BlockTypeMessage[]
  readonly description: SchemaDescription
  readonly isDeprecated: boolean
  readonly deprecationMessage: string
}

/** A block inside another one. */
export interface BlockTypeMessage {
  readonly typeName: string
  readonly block: BlockMessage
  readonly nesting: SchemaNesting
  readonly minItems: number
  /** 0 means no limit. */
  readonly maxItems: number
}

/** An attribute, which has either a type or a nested type. */
export interface AttributeMessage {
  readonly name: string
  /** The type as parsed JSON of cty, such as `["list","string"]`. */
  readonly type: unknown
  /** Only in protocol 6. */
  readonly nestedType: NestedTypeMessage | undefined
  readonly description: SchemaDescription
  readonly isRequired: boolean
  readonly isOptional: boolean
  readonly isComputed: boolean
  readonly isSensitive: boolean
  readonly isWriteOnly: boolean
  readonly isDeprecated: boolean
  readonly deprecationMessage: string
}

/** The attributes of an attribute with a nested type. */
export interface NestedTypeMessage {
  readonly attributes: readonly AttributeMessage[]
  readonly nesting: Exclude<SchemaNesting, 'group'>
}

/** The schema of a resource's identity: a flat object with its own version. */
export interface IdentitySchemaMessage {
  readonly version: number
  readonly attributes: readonly IdentityAttributeMessage[]
}

/** An attribute of an identity. */
export interface IdentityAttributeMessage {
  readonly name: string
  /** The type as parsed JSON of cty. */
  readonly type: unknown
  readonly isRequiredForImport: boolean
  readonly isOptionalForImport: boolean
  readonly description: string
}

/** A function of a provider. */
export interface FunctionMessage {
  readonly parameters: readonly FunctionParameterMessage[]
  readonly variadicParameter: FunctionParameterMessage | undefined
  /** The type of the result as parsed JSON of cty. */
  readonly returnType: unknown
  readonly summary: string
  readonly description: SchemaDescription
  readonly deprecationMessage: string
}

/** A parameter of a function. */
export interface FunctionParameterMessage {
  readonly name: string
  /** The type as parsed JSON of cty. */
  readonly type: unknown
  readonly allowsNull: boolean
  readonly allowsUnknown: boolean
  readonly description: SchemaDescription
}
