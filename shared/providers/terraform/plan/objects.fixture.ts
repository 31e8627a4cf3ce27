import { listOf, mapOf, objectOf, objectOfType, setOf, tupleOf } from '../values/build-value.ts'
import { formatCtyNumber, convertFloat } from '../values/cty-number.ts'
import { formatCtyPath } from '../values/cty-path.ts'
import { type CtyValue, boolOf, nullOf, numberOf, stringOf } from '../values/cty-value.ts'
import { blocksOf, emptyBlockOf } from '../values/empty-block.ts'
import { type BlockSchema, type NestedBlockSchema, impliedTypeOf } from '../values/schema.ts'
import { type CtyType, dynamicType } from '../values/type-system.ts'
import { unknownOf } from '../values/unknown-value.ts'
import type { ProviderFlaw } from './object-shape.ts'

/** A value in plain JSON. The text `?` is an unknown value. */
export type PlainValue =
  | null
  | boolean
  | number
  | string
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue }

type PlainObject = { readonly [name: string]: PlainValue }

const isObject = (plain: PlainValue): plain is PlainObject =>
  typeof plain === 'object' && plain !== null && !Array.isArray(plain)

const isArray = (plain: PlainValue): plain is readonly PlainValue[] => Array.isArray(plain)

/** Creates the object of a block. Missing attributes are null, and missing blocks are empty. */
export function createPlanObject(block: BlockSchema, plain: PlainValue): CtyValue {
  const type = impliedTypeOf(block)
  if (plain === '?') return unknownOf(type)
  if (!isObject(plain)) return nullOf(type)
  return objectOfType(type, (name, partType) => {
    const part = plain[name]
    const nested = block.blocks.get(name)
    return nested === undefined
      ? valueFrom(partType, part ?? null)
      : blocksFrom(nested, partType, part)
  })
}

function blocksFrom(
  nested: NestedBlockSchema,
  type: CtyType,
  plain: PlainValue | undefined,
): CtyValue {
  if (plain === undefined) return emptyBlockOf(nested)
  if (plain === null) return nullOf(type)
  if (plain === '?') return unknownOf(type)
  if (isArray(plain))
    return blocksOf(
      nested,
      plain.map(item => ['', createPlanObject(nested.block, item)]),
    )
  if (nested.nesting !== 'map' || !isObject(plain)) return createPlanObject(nested.block, plain)
  return blocksOf(
    nested,
    Object.entries(plain).map(([key, item]) => [key, createPlanObject(nested.block, item)]),
  )
}

/** Creates a value of a type from plain JSON. */
function valueFrom(type: CtyType, plain: PlainValue): CtyValue {
  if (plain === null) return nullOf(type)
  if (plain === '?') return unknownOf(type)
  if (typeof plain === 'string') return stringOf(plain)
  if (typeof plain === 'boolean') return boolOf(plain)
  if (typeof plain === 'number') return numberOf(convertFloat(plain) ?? 0n)
  const element = 'element' in type ? type.element : dynamicType
  if (isArray(plain)) {
    const items = plain.map(item => valueFrom(element, item))
    if (type.kind === 'set') return setOf(items, element)
    return type.kind === 'list' ? listOf(items, element) : tupleOf(items)
  }
  if (!isObject(plain)) return nullOf(type)
  if (type.kind === 'object')
    return objectOfType(type, (name, partType) => valueFrom(partType, plain[name] ?? null))
  const entries = Object.entries(plain).map(
    ([key, item]) => [key, valueFrom(element, item)] as const,
  )
  return type.kind === 'map' ? mapOf(entries, element) : objectOf(entries)
}

/** Converts a value to plain JSON, without the null attributes of objects. */
export function toPlain(value: CtyValue): PlainValue {
  switch (value.kind) {
    case 'null':
      return null
    case 'unknown':
      return '?'
    case 'string':
      return value.text
    case 'bool':
      return value.isTrue
    case 'number':
      return Number(formatCtyNumber(value.number))
    case 'list':
    case 'set':
    case 'tuple':
      return value.elements.map(toPlain)
    case 'map':
    case 'object':
      return Object.fromEntries(
        [...value.entries]
          .filter(([, part]) => value.kind === 'map' || part.kind !== 'null')
          .map(([key, part]) => [key, toPlain(part)]),
      )
  }
}

/** Returns flaws as texts. */
export function describeFlaws(flaws: readonly ProviderFlaw[]): readonly string[] {
  return flaws.map(({ message, path }) => `${formatCtyPath(path)}: ${message}`)
}
