import { createAttributeStep, createIndexStep, createKeyStep } from '../values/cty-path.ts'
import type { CtyPath, CtyStep } from '../values/cty-path.ts'
import { conformanceErrorsOf } from '../values/conformance.ts'
import type { CtyMapping, CtySequence, CtyValue } from '../values/cty-value.ts'
import { areEqualRaw } from '../values/raw-equality.ts'
import { mayBecome } from '../values/semantic-equality.ts'
import type { ProviderFlaw } from './object-shape.ts'

/** Returns the parts of an actual value that contradict the planned one. */
export function findValueInconsistencies(
  planned: CtyValue,
  actual: CtyValue,
  path: CtyPath,
): readonly ProviderFlaw[] {
  // A value that is planned with the dynamic type may turn out to be any value.
  if (planned.type.kind === 'dynamic') return []
  const [reason] = conformanceErrorsOf(actual.type, planned.type)
  if (reason !== undefined) return [{ message: `the type has changed: ${reason}`, path }]
  if (planned.kind === 'unknown')
    return mayBecome(planned, actual)
      ? []
      : [{ message: 'the value is outside of the range that was planned', path }]
  if (planned.kind === 'null' || actual.kind === 'null') {
    if (planned.kind === actual.kind) return []
    return [
      {
        message:
          actual.kind === 'null' ? 'was planned, but is now null' : 'was null, but now has a value',
        path,
      },
    ]
  }
  if (actual.kind === 'unknown') return [{ message: 'was known, but is now unknown', path }]
  return compareKnownValues(planned, actual, path)
}

function compareKnownValues(
  planned: CtyValue,
  actual: CtyValue,
  path: CtyPath,
): readonly ProviderFlaw[] {
  switch (planned.kind) {
    case 'set':
      return actual.kind === 'set' ? compareSetValues(planned, actual, path) : []
    case 'list':
    case 'tuple':
      return actual.kind === planned.kind
        ? compareParts(new Map(planned.elements.entries()), new Map(actual.elements.entries()), {
            path,
            createStep: createIndexStep,
          })
        : []
    case 'map':
    case 'object':
      return actual.kind === planned.kind ? compareEntries(planned, actual, path) : []
    default:
      return areEqualRaw(planned, actual) ? [] : [{ message: 'the value has changed', path }]
  }
}

function compareEntries(
  planned: CtyMapping,
  actual: CtyMapping,
  path: CtyPath,
): readonly ProviderFlaw[] {
  const createStep = planned.kind === 'map' ? createKeyStep : createAttributeStep
  return compareParts(planned.entries, actual.entries, { path, createStep })
}

function compareParts<K>(
  planned: ReadonlyMap<K, CtyValue>,
  actual: ReadonlyMap<K, CtyValue>,
  { path, createStep }: { readonly path: CtyPath; readonly createStep: (key: K) => CtyStep },
): readonly ProviderFlaw[] {
  const keys = new Set([...planned.keys(), ...actual.keys()])
  return [...keys].flatMap(key => {
    const partPath = [...path, createStep(key)]
    const plannedPart = planned.get(key)
    const actualPart = actual.get(key)
    if (plannedPart === undefined) return [{ message: 'an element has appeared', path: partPath }]
    if (actualPart === undefined) return [{ message: 'an element has vanished', path: partPath }]
    return findValueInconsistencies(plannedPart, actualPart, partPath)
  })
}

function compareSetValues(
  planned: CtySequence,
  actual: CtySequence,
  path: CtyPath,
): readonly ProviderFlaw[] {
  return compareSets(planned, actual, {
    path,
    isCompatible: (left, right) => findValueInconsistencies(left, right, path).length === 0,
  })
}

/**
 * Compares sets: each element must have a compatible one in the other set. Unknown elements may
 * turn out equal, so a set may shrink, but it must not grow.
 */
export function compareSets(
  planned: CtySequence,
  actual: CtySequence,
  {
    path,
    isCompatible,
  }: {
    readonly path: CtyPath
    readonly isCompatible: (planned: CtyValue, actual: CtyValue) => boolean
  },
): readonly ProviderFlaw[] {
  // The comparison of all pairs is slow for large sets, and most sets do not change.
  if (areEqualRaw(planned, actual)) return []
  const flaws: ProviderFlaw[] = []
  const matched = new Set<CtyValue>()
  for (const element of planned.elements) {
    const matches = actual.elements.filter(other => isCompatible(element, other))
    for (const match of matches) matched.add(match)
    if (matches.length === 0) flaws.push({ message: 'a planned element has vanished', path })
  }
  if (matched.size < actual.elements.length)
    flaws.push({ message: 'an element that was not planned has appeared', path })
  if (actual.elements.length > planned.elements.length)
    flaws.push({ message: 'the set has more elements than were planned', path })
  return flaws
}
