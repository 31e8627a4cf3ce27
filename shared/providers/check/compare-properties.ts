import { areEqualValues } from '../../values/equal.ts'
import { formatPath, type PathSegment } from '../../values/path.ts'
import { containsSecret, containsUnknown, stripSecrets } from '../../values/special-values.ts'
import { isList, isMap, type PropertyMap, type PropertyValue } from '../../values/value.ts'

/** Reports whether a property is internal data of a provider or bridge. */
function isInternal(name: string): boolean {
  return name.startsWith('__')
}

/** Returns properties without secret marks and without internal data. */
export function toPlainProperties(map: PropertyMap): PropertyMap {
  return new Map(
    [...map].flatMap(([name, value]): readonly (readonly [string, PropertyValue])[] =>
      isInternal(name) ? [] : [[name, stripSecrets(value)]],
    ),
  )
}

/**
 * Returns the names of properties that differ. Ignores secret marks and internal properties. Null
 * counts as absent.
 */
export function listChangedProperties(a: PropertyMap, b: PropertyMap): readonly string[] {
  const [plainA, plainB] = [toPlainProperties(a), toPlainProperties(b)]
  return [...new Set([...plainA.keys(), ...plainB.keys()])].filter(
    name => !areEqualValues(plainA.get(name), plainB.get(name)),
  )
}

/**
 * Returns the paths at which the actual value differs from the one that a preview promised. Unknown
 * parts promise nothing.
 */
export function listBrokenPromises(preview: PropertyMap, actual: PropertyMap): readonly string[] {
  const plainActual = toPlainProperties(actual)
  return [...toPlainProperties(preview)].flatMap(([name, value]) =>
    findBrokenPromises(value, plainActual.get(name), [name]),
  )
}

function findBrokenPromises(
  promised: PropertyValue,
  actual: PropertyValue | undefined,
  path: readonly PathSegment[],
): readonly string[] {
  if (!containsUnknown(promised)) return areEqualValues(promised, actual) ? [] : [formatPath(path)]
  if (isMap(promised) && isMap(actual))
    return [...promised].flatMap(([key, part]) =>
      findBrokenPromises(part, actual.get(key), [...path, key]),
    )
  if (isList(promised) && isList(actual))
    return promised.length === actual.length
      ? promised.flatMap((part, index) => findBrokenPromises(part, actual[index], [...path, index]))
      : [formatPath(path)]
  return []
}

/** Returns the names of properties that were secret, and now have a value that is not. */
export function listLostSecrets(before: PropertyMap, after: PropertyMap): readonly string[] {
  return [...before].flatMap(([name, value]) => {
    const current = after.get(name)
    const isLost = containsSecret(value) && (current ?? null) !== null && !containsSecret(current)
    return isLost && !isInternal(name) ? [name] : []
  })
}

/** Returns a list of names for a message: `'a', 'b'`. */
export function quoteNames(names: readonly string[]): string {
  return names.map(name => `'${name}'`).join(', ')
}
