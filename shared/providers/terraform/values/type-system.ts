/**
 * terraform/values: the type system of Terraform's provider protocol (cty), its values, its codecs
 * and the schemas of providers. Imports errors and values. It is pure: no clock, no process, no
 * network.
 *
 * Invariants: a value carries its own type, and every part of it conforms to that type. Strings and
 * keys are NFC-normalized. Numbers have the precision of cty (512 bits). Marks of sensitive parts
 * are lists of paths outside the values. Entries of objects and maps are sorted by the bytes of
 * their keys.
 */
import { compareUtf8 } from '../../../values/go-json.ts'

/** A type of cty. Attributes of an object are sorted by name. */
export type CtyType =
  | { readonly kind: 'string' | 'number' | 'bool' | 'dynamic' }
  | CollectionType
  | ObjectType
  | TupleType

/** The type of a collection, whose elements all have one type. */
export interface CollectionType {
  readonly kind: 'list' | 'set' | 'map'
  readonly element: CtyType
}

/** The type of a sequence with a fixed length, in which each element has its own type. */
export interface TupleType {
  readonly kind: 'tuple'
  readonly elements: readonly CtyType[]
}

/** The type of an object. Each known object of the type has all of its attributes. */
export interface ObjectType {
  readonly kind: 'object'
  readonly attributes: ReadonlyMap<string, CtyType>
}

export const stringType: CtyType = { kind: 'string' }
export const numberType: CtyType = { kind: 'number' }
export const boolType: CtyType = { kind: 'bool' }
/** The type of a value whose type becomes known only with the value. */
export const dynamicType: CtyType = { kind: 'dynamic' }

/** Returns the type of lists with this element type. */
export function listType(element: CtyType): CollectionType {
  return { kind: 'list', element }
}

/** Returns the type of sets with this element type. */
export function setType(element: CtyType): CollectionType {
  return { kind: 'set', element }
}

/** Returns the type of maps with this element type. */
export function mapType(element: CtyType): CollectionType {
  return { kind: 'map', element }
}

/** Returns the type of tuples with these element types. */
export function createTupleType(elements: readonly CtyType[]): TupleType {
  return { kind: 'tuple', elements }
}

/** Returns the type of objects with these attributes. Names are normalized and sorted. */
export function createObjectType(attributes: Iterable<readonly [string, CtyType]>): ObjectType {
  return { kind: 'object', attributes: sortEntries(attributes) }
}

/** Returns a map with normalized keys, sorted by their bytes. The last of equal keys wins. */
export function sortEntries<T>(entries: Iterable<readonly [string, T]>): ReadonlyMap<string, T> {
  const normalized = [...entries].map(
    ([key, value]) => [key.toWellFormed().normalize('NFC'), value] as const,
  )
  return new Map(normalized.toSorted(([a], [b]) => compareUtf8(a, b)))
}

/** Reports whether two types are equal. */
export function areEqualTypes(a: CtyType, b: CtyType): boolean {
  if (a === b) return true
  switch (a.kind) {
    case 'string':
    case 'number':
    case 'bool':
    case 'dynamic':
      return a.kind === b.kind
    case 'list':
    case 'set':
    case 'map':
      return a.kind === b.kind && areEqualTypes(a.element, b.element)
    case 'tuple':
      return (
        b.kind === 'tuple' &&
        a.elements.length === b.elements.length &&
        a.elements.every((element, index) =>
          areEqualTypes(element, b.elements[index] ?? dynamicType),
        )
      )
    case 'object':
      return b.kind === 'object' && areEqualAttributes(a, b)
  }
}

function areEqualAttributes(a: ObjectType, b: ObjectType): boolean {
  if (a.attributes.size !== b.attributes.size) return false
  for (const [name, type] of a.attributes) {
    const other = b.attributes.get(name)
    if (other === undefined || !areEqualTypes(type, other)) return false
  }
  return true
}

const cachedContainsDynamic = new WeakMap<CtyType, boolean>()

/** Reports whether a type is dynamic, or contains a dynamic type at any depth. */
export function containsDynamic(type: CtyType): boolean {
  const cached = cachedContainsDynamic.get(type)
  if (cached !== undefined) return cached
  const contains = type.kind === 'dynamic' || partsOf(type).some(containsDynamic)
  cachedContainsDynamic.set(type, contains)
  return contains
}

function partsOf(type: CtyType): readonly CtyType[] {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'bool':
    case 'dynamic':
      return []
    case 'list':
    case 'set':
    case 'map':
      return [type.element]
    case 'tuple':
      return type.elements
    case 'object':
      return [...type.attributes.values()]
  }
}

/** Returns a type as text for messages, such as `list of string`. */
export function describeType(type: CtyType): string {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'bool':
    case 'object':
    case 'tuple':
      return type.kind
    case 'dynamic':
      return 'any type'
    case 'list':
    case 'set':
    case 'map':
      return `${type.kind} of ${describeType(type.element)}`
  }
}
