import { metaKey, projectMeta, unknownProject } from '../../backends/backend-keys.ts'
import { decompress } from '../../backends/compression.ts'
import { findLegacyStack, listLegacyStacks } from '../../backends/legacy-stacks.ts'
import type { Backend } from '../../backends/open-backend.ts'
import { copyHistory } from '../../backends/stack-history.ts'
import {
  readStackObject,
  removeStackObjects,
  removeTagsAndHistory,
  saveCheckpoint,
} from '../../backends/stack-objects.ts'
import { readBackendTags, saveBackendTags } from '../../backends/stack-tags.ts'
import { DeployError, error } from '../../errors/error.ts'
import type { CatalogPort } from '../../ports/catalog.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../records/ids.ts'
import type { HeldLocks } from './held-locks.ts'
import type { StackMarks } from './stack-marks.ts'
import { checkpointDigestOf } from './sync-stack.ts'

/** The dependencies of an upgrade. `backend` has the legacy layout, also if its metadata differs. */
export interface UpgradeDeps {
  readonly backend: Backend
  readonly catalog: Pick<CatalogPort, 'getStack'>
  readonly marks: Pick<StackMarks, 'read' | 'update'>
  /** The locks of the legacy layout. */
  readonly locks: Pick<HeldLocks, 'acquire' | 'release'>
}

/**
 * Returns the projects of stacks without resources, by stack. Without a project, a stack is
 * skipped.
 */
export type FindProjects = (stacks: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** The result of an upgrade. */
export interface LayoutUpgrade {
  readonly upgraded: readonly StackId[]
  /** The stacks that keep the legacy layout, with the reason. */
  readonly skipped: readonly { readonly stack: string; readonly reason: string }[]
}

/**
 * Moves the stacks of the legacy layout to the layout with projects. The metadata is written first,
 * so that a store without that permission stays as it is. As with Pulumi, backups stay under their
 * old keys, and the checkpoints keep their content. Source: `Upgrade` in
 * `pkg/backend/diy/backend.go` of Pulumi. Throws BACKEND_INVALID, STATE_TOO_NEW before the first
 * change, and the errors of the store.
 */
export async function upgradeLayout(
  deps: UpgradeDeps,
  findProjects: FindProjects,
): Promise<LayoutUpgrade> {
  const { backend } = deps
  const names = await listLegacyStacks(backend)
  const ids: StackId[] = []
  for (const name of names) {
    const id = await findLegacyStack(backend, name)
    if (id !== undefined) ids.push(id)
  }
  const isDetached = (id: StackId): boolean => stackPartsOf(id).project === unknownProject
  const detached = ids.filter(isDetached).map(id => stackPartsOf(id).stack)
  const projects = detached.length === 0 ? new Map() : await findProjects(detached)
  await backend.store.put(metaKey, projectMeta)
  const upgraded: StackId[] = []
  const skipped: { stack: string; reason: string }[] = []
  for (const id of ids) {
    const { stack } = stackPartsOf(id)
    const project = isDetached(id) ? projects.get(stack) : stackPartsOf(id).project
    try {
      if (project === undefined) skipped.push({ stack, reason: 'its project is not known' })
      else upgraded.push(await upgradeStack(deps, stackIdOf(project, stack)))
    } catch (thrown) {
      if (!(thrown instanceof DeployError)) throw thrown
      skipped.push({ stack, reason: thrown.message })
    }
  }
  return { upgraded, skipped }
}

/** Moves one stack under its lock. Throws STACK_BUSY, STACK_EXISTS, BACKEND_LOCKED. */
async function upgradeStack(deps: UpgradeDeps, id: StackId): Promise<StackId> {
  const { catalog, locks } = deps
  // The records of a deployment on this machine name its journal copy in the legacy layout.
  if (((await catalog.getStack(id))?.current ?? '') !== '')
    throw error('STACK_BUSY', 'it has an unfinished deployment, which `antichain cancel` closes')
  await locks.acquire(id)
  try {
    await moveToProject(deps, id)
  } finally {
    await locks.release(id)
  }
  return id
}

/**
 * Writes a stack in the layout with projects, and removes it from the legacy layout. After a crash
 * in between, the next upgrade continues.
 */
async function moveToProject({ backend, marks }: UpgradeDeps, id: StackId): Promise<void> {
  const target: Backend = { ...backend, layout: 'project' }
  const source = await readStackObject(backend, id)
  if (source === undefined) return
  const tags = await readBackendTags(backend, id)
  const checkpoint = decompress(source.bytes, source.key)
  const bytes = await saveNewCheckpoint(target, id, checkpoint)
  if (marks.read(id).checkpoint === checkpointDigestOf(source.bytes))
    marks.update(id, { checkpoint: checkpointDigestOf(bytes) })
  await copyHistory({ backend, id }, { backend: target, id })
  if (tags !== undefined) await saveBackendTags(target, id, tags.tags)
  // A stack without its checkpoint would not be upgraded again after a crash.
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
  const existing = await readStackObject(backend, id)
  if (existing === undefined)
    return saveCheckpoint(backend, id, { checkpoint, previous: undefined })
  if (Buffer.from(decompress(existing.bytes, existing.key)).equals(checkpoint))
    return existing.bytes
  throw error('STACK_EXISTS', `the stack ${id} exists already`)
}
