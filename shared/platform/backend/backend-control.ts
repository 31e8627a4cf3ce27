import { addCopyLock } from '../../backends/journal-copies.ts'
import type { Backend } from '../../backends/open-backend.ts'
import type { ControlPort } from '../../ports/records.ts'
import { type DeploymentId, deploymentPartsOf } from '../../records/ids.ts'
import type { JournalCopies } from '../embedded/journal-copies.ts'
import type { HeldLocks } from './held-locks.ts'

/** The dependencies of control records over a backend. `control` is the port of this machine. */
export interface BackendControlDeps {
  readonly backend: Backend
  readonly control: ControlPort
  readonly journalCopies: Pick<JournalCopies, 'find'>
  readonly locks: HeldLocks
  /** The id of the locks of this process. */
  readonly lockId: string
}

/**
 * Creates the port for control records over a backend. A holder has the lock of the stack, and the
 * copy of its deployment names this lock.
 */
export function createBackendControl(deps: BackendControlDeps): ControlPort {
  const { backend, control, journalCopies, locks, lockId } = deps
  const addLockToCopy = async (deployment: DeploymentId): Promise<void> => {
    const copy = await journalCopies.find(deployment)
    const { stack } = deploymentPartsOf(deployment)
    if (copy !== undefined) await addCopyLock(backend, stack, { copy, lock: lockId })
  }
  return {
    ...control,
    create: async (deployment, holder) => {
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
