import type { StackId } from '../records/ids.ts'
import { stackKeysOf } from './backend-keys.ts'
import { type BackendLock, createLockedError, parseLock, printLock } from './lock-file.ts'
import type { Backend } from './open-backend.ts'
import { listDirectly } from './stack-objects.ts'

/** Returns the keys of the locks of one stack in a backend, including those of unreadable locks. */
export async function listLockKeys(backend: Backend, id: StackId): Promise<readonly string[]> {
  const { locks } = stackKeysOf(backend.layout, id)
  return listDirectly(backend, locks)
}

/** Returns the locks of one stack in a backend, by key. Throws BACKEND_INVALID. */
export async function listLocks(
  backend: Backend,
  id: StackId,
): Promise<ReadonlyMap<string, BackendLock>> {
  const locksByKey = new Map<string, BackendLock>()
  for (const key of await listLockKeys(backend, id)) {
    const bytes = await backend.store.get(key)
    // The lock may have been released since the listing.
    if (bytes !== undefined) locksByKey.set(key, parseLock(bytes, key))
  }
  return locksByKey
}

/**
 * Acquires the lock of a stack, as Pulumi does: writes a lock unless another lock exists, and then
 * lists the locks again. If another lock has appeared meanwhile, the new lock is removed. Two
 * clients that begin at the same time may both fail, but never both succeed. Throws BACKEND_LOCKED
 * with the other holder, and BACKEND_INVALID. Returns the function that releases the lock.
 */
export async function acquireLock(
  backend: Backend,
  id: StackId,
  newLock: { readonly lockId: string; readonly lock: BackendLock; readonly nowMs: number },
): Promise<() => Promise<void>> {
  const { locks, qualifiedName } = stackKeysOf(backend.layout, id)
  const newKey = `${locks}${newLock.lockId}.json`
  const refuseOthers = async (): Promise<void> => {
    for (const [key, lock] of await listLocks(backend, id))
      if (key !== newKey) throw createLockedError(qualifiedName, lock, newLock.nowMs)
  }
  const release = (): Promise<void> => backend.store.remove(newKey)
  await refuseOthers()
  await backend.store.put(newKey, printLock(newLock.lock))
  try {
    await refuseOthers()
  } catch (thrown) {
    // A failed release must not hide the other holder from the caller.
    await release().catch(() => undefined)
    throw thrown
  }
  return release
}

/**
 * Removes the locks of a stack whose keys `shouldRemove` selects, including unreadable ones.
 * Returns the number of removed locks.
 */
export async function removeLocks(
  backend: Backend,
  id: StackId,
  shouldRemove: (key: string) => boolean,
): Promise<number> {
  const removedKeys = (await listLockKeys(backend, id)).filter(shouldRemove)
  for (const key of removedKeys) await backend.store.remove(key)
  return removedKeys.length
}
