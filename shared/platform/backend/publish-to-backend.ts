import { stackKeysOf } from '../../backends/backend-keys.ts'
import { printCheckpoint } from '../../backends/checkpoint-file.ts'
import { decompress } from '../../backends/compression.ts'
import { addHistoryEntry } from '../../backends/stack-history.ts'
import { backUpStack, readCheckpoint, saveCheckpoint } from '../../backends/stack-objects.ts'
import { kindOfCommand, type UpdateInfo } from '../../backends/update-info.ts'
import { createError } from '../../errors/error.ts'
import type { CatalogPort } from '../../ports/catalog.ts'
import {
  type BlobHash,
  type DeploymentId,
  deploymentPartsOf,
  type StackId,
} from '../../records/ids.ts'
import { parseEnvelope } from '../../state/stream/parse-envelope.ts'
import { pendingOperationsOf, withoutOperationOrigins } from '../../state/pending.ts'
import { envelopeOf } from '../../state/snapshot-codec.ts'
import type { StoredEnvelope } from '../../state/stored.ts'
import type { SyncPoint } from './sync-points.ts'
import { sha256Of, type SyncDeps } from './sync-stack.ts'

/**
 * Writes a published snapshot as the checkpoint of its stack. A repeated call changes nothing.
 * Throws BACKEND_CHANGED if another client has changed or removed the checkpoint since this machine
 * read it. The backend then keeps the other state.
 */
export async function publishToBackend(
  deps: SyncDeps,
  id: StackId,
  snapshot: BlobHash,
): Promise<void> {
  const { backend, syncPoints } = deps
  const { checkpointFields } = syncPoints.read(id)
  const { checkpoint, base } = await printSnapshot(deps, id, { snapshot, checkpointFields })
  const found = await readCheckpoint(backend, id)
  const isWritten =
    found !== undefined && Buffer.from(decompress(found.bytes, found.key)).equals(checkpoint)
  if (isWritten) return syncPoints.update(id, { checkpoint: sha256Of(found.bytes), base })
  if (found === undefined || sha256Of(found.bytes) !== syncPoints.read(id).checkpoint)
    throw createError(
      'BACKEND_CHANGED',
      `another client changed the stack ${id} in ${backend.store.address} during this deployment`,
    )
  const bytes = await saveCheckpoint(backend, id, { checkpoint, previous: found })
  syncPoints.update(id, { checkpoint: sha256Of(bytes), base })
}

/**
 * Returns a snapshot as the checkpoint of a stack. `snapshot` is '' for a stack that never had a
 * state. `base` is the snapshot if the checkpoint contains all of it, and else ''.
 */
export async function printSnapshot(
  { backend, blobs }: Pick<SyncDeps, 'backend' | 'blobs'>,
  id: StackId,
  options: { readonly snapshot: BlobHash | '' } & Pick<SyncPoint, 'checkpointFields'>,
): Promise<{ readonly checkpoint: Uint8Array; readonly base: BlobHash | '' }> {
  const { snapshot, checkpointFields } = options
  const { qualifiedName } = stackKeysOf(backend.layout, id)
  const envelope: StoredEnvelope =
    snapshot === ''
      ? { version: 3, deployment: null }
      : await parseEnvelope(await blobs.get(snapshot))
  const { deployment } = envelope
  const printed =
    deployment === null ? envelope : await envelopeOf(withoutOperationOrigins(deployment))
  // A checkpoint with pending operations is not complete, because it lacks their origins: the
  // attempts from which they come.
  const isComplete = deployment !== null && pendingOperationsOf(deployment).length === 0
  return {
    checkpoint: printCheckpoint(qualifiedName, printed, checkpointFields),
    base: isComplete ? snapshot : '',
  }
}

/**
 * Adds an ended deployment to the history of the backend, with a backup of its state. The entry has
 * the configuration with which the deployment started, because another process may end the
 * deployment. A repeated call replaces the objects of the first one. As in Pulumi, edits of the
 * state have no entry, and neither have deployments that ended before their pin.
 */
export async function recordInBackend(
  { backend, catalog, syncPoints }: SyncDeps,
  deployment: DeploymentId,
  end: Parameters<CatalogPort['release']>[1],
): Promise<void> {
  if (end.isUnpinned === true) return
  const { stack, number } = deploymentPartsOf(deployment)
  const [record] = await catalog.listHistory(stack, 1, number + 1)
  const kind = record === undefined ? undefined : kindOfCommand(record.command)
  if (record?.deployment !== deployment || kind === undefined) return
  const { entry } = syncPoints.read(stack)
  const atMs = entry?.deployment === deployment ? entry.atMs : end.at
  syncPoints.update(stack, { entry: { deployment, atMs } })
  const info: UpdateInfo = {
    kind,
    startTime: Math.floor(record.startedAt / 1000),
    message: record.message,
    environment: record.environment ?? {},
    config: record.config ?? {},
    version: 0,
    result: end.result === 'succeeded' ? 'succeeded' : 'failed',
    endTime: Math.floor(end.at / 1000),
    resourceChanges: end.changes,
  }
  const current = await readCheckpoint(backend, stack)
  const key = await addHistoryEntry(backend, stack, { info, atMs, current })
  if (current !== undefined) await backUpStack(backend, stack, { atMs, current })
  syncPoints.update(stack, { lastEntry: key })
}
