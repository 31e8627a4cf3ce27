import type { StackId } from '../records/ids.ts'
import { stackKeysOf } from './backend-keys.ts'
import { type BackendLock, createLockedError, parseLock, printLock } from './lock-file.ts'
import type { Backend } from './open-backend.ts'

/** The locks of one stack in a backend, by key. */
export async function listLocks(
  backend: Backend,
  id: StackId,
): Promise<ReadonlyMap<string, BackendLock>> {
  const { locks } = stackKeysOf(backend.layout, id)
  const found = new Map<string, BackendLock>()
  for (const { key } of await backend.store.list(locks)) {
    const bytes = await backend.store.get(key)
    // Its holder may have released the lock since.
    if (bytes !== undefined) found.set(key, parseLock(bytes, key))
  }
  return found
}

/**
 * Acquires the lock of a stack, as Pulumi does: it writes a lock, and withdraws it if another one
 * exists. Two clients that begin at the same time may both fail, but never both succeed. Throws
 * BACKEND_LOCKED with the other holder. Returns the function that releases the lock.
 */
export async function acquireLock(
  backend: Backend,
  id: StackId,
  own: { readonly uuid: string; readonly lock: BackendLock; readonly nowMs: number },
): Promise<() => Promise<void>> {
  const { locks, qualifiedName } = stackKeysOf(backend.layout, id)
  const ownKey = `${locks}${own.uuid}.json`
  const refuseOthers = async (): Promise<void> => {
    for (const [key, lock] of await listLocks(backend, id))
      if (key !== ownKey) throw createLockedError(qualifiedName, lock, own.nowMs)
  }
  const release = (): Promise<void> => backend.store.remove(ownKey)
  await refuseOthers()
  await backend.store.put(ownKey, printLock(own.lock))
  try {
    await refuseOthers()
  } catch (thrown) {
    await release()
    throw thrown
  }
  return release
}

/** Removes the locks of a stack by key. Returns the holders of the removed locks. */
export async function removeLocks(
  backend: Backend,
  id: StackId,
  shouldRemove: (lock: BackendLock, key: string) => boolean,
): Promise<readonly BackendLock[]> {
  const removed: BackendLock[] = []
  for (const [key, lock] of await listLocks(backend, id)) {
    if (!shouldRemove(lock, key)) continue
    await backend.store.remove(key)
    removed.push(lock)
  }
  return removed
}
