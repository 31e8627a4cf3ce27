import { areEqualValues } from '../../values/equal.ts'
import {
  isList,
  isMap,
  isSecret,
  isSpecial,
  type PropertyMap,
  type PropertyValue,
} from '../../values/value.ts'

/** Reports whether a value is unknown. */
export function isUnknown(value: PropertyValue | undefined): boolean {
  return isSpecial(value) && value.kind === 'unknown'
}

/**
 * Reports whether an actual value matches a planned one: the two are equal, or one is unknown. In a
 * map, an absent property matches null and a planned unknown value.
 */
export function matchesPlanned(planned: PropertyValue, actual: PropertyValue): boolean {
  if (isUnknown(planned) || isUnknown(actual)) return true
  if (isList(planned))
    return (
      isList(actual) &&
      planned.length === actual.length &&
      planned.every((item, index) => matchesPlanned(item, actual[index] ?? null))
    )
  if (isMap(planned)) return isMap(actual) && mapMatchesPlanned(planned, actual)
  if (isSecret(planned)) return isSecret(actual) && matchesPlanned(planned.value, actual.value)
  return areEqualValues(planned, actual)
}

function mapMatchesPlanned(planned: PropertyMap, actual: PropertyMap): boolean {
  for (const [key, value] of planned) {
    const actualValue = actual.get(key)
    if (actualValue !== undefined && !matchesPlanned(value, actualValue)) return false
    if (actualValue === undefined && value !== null && !isUnknown(value)) return false
  }
  return [...actual].every(([key, value]) => planned.has(key) || value === null)
}
