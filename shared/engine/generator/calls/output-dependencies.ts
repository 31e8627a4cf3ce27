import type { Urn } from '../../../names/urn.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { dependenciesOf } from '../../../values/walk.ts'

/** Adds the dependencies of output values to those of each property; sorted. */
export function addOutputDependencies(
  map: PropertyMap,
  dependencies: ReadonlyMap<string, readonly Urn[]>,
): ReadonlyMap<string, readonly Urn[]> {
  const all = new Map(dependencies)
  for (const [key, value] of map)
    all.set(key, [...new Set([...(all.get(key) ?? []), ...dependenciesOf(value)])])
  return new Map(
    [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, urns]) => [key, [...urns].sort()]),
  )
}
