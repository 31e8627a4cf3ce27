import {
  type CtyType,
  type ObjectType,
  containsDynamic,
  dynamicType,
  listType,
  mapType,
  createObjectType,
  setType,
} from './type-system.ts'

/** The schema of a block, whose value is an object. */
export interface BlockSchema {
  readonly attributes: ReadonlyMap<string, AttributeSchema>
  readonly blocks: ReadonlyMap<string, NestedBlockSchema>
  readonly description?: string
  readonly isDeprecated?: boolean
  readonly deprecationMessage?: string
}

/** The schema of an attribute, which has either a type or nested attributes. */
export type AttributeSchema = AttributeFlags &
  (
    | { readonly kind: 'plain'; readonly type: CtyType }
    | { readonly kind: 'nested'; readonly nested: ObjectSchema }
  )

/** The properties of an attribute besides its type. An absent flag is false. */
export interface AttributeFlags {
  readonly isRequired?: boolean
  readonly isOptional?: boolean
  /** Whether the provider may set the value. */
  readonly isComputed?: boolean
  readonly isSensitive?: boolean
  /** Whether the value is in the configuration only, and null in each state and plan. */
  readonly isWriteOnly?: boolean
  readonly description?: string
  readonly isDeprecated?: boolean
  readonly deprecationMessage?: string
}

/** The nested attributes of an attribute, and its nesting. */
export interface ObjectSchema {
  readonly attributes: ReadonlyMap<string, AttributeSchema>
  readonly nesting: 'single' | 'list' | 'set' | 'map'
}

/** The schema of blocks within a block. */
export interface NestedBlockSchema {
  readonly block: BlockSchema
  readonly nesting: 'single' | 'group' | 'list' | 'set' | 'map'
  /** The smallest number of blocks. */
  readonly minItems: number
  /** The largest number of blocks. Zero means no limit. */
  readonly maxItems: number
}

const cachedBlockTypes = new WeakMap<BlockSchema, ObjectType>()

/** Returns the type of the objects of a block. It is cached for each block. */
export function impliedTypeOf(block: BlockSchema): ObjectType {
  const cached = cachedBlockTypes.get(block)
  if (cached !== undefined) return cached
  const type = createObjectType([
    ...[...block.attributes].map(
      ([name, attribute]) => [name, typeOfAttribute(attribute)] as const,
    ),
    ...[...block.blocks].map(([name, nested]) => [name, typeOfNestedBlock(nested)] as const),
  ])
  cachedBlockTypes.set(block, type)
  return type
}

/** Returns the type of an attribute. */
export function typeOfAttribute(attribute: AttributeSchema): CtyType {
  if (attribute.kind === 'plain') return attribute.type
  const { nested } = attribute
  const object = typeOfObject(nested)
  switch (nested.nesting) {
    case 'single':
      return object
    case 'list':
      return listType(object)
    case 'set':
      return setType(object)
    case 'map':
      return mapType(object)
  }
}

const cachedObjectTypes = new WeakMap<ObjectSchema, ObjectType>()

/** Returns the type of one object of an attribute with nested attributes. */
export function typeOfObject(schema: ObjectSchema): ObjectType {
  const cached = cachedObjectTypes.get(schema)
  if (cached !== undefined) return cached
  const type = createObjectType(
    [...schema.attributes].map(([name, attribute]) => [name, typeOfAttribute(attribute)] as const),
  )
  cachedObjectTypes.set(schema, type)
  return type
}

/**
 * Returns the type of all blocks of one name. Blocks with dynamic parts may differ in their types.
 * So a list of them is encoded as a tuple and a map as an object, and the returned type is dynamic.
 */
export function typeOfNestedBlock({ block, nesting }: NestedBlockSchema): CtyType {
  const type = impliedTypeOf(block)
  switch (nesting) {
    case 'single':
    case 'group':
      return type
    case 'list':
      return containsDynamic(type) ? dynamicType : listType(type)
    case 'set':
      return setType(type)
    case 'map':
      return containsDynamic(type) ? dynamicType : mapType(type)
  }
}
