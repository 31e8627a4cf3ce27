import {
  createEmptyCheckpoint,
  readCheckpoint,
  removeStackObjects,
  requireWritableStack,
} from '../../backends/stack-objects.ts'
import { findLegacyStack } from '../../backends/legacy-stacks.ts'
import { listBackendStacks } from '../../backends/open-backend.ts'
import { removeJournalCopy } from '../../backends/journal-copies.ts'
import { hasCode } from '../../errors/error.ts'
import type {
  CatalogPort,
  DeploymentStart,
  HistoryRecord,
  StackListing,
  StackRecord,
  UnreadableStack,
} from '../../ports/catalog.ts'
import { deploymentPartsOf, type StackId, stackPartsOf } from '../../records/ids.ts'
import type { JournalCopies } from '../embedded/journal-copies.ts'
import type { HeldLocks } from './held-locks.ts'
import { publishToBackend, recordInBackend } from './publish-to-backend.ts'
import { emptySyncPoint } from './sync-points.ts'
import { sha256Of, type SyncDeps, syncStack } from './sync-stack.ts'

/** Go's names of architectures and systems, where Node's names differ. */
const goNames: Readonly<Record<string, string>> = { x64: 'amd64', win32: 'windows' }

/** The dependencies of the catalog of a backend. */
export interface BackendCatalogDeps extends SyncDeps {
  readonly journalCopies: Pick<JournalCopies, 'find' | 'end'>
  readonly locks: HeldLocks
}

/**
 * Creates the catalog of a backend over the catalog of this machine. A read synchronizes the stack
 * first. A start locks the stack. If its command calls providers, it also proves that the
 * checkpoint can be written. A publication writes the checkpoint of the stack. A release adds the
 * deployment to the history and unlocks the stack.
 */
export function createBackendCatalog(deps: BackendCatalogDeps): CatalogPort {
  const { catalog: local, locks, backend, syncPoints } = deps
  const sync = (id: StackId): Promise<StackRecord | undefined> =>
    locks.isHeld(id) ? local.getStack(id) : syncStack(deps, id)
  const runWhileLocked = async <T>(id: StackId, run: () => Promise<T>): Promise<T> => {
    const wasHeld = locks.isHeld(id)
    await locks.acquire(id)
    try {
      return await run()
    } finally {
      if (!wasHeld) await locks.release(id)
    }
  }
  const start: CatalogPort['start'] = async (id, input) => {
    await locks.acquire(id)
    try {
      return await local.start(id, await prepareStart(deps, id, input))
    } catch (thrown) {
      await locks.release(id)
      throw thrown
    }
  }
  return {
    ...local,
    createStack: (id, createdAt) =>
      runWhileLocked(id, async () => {
        if ((await readCheckpoint(backend, id)) !== undefined) return false
        const bytes = await createEmptyCheckpoint(backend, id)
        syncPoints.update(id, { ...emptySyncPoint, checkpoint: sha256Of(bytes) })
        await local.createStack(id, createdAt)
        return true
      }),
    getStack: sync,
    listStacks: project => listStacks(backend, sync, project),
    removeStack: (id, expected) =>
      runWhileLocked(id, async () => {
        if (!(await local.removeStack(id, expected))) return false
        await removeStackObjects(backend, id)
        syncPoints.remove(id)
        return true
      }),
    start,
    // A lock in a backend covers the whole stack, so targeted deployments cannot run at the same
    // time.
    startTargeted: start,
    publish: async (id, expectedVersion, snapshot, publisher) => {
      await locks.acquire(id)
      const published = await local.publish(id, expectedVersion, snapshot, publisher)
      if (published.kind !== 'conflict') await publishToBackend(deps, id, snapshot)
      return published
    },
    release: async (deployment, end) => {
      const { stack } = deploymentPartsOf(deployment)
      await locks.acquire(stack)
      if ((await local.getStack(stack))?.current === deployment)
        await recordInBackend(deps, deployment, end)
      const copyId = await deps.journalCopies.find(deployment)
      if (copyId !== undefined) await deps.journalCopies.end(deployment)
      await local.release(deployment, end)
      await locks.release(stack)
      if (copyId !== undefined) await removeJournalCopy(backend, stack, { copyId })
    },
  }
}

/**
 * The environment in an entry of the history: facts about this process, under the names that
 * Pulumi's client uses.
 */
const historyEnvironment: Readonly<Record<string, string>> = {
  'exec.kind': 'cli',
  'pulumi.arch': goNames[process.arch] ?? process.arch,
  'pulumi.os': goNames[process.platform] ?? process.platform,
}

/**
 * Synchronizes a stack before a start. If the command calls providers, it also proves that the
 * checkpoint can be written. The returned start then has the environment for its entry in the
 * history. The start of any other command is returned unchanged. Throws BACKEND_DENIED.
 */
async function prepareStart(
  deps: SyncDeps,
  id: StackId,
  start: DeploymentStart,
): Promise<DeploymentStart> {
  await syncStack(deps, id)
  if (!callsProviders(start.command)) return start
  await requireWritableStack(deps.backend, id)
  return { ...start, environment: historyEnvironment }
}

/** Reports whether the deployments of a command call providers. Edits of a state do not. */
function callsProviders(command: HistoryRecord['command']): boolean {
  return !['state', 'stack import', 'stack rename'].includes(command)
}

/**
 * Lists the stacks of a backend. A damaged or busy stack does not hide the others. The legacy
 * layout has no projects, so all its stacks are listed. The id of such a stack has the project of
 * its resources, or else `project`.
 */
async function listStacks(
  backend: BackendCatalogDeps['backend'],
  sync: (id: StackId) => Promise<StackRecord | undefined>,
  project: string | undefined,
): Promise<StackListing> {
  const isLegacy = backend.layout === 'legacy'
  const ids = (await listBackendStacks(backend)).filter(
    id => isLegacy || project === undefined || stackPartsOf(id).project === project,
  )
  const stacks: StackRecord[] = []
  const unreadable: UnreadableStack[] = []
  for (const id of ids)
    try {
      const stack = isLegacy ? await findLegacyStack(backend, stackPartsOf(id).stack, project) : id
      const record = stack === undefined ? undefined : await sync(stack)
      if (record !== undefined) stacks.push(record)
    } catch (thrown) {
      const isOfStack = (['BACKEND_INVALID', 'STATE_TOO_NEW', 'STACK_BUSY'] as const).some(code =>
        hasCode(thrown, code),
      )
      if (!isOfStack || !(thrown instanceof Error)) throw thrown
      unreadable.push({ id, reason: thrown })
    }
  return { stacks, unreadable }
}
