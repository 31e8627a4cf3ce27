import { areEqualTypes, containsDynamic } from './type-system.ts'
import { type CtyUnknown, type CtyValue, isWhollyKnown } from './cty-value.ts'
import { conformsTo } from './conformance.ts'
import { areEqualRaw } from './raw-equality.ts'
import { isWithinBounds } from './refinements.ts'
import { childrenOf } from './walk-value.ts'

/**
 * Compares two values as Terraform's operator `==` does. Returns undefined if the result depends on
 * values that are not known yet. All nulls are equal.
 */
export function compareSemantically(a: CtyValue, b: CtyValue): boolean | undefined {
  if (a.kind === 'null' && isDefinitelyNotNull(b)) return false
  if (b.kind === 'null' && isDefinitelyNotNull(a)) return false
  if (a.kind === 'unknown' && b.kind === 'unknown') return undefined
  if (a.kind === 'unknown') return equalsUnknown(b, a)
  if (b.kind === 'unknown') return equalsUnknown(a, b)
  if (a.kind === 'null' || b.kind === 'null') return a.kind === b.kind
  if (!isTypeWhollyKnown(a) || !isTypeWhollyKnown(b))
    return conformsTo(a.type, b.type) || conformsTo(b.type, a.type) ? undefined : false
  return areEqualTypes(a.type, b.type) && areEqualKnown(a, b)
}

function isDefinitelyNotNull(value: CtyValue): boolean {
  return value.kind === 'unknown' ? value.refinements.isNotNull === true : value.kind !== 'null'
}

function equalsUnknown(known: CtyValue, unknown: CtyUnknown): boolean | undefined {
  if (!mayBecome(unknown, known)) return false
  if (known.kind === 'null' || containsDynamic(unknown.type)) return undefined
  return areEqualTypes(known.type, unknown.type) ? undefined : false
}

/** Reports whether an unknown value may turn out to be this value. */
export function mayBecome({ type, refinements }: CtyUnknown, value: CtyValue): boolean {
  if (value.kind === 'unknown') return true
  if (value.kind === 'null') return refinements.isNotNull !== true
  if (!conformsTo(value.type, type)) return false
  switch (value.kind) {
    case 'string':
      return value.text.startsWith(refinements.prefix ?? '')
    case 'number':
      return isWithinBounds(value.number, refinements)
    case 'list':
    case 'set':
    case 'map': {
      const { lengthMin = 0, lengthMax = Infinity } = refinements
      const { min, max } = lengthRangeOf(value)
      return max >= lengthMin && min <= lengthMax
    }
    default:
      return true
  }
}

/** The smallest and the largest possible length of a value. */
export interface LengthRange {
  readonly min: number
  readonly max: number
}

/**
 * Returns the possible lengths of a collection. Unknown elements of a set may turn out equal to
 * others, so only the maximum length of such a set is certain.
 */
export function lengthRangeOf(value: CtyValue): LengthRange {
  switch (value.kind) {
    case 'list':
    case 'tuple':
      return { min: value.elements.length, max: value.elements.length }
    case 'set': {
      const max = value.elements.length
      return { min: max <= 1 || isWhollyKnown(value) ? max : 1, max }
    }
    case 'map':
    case 'object':
      return { min: value.entries.size, max: value.entries.size }
    case 'unknown':
      return {
        min: value.refinements.lengthMin ?? 0,
        max: value.refinements.lengthMax ?? Infinity,
      }
    default:
      return { min: 0, max: 0 }
  }
}

function isTypeWhollyKnown(value: CtyValue): boolean {
  if (value.kind === 'null') return true
  if (value.kind === 'unknown') return !containsDynamic(value.type)
  return (
    !containsDynamic(value.type) || childrenOf(value).every(([, child]) => isTypeWhollyKnown(child))
  )
}

/** Compares two values of the same type, neither null nor unknown. */
function areEqualKnown(a: CtyValue, b: CtyValue): boolean | undefined {
  if (a.kind === 'set' || b.kind === 'set') {
    if (areEqualRaw(a, b)) return isWhollyKnown(a) ? true : undefined
    return isWhollyKnown(a) && isWhollyKnown(b) ? false : undefined
  }
  const parts = childrenOf(a)
  if (parts.length === 0) return areEqualRaw(a, b)
  const others = childrenOf(b)
  if (parts.length !== others.length) return false
  const results = parts.map(([step, part], index) => {
    const [otherStep, other] = others[index] ?? [step, part]
    const isSameKey =
      step.kind !== 'key' || (otherStep.kind === 'key' && step.key === otherStep.key)
    return isSameKey && compareSemantically(part, other)
  })
  if (results.includes(false)) return false
  return results.includes(undefined) ? undefined : true
}
