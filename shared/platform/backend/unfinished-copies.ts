import {
  addCopyLock,
  type BackendCopy,
  fenceCopy,
  listJournalCopies,
  readCopyPart,
  removeJournalCopy,
} from '../../backends/journal-copies.ts'
import { createLockedError } from '../../backends/lock-file.ts'
import type { Backend } from '../../backends/open-backend.ts'
import { listLockKeys, listLocks } from '../../backends/stack-locks.ts'
import { createError } from '../../errors/error.ts'
import type { CatalogPort } from '../../ports/catalog.ts'
import type { ControlPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import type { Holder } from '../../records/log.ts'
import type { JournalCopies } from '../embedded/journal-copies.ts'
import { endCopyMethod } from '../embedded/store/methods/copy-methods.ts'
import type { SyncPoints } from './sync-points.ts'

/** The dependencies of unfinished copies. `catalog` and `control` are those of this machine. */
export interface UnfinishedCopyDeps {
  readonly backend: Backend
  readonly catalog: Pick<CatalogPort, 'getStack' | 'release'>
  readonly control: Pick<ControlPort, 'close'>
  readonly journalCopies: Pick<JournalCopies, 'find' | 'remove'>
  readonly syncPoints: Pick<SyncPoints, 'read'>
  readonly clock: Pick<ClockPort, 'now' | 'sleep' | 'monotonicMs'>
  readonly holder: Holder
  /** The time without a new part after which the writer of a copy counts as dead, in ms. */
  readonly silenceMs: number
  readonly onNotice: (message: string) => void
  /** Closes the deployment of a copy. The caller has the lock of the stack. */
  readonly closeCopied: (id: StackId, copy: BackendCopy) => Promise<void>
}

/** Reports whether the deployment of a copy ran under the lock with this key. */
export function isLockOf({ locks }: Pick<BackendCopy, 'locks'>, key: string): boolean {
  return locks.some(lock => key.endsWith(`/${lock}.json`))
}

/** The copies of deployments that another machine began and did not release. */
export interface UnfinishedCopies {
  /**
   * Ends the copies of other machines, so that their writers cannot continue. Returns these copies.
   * While a lock exists, first waits up to `silenceMs` for a new part, a sign that the writer is
   * alive. Throws BACKEND_LOCKED if the writer is alive.
   */
  readonly fence: (id: StackId) => Promise<readonly BackendCopy[]>
  /** Closes the deployment of a fenced copy under a lock of this process, and removes the copy. */
  readonly close: (id: StackId, copy: BackendCopy, lock: string) => Promise<void>
  /**
   * Releases a stack's unfinished deployment in the store of this machine, if another machine has
   * closed it.
   */
  readonly releaseIfTakenOver: (id: StackId) => Promise<void>
}

/** Pause between two checks of a copy whose writer may be dead, in ms. */
const checkIntervalMs = 2_000

/** Age after which the fence of a closed copy is removed, in ms: one week. */
const fenceAgeMs = 7 * 24 * 3_600_000

/** Creates the access to unfinished copies. */
export function createUnfinishedCopies(deps: UnfinishedCopyDeps): UnfinishedCopies {
  const { backend, clock } = deps
  const findOwnCopy = async (id: StackId) => {
    const current = (await deps.catalog.getStack(id))?.current ?? ''
    const copyId = current === '' ? undefined : await deps.journalCopies.find(current)
    return current === '' || copyId === undefined ? undefined : { deployment: current, copyId }
  }
  const releaseIfTakenOver = async (id: StackId): Promise<void> => {
    const ownCopy = await findOwnCopy(id)
    if (ownCopy === undefined) return
    const { deployment } = ownCopy
    const copies = await listJournalCopies(backend, id)
    const copy = copies.find(entry => entry.copyId === ownCopy.copyId)
    const isOpen = copy !== undefined && copy.partCount > 0 && !(await isFenced(backend, id, copy))
    if (isOpen) return
    // A copy without a sent part is not in the backend. If the lock of this machine still exists,
    // no other machine took over.
    const lockId = deps.syncPoints.read(id).lock?.uuid ?? ''
    const isLocked = (await listLockKeys(backend, id)).some(key => key.includes(lockId))
    if (copy === undefined && lockId !== '' && isLocked) return
    await deps.journalCopies.remove(deployment)
    await deps.control.close(deployment)
    const version = (await deps.catalog.getStack(id))?.version ?? 0
    const end = { at: clock.now(), result: 'interrupted', changes: {}, version } as const
    await deps.catalog.release(deployment, end)
  }
  /** Ends a copy, unless it has ended already. Returns whether its deployment must be closed. */
  const fenceUnlessEnded = async (id: StackId, copy: BackendCopy): Promise<boolean> => {
    if (copy.partCount === 0) {
      // Only the fence of a closed copy remains.
      const isOld = clock.now() - copy.modifiedMs > fenceAgeMs
      if (isOld) await removeJournalCopy(backend, id, copy)
      return false
    }
    if (!(await awaitSilence(deps, id, copy))) return false
    if (await isReleased(backend, id, copy)) return true
    const { host, pid } = deps.holder
    if (await fenceCopy(backend, id, copy, { host, pid, at: clock.now() })) return true
    throw createError('BACKEND_LOCKED', `another machine uses the stack ${stackPartsOf(id).stack}`)
  }
  return {
    fence: async id => {
      await releaseIfTakenOver(id)
      const ownCopy = await findOwnCopy(id)
      const fenced: BackendCopy[] = []
      for (const copy of await listJournalCopies(backend, id))
        if (copy.copyId !== ownCopy?.copyId && (await fenceUnlessEnded(id, copy))) fenced.push(copy)
      return fenced
    },
    close: async (id, copy, lock) => {
      await addCopyLock(backend, id, { copyId: copy.copyId, lock })
      if (await isReleased(backend, id, copy)) return removeJournalCopy(backend, id, copy)
      await deps.closeCopied(id, copy)
      const fence = await findFirstFence(backend, id, copy)
      await removeJournalCopy(backend, id, { copyId: copy.copyId, fence })
    },
    releaseIfTakenOver,
  }
}

/**
 * Waits until the writer of a copy counts as dead. A writer without its lock must not continue, so
 * the wait ends when no lock exists. Returns false if the copy was removed meanwhile, or if the
 * copy got a new part and no lock exists. If a lock exists, throws BACKEND_LOCKED when the copy got
 * a new part, or when the lock does not belong to the copy.
 */
async function awaitSilence(
  { backend, clock, silenceMs, onNotice }: UnfinishedCopyDeps,
  id: StackId,
  copy: BackendCopy,
): Promise<boolean> {
  const { stack } = stackPartsOf(id)
  const startedMs = clock.monotonicMs()
  for (let hasNotice = false; ; hasNotice = true) {
    const locks = [...(await listLocks(backend, id))]
    const found = (await listJournalCopies(backend, id)).find(entry => entry.copyId === copy.copyId)
    if (found === undefined || found.partCount === 0) return false
    const isGrowing = found.partCount !== copy.partCount
    const [, blockingLock] = locks.find(([key]) => isGrowing || !isLockOf(found, key)) ?? []
    if (blockingLock !== undefined) throw createLockedError(stack, blockingLock, clock.now())
    const [lockEntry] = locks
    if (lockEntry === undefined) return !isGrowing
    if (clock.monotonicMs() - startedMs >= silenceMs) return true
    if (!hasNotice) {
      const { message } = createLockedError(stack, lockEntry[1], clock.now())
      const seconds = Math.ceil(silenceMs / 1000)
      onNotice(`${message}. Waiting ${seconds} s for a sign of life of that process.`)
    }
    await clock.sleep(Math.min(checkIntervalMs, silenceMs))
  }
}

/** Reports whether the deployment of a copy was released. */
async function isReleased(backend: Backend, id: StackId, copy: BackendCopy): Promise<boolean> {
  const last = await readLastPart(backend, id, copy)
  return (
    last !== undefined &&
    'writes' in last &&
    last.writes.some(([method]) => method === endCopyMethod)
  )
}

/** Reports whether another machine has ended a copy. */
async function isFenced(backend: Backend, id: StackId, copy: BackendCopy): Promise<boolean> {
  const last = await readLastPart(backend, id, copy)
  return last !== undefined && 'fence' in last
}

/**
 * Returns the number of the first fence of a copy. The writer's next part would have this number.
 */
async function findFirstFence(backend: Backend, id: StackId, copy: BackendCopy): Promise<number> {
  let number = copy.partCount
  while (await isFenced(backend, id, { ...copy, partCount: number })) number -= 1
  return number
}

function readLastPart(backend: Backend, id: StackId, { copyId, partCount }: BackendCopy) {
  return readCopyPart(backend, id, { copyId, number: partCount - 1 })
}
