import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type BackendCopy,
  copyPrefixOf,
  putCopyBlob,
  readCopyBlob,
  readCopyParts,
} from '../../backends/journal-copies.ts'
import {
  parseStackCheckpoint,
  parseCheckpointState,
  readCheckpointBackup,
  readCheckpoint,
} from '../../backends/stack-objects.ts'
import { createError } from '../../errors/error.ts'
import type { BlobsPort } from '../../ports/records.ts'
import type { BlobHash, DeploymentId, EpochMs, StackId } from '../../records/ids.ts'
import type { CopyHeader } from '../../records/journal-copy.ts'
import { printStateBlob } from '../../state/print-envelope.ts'
import { type EmbeddedPlatform, openEmbeddedPlatform } from '../embedded/embedded-platform.ts'
import { type BackendCatalogDeps, createBackendCatalog } from './backend-catalog.ts'
import type { HeldLocks } from './held-locks.ts'
import { createSyncPoints } from './sync-points.ts'
import { sha256Of } from './sync-stack.ts'

/** The dependencies of closing a copied deployment. */
export interface CloseCopiedDeploymentDeps extends Pick<BackendCatalogDeps, 'backend'> {
  /**
   * A folder of this machine. The close of a copied deployment uses a store of its own in this
   * folder.
   */
  readonly folder: string
  /** Closes a deployment whose processes are all dead. */
  readonly closeDeployment: (platform: EmbeddedPlatform, deployment: DeploymentId) => Promise<void>
}

/** Locks that change nothing, because the caller of the close already has the lock of the stack. */
const locksOfCaller: HeldLocks = {
  acquire: async () => undefined,
  release: async () => undefined,
  isHeld: () => true,
  list: () => [],
  breakOtherLocks: async () => 0,
}

/**
 * Closes the deployment of a fenced copy, from the records of the copy. The close uses a new store,
 * and removes this store afterwards. The caller has the lock of the stack. A repeated close writes
 * the same objects, because each close uses the time of the first fence. Throws BACKEND_INVALID for
 * a damaged copy, and BACKEND_CHANGED if another client changed the stack.
 */
export async function closeCopiedDeployment(
  deps: CloseCopiedDeploymentDeps,
  id: StackId,
  copy: BackendCopy,
): Promise<void> {
  const home = join(deps.folder, copy.copyId)
  const removeHome = () => rmSync(home, { recursive: true, force: true })
  // An earlier close may have crashed.
  removeHome()
  try {
    await closeInStore(deps, { id, copy, home })
  } finally {
    removeHome()
  }
}

/** Closes the deployment of a copy in a new store in `home`. */
async function closeInStore(
  deps: CloseCopiedDeploymentDeps,
  { id, copy, home }: { readonly id: StackId; readonly copy: BackendCopy; readonly home: string },
): Promise<void> {
  await using embedded = await openEmbeddedPlatform({ home })
  const { header, fencedAt } = await restoreRecords(deps, { id, copy, embedded })
  const syncPoints = createSyncPoints(join(home, 'marks'))
  const isBaseCurrent = await restoreBase(deps, { id, copy, blobs: embedded.blobs, header })
  const current = await readCheckpoint(deps.backend, id)
  if (isBaseCurrent && current !== undefined)
    syncPoints.update(id, {
      checkpoint: sha256Of(current.bytes),
      checkpointFields: parseStackCheckpoint(current).checkpointFields,
    })
  const clock = { ...embedded.clock, now: () => fencedAt }
  const catalog = createBackendCatalog({
    ...deps,
    syncPoints,
    clock,
    locks: locksOfCaller,
    releaseIfTakenOver: async () => undefined,
    catalog: embedded.catalog,
    blobs: embedded.blobs,
    journalCopies: embedded.journalCopies,
  })
  const platform = { ...embedded, catalog, clock, writesUnchangedSnapshots: true }
  await deps.closeDeployment(platform, header.deployment)
}

/** Writes the records and the blobs of a copy into an empty store. */
async function restoreRecords(
  { backend }: CloseCopiedDeploymentDeps,
  { id, copy, embedded }: { id: StackId; copy: BackendCopy; embedded: EmbeddedPlatform },
): Promise<{ readonly header: CopyHeader; readonly fencedAt: EpochMs }> {
  for (const hash of copy.blobs) {
    const bytes = await readCopyBlob(backend, id, { copyId: copy.copyId, hash })
    if (bytes !== undefined) await embedded.blobs.put(bytes)
  }
  let header: CopyHeader | undefined
  let fencedAt: EpochMs | undefined
  // The caller wrote a fence after the parts that `partCount` counts. The close needs the fence's
  // time.
  for await (const part of readCopyParts(backend, id, { ...copy, partCount: copy.partCount + 1 }))
    if ('header' in part) {
      header = part.header
      await embedded.journalCopies.restore(part.header)
    } else if ('fence' in part) fencedAt ??= part.fence.at
    else if (header !== undefined && fencedAt === undefined)
      await embedded.journalCopies.repeat(header.deployment, part.writes)
  if (header !== undefined && fencedAt !== undefined) return { header, fencedAt }
  throw createError('BACKEND_INVALID', `the journal copy ${copy.copyId} of ${id} is not complete`)
}

/**
 * Restores the state that the deployment started from. Its source is a blob of the copy, the
 * checkpoint, or the checkpoint's `.bak`. Returns whether the checkpoint still has this state.
 */
async function restoreBase(
  { backend }: CloseCopiedDeploymentDeps,
  input: {
    readonly id: StackId
    readonly copy: BackendCopy
    readonly blobs: BlobsPort
    readonly header: CopyHeader
  },
): Promise<boolean> {
  const { id, copy, blobs, header } = input
  const { snapshot } = header.stack
  const current = await readCheckpoint(backend, id)
  const hashOf = async (object: typeof current): Promise<BlobHash | ''> => {
    if (object === undefined) return ''
    const envelope = parseCheckpointState(object)
    // A stack that never had a state has no base, so `snapshot` is ''.
    if (envelope.deployment === null && snapshot === '') return ''
    return blobs.put(await printStateBlob(envelope))
  }
  const isCurrent = (await hashOf(current)) === snapshot
  if (snapshot === '' || copy.blobs.includes(snapshot)) return isCurrent
  if (!isCurrent && (await hashOf(await readCheckpointBackup(backend, id))) !== snapshot)
    throw createError(
      'BACKEND_CHANGED',
      `another client changed the stack ${id} after the deployment ${header.deployment} was interrupted`,
      { hint: hintOfCopy(copyPrefixOf(backend, id, copy.copyId)) },
    )
  // After a crash, the next close may find another checkpoint. It then reads the base from this
  // blob.
  await putCopyBlob(backend, id, {
    copyId: copy.copyId,
    hash: snapshot,
    bytes: await blobs.get(snapshot),
  })
  return isCurrent
}

function hintOfCopy(prefix: string): string {
  return (
    `Its records are the objects below ${prefix} of the backend. ` +
    'Import the resources that it created, and then remove these objects.'
  )
}
