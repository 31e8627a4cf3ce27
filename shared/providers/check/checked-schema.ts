/** The type of a property, as far as generated sample inputs need it. */
export type PropertyType =
  | { readonly kind: 'string' | 'number' | 'integer' | 'boolean' | 'any' | 'asset' }
  | { readonly kind: 'choice'; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: 'list' | 'map'; readonly element: PropertyType }
  | { readonly kind: 'object'; readonly readProperties: () => PropertySchemas }

/** A property of a type. */
export interface PropertySchema {
  readonly type: PropertyType
  readonly isRequired: boolean
  readonly isSecret: boolean
  /** Whether the value is in the inputs only. */
  readonly isWriteOnly: boolean
}

/** Properties by name. */
export type PropertySchemas = ReadonlyMap<string, PropertySchema>

/** A resource type of a provider. */
export interface CheckedType {
  readonly token: string
  readonly inputs: PropertySchemas
  /** The outputs that the schema declares secret. */
  readonly secretOutputs: readonly string[]
}

/** The resource types of a provider, and the flaws of its schema. */
export interface CheckedSchema {
  readonly types: ReadonlyMap<string, CheckedType>
  readonly flaws: readonly string[]
  /** The schema as text, to compare it with that of another response. */
  readonly text: string
}

/** Returns a type that the schema does not describe. */
export function createUndescribedType(token: string): CheckedType {
  return { token, inputs: new Map(), secretOutputs: [] }
}
