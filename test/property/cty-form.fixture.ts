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

/** A description of a value that uses no codec. The Go program in test/providers/cty reads it. */
export interface ValueForm {
  readonly kind: CtyValue['kind']
  readonly type?: unknown
  readonly text?: string
  readonly isTrue?: boolean
  readonly items?: readonly ValueForm[]
  readonly entries?: Readonly<Record<string, ValueForm>>
  readonly facts?: FactsForm
}

/** A bound of an unknown number. */
interface BoundForm {
  readonly text: string
  readonly isInclusive: boolean
}

/** The refinements of an unknown value. `min` and `max` are bounds of its length. */
interface FactsForm {
  readonly notNull?: boolean
  readonly prefix?: string
  readonly lower?: BoundForm
  readonly upper?: BoundForm
  readonly min?: number
  readonly max?: number
}

/** Describes a value. */
export function toForm(value: CtyValue): ValueForm {
  const type: unknown = JSON.parse(formatTypeJson(value.type))
  const base = { kind: value.kind, type }
  switch (value.kind) {
    case 'null':
      return base
    case 'unknown':
      return { ...base, facts: toFactsForm(value.refinements) }
    case 'string':
      return { ...base, text: value.text }
    case 'number':
      return { ...base, text: formatCtyNumber(value.number) }
    case 'bool':
      return { ...base, isTrue: value.isTrue }
    case 'list':
    case 'set':
    case 'tuple':
      return { ...base, items: value.elements.map(toForm) }
    case 'map':
    case 'object':
      return {
        ...base,
        entries: Object.fromEntries([...value.entries].map(([key, part]) => [key, toForm(part)])),
      }
  }
}

function toFactsForm(facts: Refinements): FactsForm {
  const toBound = (bound: Refinements['lowerBound']): BoundForm | undefined =>
    bound && { text: formatCtyNumber(bound.number), isInclusive: bound.isInclusive }
  const lower = toBound(facts.lowerBound)
  const upper = toBound(facts.upperBound)
  return {
    ...(facts.isNotNull === true ? { notNull: true } : {}),
    ...(facts.prefix === undefined ? {} : { prefix: facts.prefix }),
    ...(lower === undefined ? {} : { lower }),
    ...(upper === undefined ? {} : { upper }),
    ...(facts.lengthMin === undefined ? {} : { min: facts.lengthMin }),
    ...(facts.lengthMax === undefined ? {} : { max: facts.lengthMax }),
  }
}

/** Builds a value from its description. */
export function fromForm(form: ValueForm): CtyValue {
  const type = parseTypeJson(JSON.stringify(form.type))
  const items = (form.items ?? []).map(fromForm)
  const entries = Object.entries(form.entries ?? {}).map(
    ([key, entry]) => [key, fromForm(entry)] as const,
  )
  switch (form.kind) {
    case 'null':
      return nullOf(type)
    case 'unknown':
      return unknownOf(type, fromFactsForm(form.facts ?? {}))
    case 'string':
      return stringOf(form.text ?? '')
    case 'number':
      return numberOf(parseNumberForm(form.text ?? ''))
    case 'bool':
      return boolOf(form.isTrue ?? false)
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

function fromFactsForm({ notNull, prefix, lower, upper, min, max }: FactsForm): Refinements {
  const fromBound = ({ text, isInclusive }: BoundForm) => ({
    number: parseNumberForm(text),
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

function parseNumberForm(text: string): CtyNumber {
  const number = parseCtyNumber(text)
  if (number === undefined) throw new Error(`not a number: ${text}`)
  return number
}

const elementOf = (type: CtyType): CtyType => ('element' in type ? type.element : dynamicType)
