import { isJsonObject } from './stored-fields.ts'
import type { StoredResource } from './stored.ts'

/**
 * Returns a rewritten resource in which a list of property dependencies is null again if it was
 * null before. Older versions of Pulumi write null in place of an empty list. A current version
 * keeps null when it imports a state or renames a stack, and removes null and empty lists in a
 * refresh. Source: `SerializeResource` in pkg/resource/stack/deployment.go of Pulumi 3.274.1, which
 * copies the lists.
 */
export function keepNullLists(rewritten: StoredResource, before: StoredResource): StoredResource {
  const lists = rewritten['propertyDependencies']
  const listsBefore = before['propertyDependencies']
  if (!isJsonObject(lists) || !isJsonObject(listsBefore)) return rewritten
  const nullKeys = new Set(Object.keys(listsBefore).filter(key => listsBefore[key] === null))
  if (nullKeys.size === 0) return rewritten
  const entries = Object.entries(lists).map(([key, list]) =>
    nullKeys.has(key) && Array.isArray(list) && list.length === 0
      ? ([key, null] as const)
      : ([key, list] as const),
  )
  return { ...rewritten, propertyDependencies: Object.fromEntries(entries) }
}
