import { type CtyNumber, compareNumbers } from './cty-number.ts'

/** A bound of an unknown number. */
export interface NumberBound {
  readonly number: CtyNumber
  readonly isInclusive: boolean
}

/**
 * Restrictions of the possible values of an unknown value. An absent property restricts nothing.
 */
export interface Refinements {
  /** True if the value cannot be null, and otherwise absent. */
  readonly isNotNull?: boolean
  /** The text with which the string begins. */
  readonly prefix?: string
  readonly lowerBound?: NumberBound
  readonly upperBound?: NumberBound
  /** The smallest number of elements of the collection. Zero is left out. */
  readonly lengthMin?: number
  /** The largest number of elements of the collection. */
  readonly lengthMax?: number
}

/** The code of the extension of MessagePack for an unknown value with refinements. */
export const refinedExtensionCode = 12

/** The keys of refinements in MessagePack. Unknown keys are ignored. */
export const refinementKeys = {
  nullness: 1,
  prefix: 2,
  lowerBound: 3,
  upperBound: 4,
  lengthMin: 5,
  lengthMax: 6,
} as const

/** Reports whether two unknown values have equal refinements. */
export function areEqualRefinements(a: Refinements, b: Refinements): boolean {
  return (
    a.isNotNull === b.isNotNull &&
    a.prefix === b.prefix &&
    a.lengthMin === b.lengthMin &&
    a.lengthMax === b.lengthMax &&
    areEqualBounds(a.lowerBound, b.lowerBound) &&
    areEqualBounds(a.upperBound, b.upperBound)
  )
}

function areEqualBounds(a: NumberBound | undefined, b: NumberBound | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.isInclusive === b.isInclusive && compareNumbers(a.number, b.number) === 0
}

/** Reports whether no value satisfies the refinements. */
export function isContradiction(refinements: Refinements): boolean {
  const { lowerBound, upperBound, lengthMin = 0, lengthMax = Infinity } = refinements
  if (lengthMin > lengthMax) return true
  if (lowerBound === undefined || upperBound === undefined) return false
  const order = compareNumbers(lowerBound.number, upperBound.number)
  const allowsOneNumber = lowerBound.isInclusive && upperBound.isInclusive
  return order > 0 || (order === 0 && !allowsOneNumber)
}

/** Reports whether a number is within the bounds. */
export function isWithinBounds(number: CtyNumber, refinements: Refinements): boolean {
  const { lowerBound, upperBound } = refinements
  if (lowerBound !== undefined) {
    const order = compareNumbers(number, lowerBound.number)
    if (order < 0 || (order === 0 && !lowerBound.isInclusive)) return false
  }
  if (upperBound !== undefined) {
    const order = compareNumbers(number, upperBound.number)
    if (order > 0 || (order === 0 && !upperBound.isInclusive)) return false
  }
  return true
}
