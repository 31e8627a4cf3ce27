import { hasCode } from '../errors/error.ts'
import type { ObjectStorePort } from '../ports/objects.ts'

/**
 * Reports whether a store obeys the condition of `putIfAbsent`, by such a write of an existing
 * object. Its content does not change: a store that ignores the condition gets the same bytes.
 * Throws the errors of the store.
 */
export async function hasConditionalWrites(store: ObjectStorePort, key: string): Promise<boolean> {
  const bytes = await store.get(key)
  if (bytes === undefined) return true
  try {
    return !(await store.putIfAbsent(key, bytes))
  } catch (thrown) {
    if (!hasCode(thrown, 'BACKEND_CONDITION_REFUSED')) throw thrown
    // The store may have refused the request for another reason, which this write then shows.
    await store.put(key, bytes)
    return false
  }
}
