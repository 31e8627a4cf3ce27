import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import {
  importBackendHistory,
  type ImportableEntry,
} from '../../backends/import-backend-history.ts'
import type { Backend } from '../../backends/open-backend.ts'
import {
  listHistoryKeys,
  readHistoryEntry,
  readHistoryState,
} from '../../backends/stack-history.ts'
import {
  parseStackCheckpoint,
  readCheckpoint,
  type CheckpointObject,
} from '../../backends/stack-objects.ts'
import { hasCode } from '../../errors/error.ts'
import type { CatalogPort, StackRecord } from '../../ports/catalog.ts'
import type { BlobsPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { BlobHash, StackId } from '../../records/ids.ts'
import { printStateBlob } from '../../state/print-envelope.ts'
import type { StoredEnvelope } from '../../state/stored.ts'
import { deploymentOfEnvelope } from '../../state/unknown-fields.ts'
import { emptySyncPoint, type SyncPoint, type SyncPoints } from './sync-points.ts'

/** The dependencies of a synchronization. `catalog` and `blobs`: the store of this machine. */
export interface SyncDeps {
  readonly backend: Backend
  readonly catalog: CatalogPort
  readonly blobs: BlobsPort
  readonly syncPoints: SyncPoints
  readonly clock: Pick<ClockPort, 'now'>
  /**
   * Releases a stack's unfinished deployment in the store of this machine, if another machine has
   * closed it.
   */
  readonly releaseIfTakenOver: (id: StackId) => Promise<void>
}

/** Returns the SHA-256 of bytes in hexadecimal. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Brings the store of this machine to the state and the history that the backend has for a stack.
 * Returns the stack's record, or undefined if the backend does not have the stack. A stack with an
 * unfinished deployment stays unchanged, because the records of the deployment refer to its base.
 * Throws BACKEND_INVALID, STATE_TOO_NEW, and the errors of the backend and of this machine's store.
 */
export async function syncStack(deps: SyncDeps, id: StackId): Promise<StackRecord | undefined> {
  const { backend, catalog, syncPoints, clock } = deps
  await deps.releaseIfTakenOver(id)
  const object = await readCheckpoint(backend, id)
  const record = await catalog.getStack(id)
  if (record !== undefined && record.current !== '') return record
  if (object === undefined) {
    if (record !== undefined) await catalog.removeStack(id)
    syncPoints.remove(id)
    return undefined
  }
  const syncPoint = record === undefined ? emptySyncPoint : syncPoints.read(id)
  if (record === undefined) await catalog.createStack(id, clock.now())
  // Another client may have moved the history from the legacy layout to another folder. So only
  // the names of the files are compared, which stay the same.
  const lastName = posix.basename(syncPoint.lastEntry)
  const newKeys = (await listHistoryKeys(backend, id)).filter(key => posix.basename(key) > lastName)
  const checkpoint = sha256Of(object.bytes)
  const isNewState = checkpoint !== syncPoint.checkpoint
  if (newKeys.length > 0 || isNewState) {
    const imported = await importChanges(deps, id, { object, newKeys, isNewState })
    const lastEntry = newKeys.at(-1) ?? syncPoint.lastEntry
    syncPoints.update(id, {
      lastEntry,
      ...(imported === undefined ? {} : { checkpoint, ...imported }),
    })
  }
  return catalog.getStack(id)
}

/**
 * Imports new entries of the history, and the new state. Returns the changed fields of the sync
 * point. Their `base` is the snapshot of the new state, or '' for a stack that never had a state.
 * Returns undefined if there is no new state, or if another process imports it.
 */
async function importChanges(
  deps: SyncDeps,
  id: StackId,
  change: {
    readonly object: CheckpointObject
    readonly newKeys: readonly string[]
    readonly isNewState: boolean
  },
): Promise<Pick<SyncPoint, 'base' | 'checkpointFields'> | undefined> {
  // The checkpoint is parsed first, so that an invalid one changes nothing.
  const { envelope, checkpointFields } = parseStackCheckpoint(change.object)
  const entries: ImportableEntry[] = []
  for (const key of change.newKeys) {
    // Each entry has a state. Only the state of the last entry is imported.
    const isLast = key === change.newKeys.at(-1)
    entries.push({
      info: await readHistoryEntry(deps.backend, key),
      readState: async () =>
        isLast && change.isNewState ? readHistoryState(deps.backend, key) : undefined,
    })
  }
  try {
    await importBackendHistory(deps, id, entries)
    const base = change.isNewState ? await publishState(deps, id, envelope) : undefined
    return base === undefined ? undefined : { base, checkpointFields }
  } catch (thrown) {
    // Another process of this machine imports the same changes, or has started a deployment.
    if (!hasCode(thrown, 'STACK_BUSY')) throw thrown
  }
  return undefined
}

/**
 * Publishes a state as an import, unless it is the current one. If the envelope of an existing
 * state has no deployment, another client has removed the stack and created it again. Its state is
 * then empty. Returns the snapshot. Returns '' for a stack that never had a state, and whose
 * envelope has no unknown fields. Returns undefined if another process imports the state, or has
 * started a deployment.
 */
async function publishState(
  deps: SyncDeps,
  id: StackId,
  envelope: StoredEnvelope,
): Promise<BlobHash | '' | undefined> {
  const { catalog, blobs, clock } = deps
  const record = await catalog.getStack(id)
  if (record === undefined || record.current !== '') return undefined
  if (deploymentOfEnvelope(envelope) === null && record.snapshot === '') return ''
  const bytes = await printStateBlob(envelope)
  if (record.snapshot === (sha256Of(bytes) as BlobHash)) return record.snapshot
  const at = clock.now()
  const start = { command: 'stack import', message: '', at } as const
  const { kind, deployment } = await catalog.start(id, start)
  if (kind === 'busy') return undefined
  const snapshot = await blobs.put(bytes)
  const published = await catalog.publish(id, record.version, snapshot)
  const end = { at, result: 'succeeded', changes: {}, version: published.version } as const
  await catalog.release(deployment, end)
  return snapshot
}
