/**
 * terraform/mapping: the names and values of Terraform as Pulumi programs see them, and the form in
 * which states keep both. Imports terraform/values, the schemas of terraform/client,
 * providers/package-schema, errors and values. It is pure.
 *
 * Invariants: names follow from the schema only, never from a value. Keys of maps are data, and are
 * never renamed. The names are those of Pulumi's bridge, even where its rules give odd words.
 */
import type {
  AttributeSchema,
  BlockSchema,
  NestedBlockSchema,
  ObjectSchema,
} from '../values/schema.ts'
import type { CtyType, ObjectType } from '../values/type-system.ts'
import { toCamelCase } from './camel-case.ts'
import { pluralize } from './plural.ts'

/** The schema of objects: a block, nested attributes, or an object type. */
export type AnyObjectSchema = BlockSchema | ObjectSchema | ObjectType

/** The names of an object's properties in both directions. */
export interface PropertyNames {
  /** The properties in Pulumi, by the name in Terraform. */
  readonly toPulumi: ReadonlyMap<string, PropertyName>
  /** The names in Terraform, by the name in Pulumi. */
  readonly toTerraform: ReadonlyMap<string, string>
}

/** A property of an object in Pulumi. */
export interface PropertyName {
  readonly name: string
  /**
   * Whether the list or set has at most one block. The property in Pulumi is then the block itself.
   */
  readonly isFlattened: boolean
  readonly shape: ValueShape
}

/** The kind of a value, with the names within it. No part of a free value is renamed. */
export type ValueShape =
  | { readonly kind: 'free' }
  | { readonly kind: 'object'; readonly names: PropertyNames }
  | { readonly kind: 'list' | 'set' | 'map'; readonly element: ValueShape }
  | { readonly kind: 'tuple'; readonly elements: readonly ValueShape[] }

/** The shape of values whose parts are not renamed. */
export const freeShape: ValueShape = { kind: 'free' }

const cache = new WeakMap<AnyObjectSchema, PropertyNames>()

/** Returns the names of an object's properties. They are cached for each schema. */
export function propertyNamesOf(object: AnyObjectSchema): PropertyNames {
  const cached = cache.get(object)
  if (cached !== undefined) return cached
  const shapes = shapesOf(object)
  const names = createPropertyNames(
    [...shapes].map(([tfName, { shape, isFlattened }]) => {
      const isPlural = !isFlattened && (shape.kind === 'list' || shape.kind === 'set')
      const plural = isPlural ? pluralize(tfName) : tfName
      return [
        tfName,
        { name: toCamelCase(shapes.has(plural) ? tfName : plural), shape, isFlattened },
      ]
    }),
  )
  cache.set(object, names)
  return names
}

/** Returns names with their inverse. Of two equal names in Pulumi, the first one counts. */
export function createPropertyNames(
  properties: Iterable<readonly [string, PropertyName]>,
): PropertyNames {
  const toPulumi = new Map(properties)
  const toTerraform = new Map<string, string>()
  for (const [tfName, { name }] of toPulumi)
    if (!toTerraform.has(name)) toTerraform.set(name, tfName)
  return { toPulumi, toTerraform }
}

type PropertyShape = Omit<PropertyName, 'name'>

function shapesOf(object: AnyObjectSchema): ReadonlyMap<string, PropertyShape> {
  // Of the three kinds of schemas, only an object type has the field `kind`.
  if ('kind' in object)
    return mapValues(object.attributes, type => ({ shape: shapeOfType(type), isFlattened: false }))
  const attributes = mapValues(object.attributes, attribute => ({
    shape: shapeOfAttribute(attribute),
    isFlattened: false,
  }))
  return 'blocks' in object
    ? new Map([...attributes, ...mapValues(object.blocks, shapeOfBlock)])
    : attributes
}

function mapValues<A, B>(
  entries: ReadonlyMap<string, A>,
  convert: (value: A) => B,
): ReadonlyMap<string, B> {
  return new Map([...entries].map(([name, value]) => [name, convert(value)]))
}

function shapeOfAttribute(attribute: AttributeSchema): ValueShape {
  return attribute.kind === 'plain'
    ? shapeOfType(attribute.type)
    : nestShape(attribute.nested.nesting, attribute.nested)
}

function shapeOfBlock({ block, nesting, maxItems }: NestedBlockSchema): PropertyShape {
  const isFlattened = (nesting === 'list' || nesting === 'set') && maxItems === 1
  return { shape: nestShape(nesting, block), isFlattened }
}

function nestShape(nesting: NestedBlockSchema['nesting'], object: AnyObjectSchema): ValueShape {
  const element: ValueShape = { kind: 'object', names: propertyNamesOf(object) }
  return nesting === 'single' || nesting === 'group' ? element : { kind: nesting, element }
}

/** Returns the shape of the values of a type. */
export function shapeOfType(type: CtyType): ValueShape {
  switch (type.kind) {
    case 'list':
    case 'set':
    case 'map':
      return { kind: type.kind, element: shapeOfType(type.element) }
    case 'tuple':
      return { kind: 'tuple', elements: type.elements.map(shapeOfType) }
    case 'object':
      return { kind: 'object', names: propertyNamesOf(type) }
    default:
      return freeShape
  }
}
