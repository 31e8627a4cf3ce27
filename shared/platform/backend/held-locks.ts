import { stackKeysOf } from '../../backends/backend-keys.ts'
import type { Backend } from '../../backends/open-backend.ts'
import { createLockedError } from '../../backends/lock-file.ts'
import { acquireLock, listLocks, removeLocks } from '../../backends/stack-locks.ts'
import type { ClockPort } from '../../ports/system.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import type { Holder } from '../../records/log.ts'
import { readUserName } from '../system/system-user.ts'
import type { SyncPoints } from './sync-points.ts'
import { isLockOf, type UnfinishedCopies } from './unfinished-copies.ts'

/** The dependencies of locks. `holder` is this process. */
export interface LockDeps {
  readonly backend: Backend
  readonly syncPoints: SyncPoints
  readonly clock: Pick<ClockPort, 'now'>
  /** The id of the locks of this process. */
  readonly lockId: string
  readonly holder: Holder
  /** Reports whether the process of a holder runs. Returns undefined for another machine. */
  readonly isAlive: (holder: Omit<Holder, 'who'>) => boolean | undefined
  readonly unfinishedCopies: UnfinishedCopies
}

/** The locks of stacks that this process holds in a backend. */
export interface HeldLocks {
  /**
   * Acquires the lock of a stack, unless this process has it. Replaces the lock of a dead process
   * of this machine. Closes a deployment that another machine left unfinished. Throws
   * BACKEND_LOCKED.
   */
  readonly acquire: (id: StackId) => Promise<void>
  readonly release: (id: StackId) => Promise<void>
  readonly isHeld: (id: StackId) => boolean
  readonly list: () => readonly StackId[]
  /**
   * Removes the locks of other processes. The lock of a living process of this machine stays.
   * Returns the number of removed locks.
   */
  readonly breakOtherLocks: (id: StackId) => Promise<number>
}

/** Creates the locks of one process. */
export function createHeldLocks(deps: LockDeps): HeldLocks {
  const { backend, syncPoints, holder } = deps
  const releases = new Map<StackId, () => Promise<void>>()
  const lockKeyOf = (id: StackId, lockId: string): string =>
    `${stackKeysOf(backend.layout, id).locks}${lockId}.json`
  /** Returns the key of the lock that this machine wrote last, and whether its process is dead. */
  const readLastLock = (
    id: StackId,
  ): { readonly key: string; readonly isDead: boolean } | undefined => {
    const { lock } = syncPoints.read(id)
    if (lock === undefined) return undefined
    const isDead = deps.isAlive({ ...holder, pid: lock.pid, started: lock.started }) === false
    return { key: lockKeyOf(id, lock.uuid), isDead }
  }
  const acquire = async (id: StackId): Promise<void> => {
    if (releases.has(id)) return
    const lastLock = readLastLock(id)
    if (lastLock?.isDead === true) await removeLocks(backend, id, key => key === lastLock.key)
    const copies = await deps.unfinishedCopies.fence(id)
    // These locks can be removed, because the fences of the copies prevent their holders from
    // continuing.
    await removeLocks(backend, id, key => copies.some(copy => isLockOf(copy, key)))
    const nowMs = deps.clock.now()
    for (const lock of (await listLocks(backend, id)).values())
      throw createLockedError(stackPartsOf(id).stack, lock, nowMs)
    // The sync point names the lock before the lock is written. If this process is killed, a later
    // process of this machine recognizes the lock by the sync point.
    const { pid, started } = holder
    syncPoints.update(id, { lock: { uuid: deps.lockId, pid, started } })
    const timestamp = new Date(nowMs).toISOString()
    const lock = { pid, username: readUserName(process.env), hostname: holder.host, timestamp }
    releases.set(id, await acquireLock(backend, id, { lockId: deps.lockId, lock, nowMs }))
    try {
      for (const copy of copies) await deps.unfinishedCopies.close(id, copy, deps.lockId)
    } catch (thrown) {
      await release(id)
      throw thrown
    }
  }
  const release = async (id: StackId): Promise<void> => {
    const remove = releases.get(id)
    releases.delete(id)
    await remove?.()
  }
  return {
    acquire,
    isHeld: id => releases.has(id),
    list: () => [...releases.keys()],
    release,
    breakOtherLocks: async id => {
      const lastLock = readLastLock(id)
      const isLiving = (key: string): boolean =>
        key === lockKeyOf(id, deps.lockId) || (key === lastLock?.key && !lastLock.isDead)
      return removeLocks(backend, id, key => !isLiving(key))
    },
  }
}
