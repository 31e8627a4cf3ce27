import { hasCode } from '../errors/error.ts'
import type { ObjectStorePort } from '../ports/objects.ts'

/**
 * Reports whether a store obeys the condition of `putIfAbsent`, or has no object with the key. Puts
 * the existing object again under this condition, which a store that obeys it refuses. The content
 * does not change, because a store that ignores the condition gets the same bytes. Throws the
 * errors of the store.
 */
export async function hasConditionalWrites(store: ObjectStorePort, key: string): Promise<boolean> {
  const bytes = await store.get(key)
  if (bytes === undefined) return true
  try {
    return !(await store.putIfAbsent(key, bytes))
  } catch (thrown) {
    if (!hasCode(thrown, 'BACKEND_CONDITION_REFUSED')) throw thrown
    // The store may have refused the request for another reason. This write then throws its error.
    await store.put(key, bytes)
    return false
  }
}
