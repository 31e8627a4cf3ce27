import { hasCode } from '../errors/error.ts'
import type { ObjectStorePort } from '../ports/objects.ts'

/**
 * Reports whether a store obeys the condition of `putIfAbsent`, by a conditional put of the
 * existing object with its own bytes. A store that obeys the condition refuses the put, and any
 * other store writes the same bytes. Returns true if no object has the key. Throws the errors of
 * the store.
 */
export async function hasConditionalWrites(store: ObjectStorePort, key: string): Promise<boolean> {
  const bytes = await store.get(key)
  if (bytes === undefined) return true
  try {
    return !(await store.putIfAbsent(key, bytes))
  } catch (thrown) {
    if (!hasCode(thrown, 'BACKEND_CONDITION_REFUSED')) throw thrown
    // The store may have refused the request for a reason other than the condition. This write
    // without a condition then throws the real error.
    await store.put(key, bytes)
    return false
  }
}
