import {
  listOf,
  mapOf,
  objectOf,
  setOf,
  tupleOf,
} from '../../shared/providers/terraform/values/build-value.ts'
import {
  type CtyNumber,
  formatCtyNumber,
  parseCtyNumber,
} from '../../shared/providers/terraform/values/cty-number.ts'
import { type CtyType, dynamicType } from '../../shared/providers/terraform/values/type-system.ts'
import {
  type CtyValue,
  boolOf,
  nullOf,
  numberOf,
  stringOf,
} from '../../shared/providers/terraform/values/cty-value.ts'
import type { Refinements } from '../../shared/providers/terraform/values/refinements.ts'
import { formatTypeJson, parseTypeJson } from '../../shared/providers/terraform/values/type-json.ts'
import { unknownOf } from '../../shared/providers/terraform/values/unknown-value.ts'

/**
 * A description of a value as plain JSON, independent of the codecs of values that are compared.
 * The Go program in test/providers/cty reads and writes it.
 */
export interface ValueDescription {
  readonly kind: CtyValue['kind']
  readonly type?: unknown
  readonly text?: string
  readonly isTrue?: boolean
  readonly items?: readonly ValueDescription[]
  readonly entries?: Readonly<Record<string, ValueDescription>>
  readonly refinements?: RefinementsDescription
}

/** A bound of an unknown number. */
interface BoundDescription {
  readonly text: string
  readonly isInclusive: boolean
}

/** The refinements of an unknown value. `min` and `max` are bounds of its length. */
interface RefinementsDescription {
  readonly notNull?: boolean
  readonly prefix?: string
  readonly lower?: BoundDescription
  readonly upper?: BoundDescription
  readonly min?: number
  readonly max?: number
}

/** Describes a value. */
export function describeValue(value: CtyValue): ValueDescription {
  const type: unknown = JSON.parse(formatTypeJson(value.type))
  const base = { kind: value.kind, type }
  switch (value.kind) {
    case 'null':
      return base
    case 'unknown':
      return { ...base, refinements: describeRefinements(value.refinements) }
    case 'string':
      return { ...base, text: value.text }
    case 'number':
      return { ...base, text: formatCtyNumber(value.number) }
    case 'bool':
      return { ...base, isTrue: value.isTrue }
    case 'list':
    case 'set':
    case 'tuple':
      return { ...base, items: value.elements.map(describeValue) }
    case 'map':
    case 'object':
      return {
        ...base,
        entries: Object.fromEntries(
          [...value.entries].map(([key, part]) => [key, describeValue(part)]),
        ),
      }
  }
}

function describeRefinements(refinements: Refinements): RefinementsDescription {
  const toBound = (bound: Refinements['lowerBound']): BoundDescription | undefined =>
    bound && { text: formatCtyNumber(bound.number), isInclusive: bound.isInclusive }
  const lower = toBound(refinements.lowerBound)
  const upper = toBound(refinements.upperBound)
  return {
    ...(refinements.isNotNull === true ? { notNull: true } : {}),
    ...(refinements.prefix === undefined ? {} : { prefix: refinements.prefix }),
    ...(lower === undefined ? {} : { lower }),
    ...(upper === undefined ? {} : { upper }),
    ...(refinements.lengthMin === undefined ? {} : { min: refinements.lengthMin }),
    ...(refinements.lengthMax === undefined ? {} : { max: refinements.lengthMax }),
  }
}

/** Builds a value from its description. */
export function buildValue(description: ValueDescription): CtyValue {
  const type = parseTypeJson(JSON.stringify(description.type))
  const items = (description.items ?? []).map(buildValue)
  const entries = Object.entries(description.entries ?? {}).map(
    ([key, entry]) => [key, buildValue(entry)] as const,
  )
  switch (description.kind) {
    case 'null':
      return nullOf(type)
    case 'unknown':
      return unknownOf(type, buildRefinements(description.refinements ?? {}))
    case 'string':
      return stringOf(description.text ?? '')
    case 'number':
      return numberOf(parseNumber(description.text ?? ''))
    case 'bool':
      return boolOf(description.isTrue ?? false)
    case 'list':
      return listOf(items, elementOf(type))
    case 'set':
      return setOf(items, elementOf(type))
    case 'tuple':
      return tupleOf(items)
    case 'map':
      return mapOf(entries, elementOf(type))
    case 'object':
      return objectOf(entries)
  }
}

function buildRefinements({
  notNull,
  prefix,
  lower,
  upper,
  min,
  max,
}: RefinementsDescription): Refinements {
  const fromBound = ({ text, isInclusive }: BoundDescription) => ({
    number: parseNumber(text),
    isInclusive,
  })
  return {
    ...(notNull === true ? { isNotNull: true } : {}),
    ...(prefix === undefined ? {} : { prefix }),
    ...(lower === undefined ? {} : { lowerBound: fromBound(lower) }),
    ...(upper === undefined ? {} : { upperBound: fromBound(upper) }),
    ...(min === undefined ? {} : { lengthMin: min }),
    ...(max === undefined ? {} : { lengthMax: max }),
  }
}

function parseNumber(text: string): CtyNumber {
  const number = parseCtyNumber(text)
  if (number === undefined) throw new Error(`not a number: ${text}`)
  return number
}

const elementOf = (type: CtyType): CtyType => ('element' in type ? type.element : dynamicType)
