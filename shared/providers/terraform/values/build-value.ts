import type { CtyPath } from './cty-path.ts'
import {
  type CtyType,
  type ObjectType,
  containsDynamic,
  areEqualTypes,
  createObjectType,
  sortEntries,
  createTupleType,
} from './type-system.ts'
import type { CtyMapping, CtyValue } from './cty-value.ts'
import { createProviderBug } from './provider-bug.ts'
import { sortSetElements } from './sort-set.ts'

/** Returns a tuple. Its type follows from its elements. */
export function tupleOf(elements: readonly CtyValue[]): CtyValue {
  return { kind: 'tuple', type: createTupleType(elements.map(({ type }) => type)), elements }
}

/** Returns an object. Its type follows from its attributes. */
export function objectOf(attributes: Iterable<readonly [string, CtyValue]>): CtyMapping {
  const entries = sortEntries(attributes)
  const types = [...entries].map(([name, { type }]) => [name, type] as const)
  return { kind: 'object', type: createObjectType(types), entries }
}

/**
 * Returns the object of this type whose attributes a function computes. If the type has dynamic
 * parts, the object has a type of its own.
 */
export function objectOfType(
  type: ObjectType,
  valueOf: (name: string, type: CtyType) => CtyValue,
): CtyMapping {
  const entries = new Map<string, CtyValue>()
  for (const [name, attribute] of type.attributes) entries.set(name, valueOf(name, attribute))
  return containsDynamic(type) ? objectOf(entries) : { kind: 'object', type, entries }
}

/**
 * Returns a list. If `elementType` has dynamic parts, the type of the elements replaces it. Throws
 * TERRAFORM_PROVIDER_BUG if the elements then have different types.
 */
export function listOf(
  elements: readonly CtyValue[],
  elementType: CtyType,
  path: CtyPath = [],
): CtyValue {
  const narrowedType = narrowElementType(elements, elementType, path)
  return {
    kind: 'list',
    type: { kind: 'list', element: narrowedType },
    elements: elements.map(value => retype(value, narrowedType)),
  }
}

/**
 * Returns a set. Equal elements are merged, unless they contain unknown values. Replaces a dynamic
 * element type, and throws, as `listOf` does.
 */
export function setOf(
  elements: readonly CtyValue[],
  elementType: CtyType,
  path: CtyPath = [],
): CtyValue {
  const narrowedType = narrowElementType(elements, elementType, path)
  return {
    kind: 'set',
    type: { kind: 'set', element: narrowedType },
    elements: sortSetElements(elements.map(value => retype(value, narrowedType))),
  }
}

/** Returns a map. Replaces a dynamic element type, and throws, as `listOf` does. */
export function mapOf(
  entries: Iterable<readonly [string, CtyValue]>,
  elementType: CtyType,
  path: CtyPath = [],
): CtyValue {
  const sorted = sortEntries(entries)
  const narrowedType = narrowElementType([...sorted.values()], elementType, path)
  return {
    kind: 'map',
    type: { kind: 'map', element: narrowedType },
    entries: new Map([...sorted].map(([key, value]) => [key, retype(value, narrowedType)])),
  }
}

function narrowElementType(
  elements: readonly CtyValue[],
  elementType: CtyType,
  path: CtyPath,
): CtyType {
  if (!containsDynamic(elementType)) return elementType
  const types = elements.map(({ type }) => type).filter(({ kind }) => kind !== 'dynamic')
  const [first] = types
  if (first === undefined) return elementType
  if (!types.every(type => areEqualTypes(type, first)))
    throw createProviderBug('all elements of a collection must have the same type', path)
  return first
}

/** Gives the type of the other elements to a null or unknown value that has no type. */
function retype(value: CtyValue, type: CtyType): CtyValue {
  return value.type.kind === 'dynamic' && type.kind !== 'dynamic' ? { ...value, type } : value
}
