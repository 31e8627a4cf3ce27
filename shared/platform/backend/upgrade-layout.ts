import { backendMetaKey, projectBackendMeta, unknownProject } from '../../backends/backend-keys.ts'
import { decompress } from '../../backends/compression.ts'
import { findLegacyStack, listLegacyStacks } from '../../backends/legacy-stacks.ts'
import { listJournalCopies } from '../../backends/journal-copies.ts'
import { type Backend, findBackend } from '../../backends/open-backend.ts'
import { copyHistory } from '../../backends/stack-history.ts'
import {
  readCheckpoint,
  removeStackObjects,
  removeTagsAndHistory,
  saveCheckpoint,
} from '../../backends/stack-objects.ts'
import { listLockKeys } from '../../backends/stack-locks.ts'
import { readBackendTags, saveBackendTags } from '../../backends/backend-tags.ts'
import { DeployError, createError } from '../../errors/error.ts'
import type { CatalogPort, StackListing } from '../../ports/catalog.ts'
import { deploymentPartsOf, type StackId, stackIdOf, stackPartsOf } from '../../records/ids.ts'
import type { HeldLocks } from './held-locks.ts'
import type { SyncPoints } from './sync-points.ts'
import { sha256Of } from './sync-stack.ts'

/**
 * The dependencies of an upgrade. `backend` reads and writes the legacy layout, even if the
 * metadata already names the other one.
 */
export interface UpgradeDeps {
  readonly backend: Backend
  /** The catalog of this machine. */
  readonly catalog: Pick<CatalogPort, 'listStacks'>
  readonly syncPoints: Pick<SyncPoints, 'read' | 'update'>
  /** The locks of the legacy layout. */
  readonly locks: Pick<HeldLocks, 'acquire' | 'release'>
}

/**
 * Returns the projects of stacks without resources, by stack. A stack for which it returns no
 * project is skipped.
 */
export type FindProjects = (stacks: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** The result of an upgrade. */
export interface LayoutUpgrade {
  readonly upgraded: readonly StackId[]
  /** The stacks that stay in the legacy layout, with the reason. */
  readonly skipped: readonly { readonly stack: string; readonly reason: string }[]
}

/**
 * Moves the stacks of the legacy layout to the layout with projects. Locks all stacks before the
 * write of the metadata. Afterwards no command finds the lock or the journal copy of a stack in the
 * legacy layout. If the backend has the new metadata already, a busy stack is skipped. As with
 * Pulumi, backups stay under their old keys, and the checkpoints keep their content. Throws
 * STACK_BUSY, BACKEND_LOCKED, BACKEND_INVALID and STATE_TOO_NEW before the first stack is moved,
 * and the errors of the store. Source: `Upgrade` in pkg/backend/diy/backend.go of Pulumi 3.274.1.
 */
export async function upgradeLayout(
  deps: UpgradeDeps,
  findProjects: FindProjects,
): Promise<LayoutUpgrade> {
  const { backend, locks } = deps
  const ids = await listLegacyIds(backend)
  const isUpgraded = (await findBackend(backend.store, backend.env))?.layout === 'project'
  const detachedStacks = ids.filter(isDetached).map(id => stackPartsOf(id).stack)
  const projects = detachedStacks.length === 0 ? new Map() : await findProjects(detachedStacks)
  const listing = await deps.catalog.listStacks()
  const upgraded: StackId[] = []
  const skipped: { stack: string; reason: string }[] = []
  const lockedIds: StackId[] = []
  const skip = (id: StackId, thrown: unknown): void => {
    if (!(thrown instanceof DeployError)) throw thrown
    skipped.push({ stack: stackPartsOf(id).stack, reason: thrown.message })
  }
  try {
    for (const id of ids)
      try {
        const { stack } = stackPartsOf(id)
        requireFinished(backend, listing, stack)
        const project = isDetached(id) ? projects.get(stack) : stackPartsOf(id).project
        if (project === undefined) {
          await requireUnused(backend, id)
          skipped.push({ stack, reason: 'its project is not known' })
        } else {
          await locks.acquire(stackIdOf(project, stack))
          lockedIds.push(stackIdOf(project, stack))
        }
      } catch (thrown) {
        if (!isUpgraded) throw thrown
        skip(id, thrown)
      }
    await backend.store.put(backendMetaKey, projectBackendMeta)
    for (const id of lockedIds)
      try {
        await moveToProject(deps, id)
        upgraded.push(id)
      } catch (thrown) {
        skip(id, thrown)
      }
  } finally {
    for (const id of lockedIds) await locks.release(id)
  }
  return { upgraded, skipped }
}

/** Lists the stacks of the legacy layout. Throws BACKEND_INVALID, STATE_TOO_NEW. */
async function listLegacyIds(backend: Backend): Promise<readonly StackId[]> {
  const ids: StackId[] = []
  for (const name of await listLegacyStacks(backend)) {
    const id = await findLegacyStack(backend, name)
    if (id !== undefined) ids.push(id)
  }
  return ids
}

/** Reports whether the project of a stack is unknown, because the stack has no resources. */
function isDetached(id: StackId): boolean {
  return stackPartsOf(id).project === unknownProject
}

/**
 * Throws STACK_BUSY for a stack with an unfinished deployment of this machine. The records of the
 * deployment name its journal copy in the legacy layout. The records may name any project, because
 * the layout has none.
 */
function requireFinished(
  backend: Backend,
  { stacks, unreadable }: StackListing,
  stack: string,
): void {
  const hasName = ({ id }: { readonly id: StackId }): boolean => stackPartsOf(id).stack === stack
  const unreadableStack = unreadable.find(hasName)
  if (unreadableStack !== undefined) throw unreadableStack.reason
  const current = stacks.find(record => hasName(record) && record.current !== '')?.current ?? ''
  if (current === '') return
  const { number } = deploymentPartsOf(current)
  throw createBusyError(`deployment ${number} of the stack '${stack}'`, backend, stack)
}

/** Throws STACK_BUSY if another machine uses this stack, whose project is not known. */
async function requireUnused(backend: Backend, id: StackId): Promise<void> {
  const { stack } = stackPartsOf(id)
  const isLocked = (await listLockKeys(backend, id)).length > 0
  const copies = await listJournalCopies(backend, id)
  if (!isLocked && copies.every(({ partCount }) => partCount === 0)) return
  throw createBusyError(`a deployment or edit of the stack '${stack}'`, backend, stack)
}

function createBusyError(subject: string, { store }: Backend, stack: string): DeployError {
  return createError('STACK_BUSY', `${subject} in ${store.address} has not ended`, {
    hint:
      `Wait for it, or run \`antichain cancel -s ${stack}\` in the folder of its project. ` +
      'Then run `antichain state upgrade` again.',
  })
}

/**
 * Writes a stack in the layout with projects, and removes it from the legacy layout. After a crash
 * in between, the next upgrade continues.
 */
async function moveToProject({ backend, syncPoints }: UpgradeDeps, id: StackId): Promise<void> {
  const target: Backend = { ...backend, layout: 'project' }
  const source = await readCheckpoint(backend, id)
  if (source === undefined) return
  const tags = await readBackendTags(backend, id)
  const checkpoint = decompress(source.bytes, source.key)
  const bytes = await saveNewCheckpoint(target, id, checkpoint)
  if (syncPoints.read(id).checkpoint === sha256Of(source.bytes))
    syncPoints.update(id, { checkpoint: sha256Of(bytes) })
  await copyHistory({ backend, id }, { backend: target, id })
  if (tags !== undefined) await saveBackendTags(target, id, tags.tags)
  // The checkpoint is removed last, because the next upgrade after a crash finds the stack by it.
  await removeTagsAndHistory(backend, id)
  await removeStackObjects(backend, id)
}

/**
 * Writes the checkpoint of a stack that does not exist yet, or that has this checkpoint already.
 * Returns the stored bytes. Throws STACK_EXISTS.
 */
async function saveNewCheckpoint(
  backend: Backend,
  id: StackId,
  checkpoint: Uint8Array,
): Promise<Uint8Array> {
  const existing = await readCheckpoint(backend, id)
  if (existing === undefined)
    return saveCheckpoint(backend, id, { checkpoint, previous: undefined })
  if (Buffer.from(decompress(existing.bytes, existing.key)).equals(checkpoint))
    return existing.bytes
  throw createError('STACK_EXISTS', `the stack ${id} exists already`)
}
