import type { Urn } from '../../../names/urn.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { dependenciesOf } from '../../../values/special-values.ts'

/**
 * Returns the dependencies of each property, including those of its output values. All lists are
 * sorted.
 */
export function addOutputDependencies(
  map: PropertyMap,
  dependencies: ReadonlyMap<string, readonly Urn[]>,
): ReadonlyMap<string, readonly Urn[]> {
  const allDependencies = new Map(dependencies)
  for (const [key, value] of map)
    allDependencies.set(key, [
      ...new Set([...(allDependencies.get(key) ?? []), ...dependenciesOf(value)]),
    ])
  return new Map(
    [...allDependencies]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, urns]) => [key, [...urns].sort()]),
  )
}
