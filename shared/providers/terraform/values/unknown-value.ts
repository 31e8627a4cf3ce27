import { listOf, mapOf, setOf } from './build-value.ts'
import { compareNumbers } from './cty-number.ts'
import type { CollectionType, CtyType } from './type-system.ts'
import { type CtyValue, numberOf } from './cty-value.ts'
import type { Refinements } from './refinements.ts'

/** Maximum length of a list that refinements make known. Longer lists stay unknown. */
const knownLengthMax = 1024

/**
 * Returns an unknown value, or the only value that the refinements allow. A length of zero gives an
 * empty collection, and an exact length gives a list of unknown elements.
 */
export function unknownOf(type: CtyType, refinements: Refinements = {}): CtyValue {
  if (type.kind === 'dynamic') return { kind: 'unknown', type, refinements: {} }
  return (
    (refinements.isNotNull === true ? findOnlyValue(type, refinements) : undefined) ?? {
      kind: 'unknown',
      type,
      refinements,
    }
  )
}

function findOnlyValue(type: CtyType, refinements: Refinements): CtyValue | undefined {
  const { lowerBound, upperBound, lengthMin = 0, lengthMax } = refinements
  switch (type.kind) {
    case 'number':
      return lowerBound?.isInclusive === true &&
        upperBound?.isInclusive === true &&
        compareNumbers(lowerBound.number, upperBound.number) === 0
        ? numberOf(lowerBound.number)
        : undefined
    case 'list':
    case 'set':
    case 'map':
      return lengthMin === lengthMax ? findOnlyCollection(type, lengthMin) : undefined
    default:
      return undefined
  }
}

function findOnlyCollection(type: CollectionType, length: number): CtyValue | undefined {
  if (type.kind === 'map') return length === 0 ? mapOf([], type.element) : undefined
  if (length > (type.kind === 'set' ? 1 : knownLengthMax)) return undefined
  const elements = Array.from({ length }, () => unknownOf(type.element))
  return type.kind === 'set' ? setOf(elements, type.element) : listOf(elements, type.element)
}
