import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { toHistoryImport } from '../../backends/import-backend-history.ts'
import { type HistoryImport, importHistoryEntry } from '../../backends/import-history.ts'
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
import { createError, hasCode } from '../../errors/error.ts'
import type { CatalogPort, StackRecord } from '../../ports/catalog.ts'
import type { BlobsPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import {
  type BlobHash,
  deploymentIdOf,
  deploymentPartsOf,
  type StackId,
} from '../../records/ids.ts'
import { printStateBlob } from '../../state/print-envelope.ts'
import type { StoredEnvelope } from '../../state/stored.ts'
import { deploymentOfEnvelope } from '../../state/unknown-fields.ts'
import { emptySyncPoint, type OpenImport, type SyncPoints } from './sync-points.ts'

/** The dependencies of a synchronization. `catalog` and `blobs`: the store of this machine. */
export interface SyncDeps {
  readonly backend: Backend
  readonly catalog: CatalogPort
  readonly blobs: BlobsPort
  readonly syncPoints: SyncPoints
  readonly clock: Pick<ClockPort, 'now' | 'sleep' | 'monotonicMs'>
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
 * Throws BACKEND_INVALID, STATE_TOO_NEW, STACK_BUSY, and the errors of the backend and of this
 * machine's store.
 */
export async function syncStack(deps: SyncDeps, id: StackId): Promise<StackRecord | undefined> {
  const { backend, catalog, syncPoints, clock } = deps
  await deps.releaseIfTakenOver(id)
  const object = await readCheckpoint(backend, id)
  if (syncPoints.read(id).importing !== undefined)
    await runImport(deps, id, () => endInterruptedImport(deps, id))
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
  const isNewState = sha256Of(object.bytes) !== syncPoint.checkpoint
  const before = await catalog.getStack(id)
  if (before === undefined || (newKeys.length === 0 && !isNewState)) return before
  const isOutdated = await importChanges(deps, before, { object, newKeys, isNewState })
  return isOutdated ? syncStack(deps, id) : catalog.getStack(id)
}

/**
 * Imports new entries of the history, and the new state. Imports nothing and returns true if the
 * stack is no longer as in `before`. Another process has then imported changes or deployed.
 */
async function importChanges(
  deps: SyncDeps,
  before: StackRecord,
  change: {
    readonly object: CheckpointObject
    readonly newKeys: readonly string[]
    readonly isNewState: boolean
  },
): Promise<boolean> {
  const { backend, catalog, syncPoints } = deps
  const { id } = before
  const { object, newKeys, isNewState } = change
  // All objects are parsed first, so that an invalid one changes nothing.
  const { envelope, checkpointFields } = parseStackCheckpoint(object)
  const entries: (readonly [key: string, entry: HistoryImport])[] = []
  for (const key of newKeys) {
    // Each entry has a state. Only the state of the last entry is imported.
    const hasState = isNewState && key === newKeys.at(-1)
    const state = hasState ? await readHistoryState(backend, key) : undefined
    const info = await readHistoryEntry(backend, key)
    entries.push([key, toHistoryImport({ info, readState: async () => state })])
  }
  let isOutdated = false
  await runImport(deps, id, async () => {
    isOutdated = (await catalog.getStack(id))?.deployments !== before.deployments
    if (isOutdated) return
    for (const [key, entry] of entries) {
      await markImport(deps, id, { key, startedAt: entry.start.at, end: entry.end })
      await importHistoryEntry(deps, id, entry)
      syncPoints.update(id, { lastEntry: key, importing: undefined })
    }
    const base = isNewState ? await publishState(deps, id, envelope) : undefined
    if (base !== undefined)
      syncPoints.update(id, { checkpoint: sha256Of(object.bytes), base, checkpointFields })
  })
  return isOutdated
}

/**
 * Publishes a state as an import, unless it is the current one. If this machine has a state of the
 * stack, but the envelope has no deployment, another client has removed the stack and created it
 * again. The new state is then empty. Returns the snapshot. Returns '' for a stack that never had a
 * state, and whose envelope has no unknown fields. Returns undefined if another process has started
 * a deployment.
 */
async function publishState(
  deps: SyncDeps,
  id: StackId,
  envelope: StoredEnvelope,
): Promise<BlobHash | '' | undefined> {
  const { catalog, blobs, clock, syncPoints } = deps
  const record = await catalog.getStack(id)
  if (record === undefined || record.current !== '') return undefined
  if (deploymentOfEnvelope(envelope) === null && record.snapshot === '') return ''
  const bytes = await printStateBlob(envelope)
  if (record.snapshot === (sha256Of(bytes) as BlobHash)) return record.snapshot
  const at = clock.now()
  const end = { at, result: 'succeeded', changes: {} } as const
  const snapshot = await blobs.put(bytes)
  await markImport(deps, id, { key: '', startedAt: at, end: { ...end, result: 'interrupted' } })
  const start = { command: 'stack import', message: '', at } as const
  const { kind, deployment } = await catalog.start(id, start)
  if (kind === 'busy') return undefined
  const published = await catalog.publish(id, record.version, snapshot)
  await catalog.release(deployment, { ...end, version: published.version })
  syncPoints.update(id, { importing: undefined })
  return snapshot
}

/** Records the next deployment of a stack as one that an import adds. */
async function markImport(
  { catalog, syncPoints }: SyncDeps,
  id: StackId,
  entry: Omit<OpenImport, 'deployment'>,
): Promise<void> {
  const deployments = (await catalog.getStack(id))?.deployments ?? 0
  syncPoints.update(id, {
    importing: { ...entry, deployment: deploymentIdOf(id, deployments + 1) },
  })
}

/**
 * Ends the deployment that a killed import left open, with the end of its entry. If its state was
 * not published, `syncStack` then imports the state of the checkpoint.
 */
async function endInterruptedImport({ catalog, syncPoints }: SyncDeps, id: StackId): Promise<void> {
  const { importing } = syncPoints.read(id)
  if (importing === undefined) return
  const { key, deployment, startedAt, end } = importing
  const { number } = deploymentPartsOf(deployment)
  const [record] = await catalog.listHistory(id, 1, number + 1)
  const isAdded = record?.deployment === deployment && record.startedAt === startedAt
  const version = (await catalog.getStack(id))?.version ?? 0
  if (isAdded && record.result === undefined) await catalog.release(deployment, { ...end, version })
  const isEntryAdded = isAdded && key !== ''
  syncPoints.update(id, { importing: undefined, ...(isEntryAdded ? { lastEntry: key } : {}) })
}

/** Longest wait for the import of another process, and the pause between two attempts, in ms. */
const importWaitMs = 10_000
const importPauseMs = 20

/**
 * Runs an import of a stack under the stack's lock for imports. Ends the import if another process
 * has started a deployment. Throws STACK_BUSY if another import keeps the lock too long, because a
 * deployment must not begin with an old state.
 */
async function runImport(
  { clock, syncPoints }: SyncDeps,
  id: StackId,
  run: () => Promise<void>,
): Promise<void> {
  const deadlineMs = clock.monotonicMs() + importWaitMs
  let lock = syncPoints.tryLock(id)
  while (lock === undefined && clock.monotonicMs() < deadlineMs) {
    await clock.sleep(importPauseMs)
    lock = syncPoints.tryLock(id)
  }
  if (lock === undefined)
    throw createError('STACK_BUSY', `another process imports the changes of ${id} in the backend`, {
      hint: 'Run the command again when that process has ended.',
    })
  try {
    await run()
  } catch (thrown) {
    if (!hasCode(thrown, 'STACK_BUSY')) throw thrown
  } finally {
    lock.release()
  }
}
