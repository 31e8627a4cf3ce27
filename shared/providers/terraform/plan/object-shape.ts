/**
 * terraform/plan: the decisions that Terraform's core makes between the calls of a provider, and
 * its checks of the responses. Imports terraform/values. It is pure.
 *
 * Invariants: no message contains a value, because values may be secret. Flaws are collected, and
 * the caller decides which of them are fatal.
 */
import type { CtyPath } from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import {
  type AttributeSchema,
  type BlockSchema,
  type ObjectSchema,
  impliedTypeOf,
  typeOfObject,
} from '../values/schema.ts'
import type { CtyType, ObjectType } from '../values/type-system.ts'
import { unknownOf } from '../values/unknown-value.ts'

/** The schema of objects: of a block, or of an attribute with nested attributes. */
export type ObjectShape = BlockSchema | ObjectSchema

/** A contradiction in a response of a provider. */
export interface ProviderFlaw {
  readonly message: string
  readonly path: CtyPath
}

/** Returns the type of the objects of a shape. */
export function typeOfShape(shape: ObjectShape): ObjectType {
  return 'blocks' in shape ? impliedTypeOf(shape) : typeOfObject(shape)
}

/** Returns an attribute of an object: null if the object is null, unknown if it is unknown. */
export function attributeOf(value: CtyValue, name: string, type: CtyType): CtyValue {
  if (value.kind === 'unknown') return unknownOf(type)
  return (value.kind === 'object' ? value.entries.get(name) : undefined) ?? nullOf(type)
}

/** Returns an element of a list or tuple: unknown if the list is unknown. */
export function findElement(value: CtyValue, index: number, type: CtyType): CtyValue | undefined {
  if (value.kind === 'unknown') return unknownOf(type)
  return value.kind === 'list' || value.kind === 'tuple' ? value.elements[index] : undefined
}

/** Returns the elements of a map or object by key. Null and unknown have none. */
export function entriesOf(value: CtyValue): ReadonlyMap<string, CtyValue> {
  return value.kind === 'map' || value.kind === 'object' ? value.entries : new Map()
}

/** Returns the elements of a list, tuple or set. Null and unknown have none. */
export function elementsOf(value: CtyValue): readonly CtyValue[] {
  return value.kind === 'list' || value.kind === 'tuple' || value.kind === 'set'
    ? value.elements
    : []
}

/** Returns the attribute at the end of a path, or undefined if the path ends elsewhere. */
export function findAttributeAtPath(
  shape: ObjectShape,
  path: CtyPath,
): AttributeSchema | undefined {
  let current: ObjectShape = shape
  let isKeyNext = false
  for (const [index, step] of path.entries()) {
    if (step.kind !== 'attribute' || isKeyNext) {
      isKeyNext = false
      continue
    }
    const attribute: AttributeSchema | undefined = current.attributes.get(step.name)
    if (attribute !== undefined && index === path.length - 1) return attribute
    const inner = innerShapeOf(current, step.name)
    if (inner === undefined) return undefined
    current = inner.shape
    // The next step is the key of the map. A map with a dynamic element type is encoded as an
    // object, so its key is an attribute step.
    isKeyNext = inner.nesting === 'map'
  }
  return undefined
}

interface InnerShape {
  readonly shape: ObjectShape
  readonly nesting: string
}

function innerShapeOf(shape: ObjectShape, name: string): InnerShape | undefined {
  const attribute = shape.attributes.get(name)
  if (attribute?.kind === 'nested')
    return { shape: attribute.nested, nesting: attribute.nested.nesting }
  const nested = attribute === undefined && 'blocks' in shape ? shape.blocks.get(name) : undefined
  return nested === undefined ? undefined : { shape: nested.block, nesting: nested.nesting }
}
