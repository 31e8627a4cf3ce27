import { equalValues } from '../../values/equal.ts'
import {
  isList,
  isMap,
  isSecret,
  isSpecial,
  type PropertyMap,
  type PropertyValue,
} from '../../values/value.ts'

/** Whether a value is one that is not known yet. */
export function isUnknown(value: PropertyValue | undefined): boolean {
  return isSpecial(value) && value.kind === 'unknown'
}

/**
 * Whether a value may be where another was planned: the same, and anything or nothing where either
 * is unknown.
 */
export function matchesPlanned(planned: PropertyValue, actual: PropertyValue): boolean {
  if (isUnknown(planned) || isUnknown(actual)) return true
  if (isList(planned))
    return (
      isList(actual) &&
      planned.length === actual.length &&
      planned.every((item, at) => matchesPlanned(item, actual[at] ?? null))
    )
  if (isMap(planned)) return isMap(actual) && mapMatchesPlanned(planned, actual)
  if (isSecret(planned)) return isSecret(actual) && matchesPlanned(planned.value, actual.value)
  return equalValues(planned, actual)
}

function mapMatchesPlanned(planned: PropertyMap, actual: PropertyMap): boolean {
  for (const [key, value] of planned) {
    const found = actual.get(key)
    if (found !== undefined && !matchesPlanned(value, found)) return false
    if (found === undefined && value !== null && !isUnknown(value)) return false
  }
  return [...actual].every(([key, value]) => planned.has(key) || value === null)
}
