import { compareNumbers } from './cty-number.ts'
import { areEqualTypes } from './type-system.ts'
import type { CtyMapping, CtySequence, CtyValue } from './cty-value.ts'
import { areEqualRefinements } from './refinements.ts'
import { orderKeyOf } from './order-key.ts'

/** Options of `areEqualRaw`. By default, the refinements of unknown values must be equal. */
export interface RawComparison {
  readonly ignoresRefinements?: boolean
}

/**
 * Reports whether two values have the same type and content at every level. An unknown equals an
 * unknown of the same type and refinements, and no other value.
 */
export function areEqualRaw(a: CtyValue, b: CtyValue, comparison: RawComparison = {}): boolean {
  if (a === b) return true
  if (!areEqualTypes(a.type, b.type)) return false
  switch (a.kind) {
    case 'null':
      return b.kind === 'null'
    case 'unknown':
      return (
        b.kind === 'unknown' &&
        (comparison.ignoresRefinements === true ||
          areEqualRefinements(a.refinements, b.refinements))
      )
    case 'string':
      return b.kind === 'string' && a.text === b.text
    case 'number':
      return b.kind === 'number' && compareNumbers(a.number, b.number) === 0
    case 'bool':
      return b.kind === 'bool' && a.isTrue === b.isTrue
    case 'set':
      return b.kind === 'set' && areEqualRawSets(a, b, comparison)
    case 'list':
    case 'tuple':
      return b.kind === a.kind && areEqualElements(a, b, comparison)
    case 'map':
    case 'object':
      return b.kind === a.kind && areEqualEntries(a, b, comparison)
  }
}

function areEqualElements(a: CtySequence, b: CtySequence, comparison: RawComparison): boolean {
  return (
    a.elements.length === b.elements.length &&
    a.elements.every((element, index) => {
      const other = b.elements[index]
      return other !== undefined && areEqualRaw(element, other, comparison)
    })
  )
}

function areEqualEntries(a: CtyMapping, b: CtyMapping, comparison: RawComparison): boolean {
  if (a.entries.size !== b.entries.size) return false
  for (const [key, part] of a.entries) {
    const other = b.entries.get(key)
    if (other === undefined || !areEqualRaw(part, other, comparison)) return false
  }
  return true
}

/**
 * Compares sets. Elements with equal order keys have no defined order, so each element is searched
 * for in the other set.
 */
function areEqualRawSets(a: CtySequence, b: CtySequence, comparison: RawComparison): boolean {
  if (a.elements.length !== b.elements.length) return false
  if (areEqualElements(a, b, comparison)) return true
  const buckets = Map.groupBy(b.elements, orderKeyOf)
  return a.elements.every(element => {
    const bucket = buckets.get(orderKeyOf(element)) ?? []
    const position = bucket.findIndex(other => areEqualRaw(element, other, comparison))
    if (position < 0) return false
    bucket.splice(position, 1)
    return true
  })
}
