import { addCopyLock } from '../../backends/journal-copies.ts'
import { stackKeysOf } from '../../backends/backend-keys.ts'
import { hasConditionalWrites } from '../../backends/conditional-writes.ts'
import type { Backend } from '../../backends/open-backend.ts'
import type { ControlPort } from '../../ports/records.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../records/ids.ts'
import type { JournalCopies } from '../embedded/journal-copies.ts'
import type { HeldLocks } from './held-locks.ts'

/** The dependencies of control records over a backend. `control` is the port of this machine. */
export interface BackendControlDeps {
  readonly backend: Backend
  readonly control: ControlPort
  readonly journalCopies: Pick<JournalCopies, 'find' | 'skip'>
  readonly locks: HeldLocks
  /** The id of the locks of this process. */
  readonly lockId: string
  /** Called once with a message if the store has no conditional writes. */
  readonly onNotice: (message: string) => void
}

/**
 * Creates the port for control records over a backend. A holder has the lock of the stack, and the
 * copy of its deployment names this lock. A deployment gets no copy in a store without conditional
 * writes, because no other machine could end the copy safely.
 */
export function createBackendControl(deps: BackendControlDeps): ControlPort {
  const { backend, control, journalCopies, locks, lockId } = deps
  const addLockToCopy = async (deployment: DeploymentId): Promise<void> => {
    const copyId = await journalCopies.find(deployment)
    const { stack } = deploymentPartsOf(deployment)
    if (copyId !== undefined) await addCopyLock(backend, stack, { copyId, lock: lockId })
  }
  let conditionalWritesTest: Promise<boolean> | undefined
  const canCopy = (id: StackId): Promise<boolean> => {
    conditionalWritesTest ??= testConditionalWrites(deps, id).catch((thrown: unknown) => {
      conditionalWritesTest = undefined
      throw thrown
    })
    return conditionalWritesTest
  }
  return {
    ...control,
    create: async (deployment, holder) => {
      const { stack } = deploymentPartsOf(deployment)
      await locks.acquire(stack)
      if (!(await canCopy(stack))) await journalCopies.skip(deployment)
      const isCreated = await control.create(deployment, holder)
      await addLockToCopy(deployment)
      return isCreated
    },
    hold: async (deployment, holder, takeoverNumber) => {
      await locks.acquire(deploymentPartsOf(deployment).stack)
      await addLockToCopy(deployment)
      await control.hold(deployment, holder, takeoverNumber)
    },
  }
}

/**
 * Tests whether the store has conditional writes, by a conditional put of this process's lock.
 * Calls `onNotice` if it has none.
 */
async function testConditionalWrites(
  { backend, lockId, onNotice }: BackendControlDeps,
  id: StackId,
): Promise<boolean> {
  const { store, layout } = backend
  const isSupported = await hasConditionalWrites(
    store,
    `${stackKeysOf(layout, id).locks}${lockId}.json`,
  )
  if (!isSupported)
    onNotice(
      `${store.address} has no conditional writes, so it gets no copy of the journal. ` +
        'If this deployment is interrupted, only this machine can continue from its records.',
    )
  return isSupported
}
