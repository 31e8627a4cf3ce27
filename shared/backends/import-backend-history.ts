import { error } from '../errors/error.ts'
import type { CatalogPort, HistoryRecord } from '../ports/catalog.ts'
import type { BlobsPort } from '../ports/records.ts'
import type { EpochMs, StackId } from '../records/ids.ts'
import type { DeploymentResult } from '../records/log.ts'
import { printStateBlob } from '../state/print-envelope.ts'
import type { StoredEnvelope } from '../state/stored.ts'
import type { UpdateInfo } from './update-info.ts'
import { commandOfKind } from './update-kind.ts'

/**
 * An entry of a backend's history that can be imported. `readState` reads the state at the end of
 * the entry's deployment. It returns undefined if the backend has no copy of that state, or if the
 * state must not be imported.
 */
export interface ImportableEntry {
  readonly info: UpdateInfo
  readonly readState: () => Promise<StoredEnvelope | undefined>
}

/** The ports that an import of a backend's history writes to. */
export interface BackendImportPorts {
  readonly catalog: CatalogPort
  readonly blobs: Pick<BlobsPort, 'put'>
}

/**
 * Adds entries of a backend's history to a stack, oldest first, each as a deployment that has
 * ended. Each state becomes a version of the stack. Throws STACK_BUSY, STORE_CONFLICT.
 */
export async function importBackendHistory(
  { catalog, blobs }: BackendImportPorts,
  id: StackId,
  entries: readonly ImportableEntry[],
): Promise<void> {
  for (const { info, readState } of entries) {
    const start = await catalog.start(id, {
      command: commandOfKind(info.kind),
      message: info.message,
      at: toEpochMs(info.startTime),
      environment: info.environment,
      config: info.config,
    })
    if (start.kind === 'busy')
      throw error('STACK_BUSY', `the stack ${id} has a deployment that has not ended`)
    let version = (await catalog.getStack(id))?.version ?? 0
    const envelope = await readState()
    if (envelope !== undefined && envelope.deployment !== null) {
      const snapshot = await blobs.put(await printStateBlob(envelope))
      const published = await catalog.publish(id, version, snapshot)
      if (published.kind === 'conflict')
        throw error('STORE_CONFLICT', `the stack ${id} was changed during the import`)
      version = published.version
    }
    await catalog.release(start.deployment, {
      at: toEpochMs(info.endTime),
      result: resultOf(info.result),
      changes: info.resourceChanges ?? {},
      version,
    })
  }
}

/**
 * Compares the entries of a backend with the history of a stack, beginning at the oldest entry of
 * both. Returns the number of entries before the first difference, which were imported earlier.
 */
export function countImportedBackendEntries(
  /** The history of the stack, newest first. */
  history: readonly HistoryRecord[],
  entries: readonly ImportableEntry[],
): number {
  const oldestFirst = history.toReversed()
  const isSame = ({ info }: ImportableEntry, index: number): boolean => {
    const record = oldestFirst[index]
    return (
      record?.command === commandOfKind(info.kind) && record.startedAt === toEpochMs(info.startTime)
    )
  }
  const firstNew = entries.findIndex((entry, index) => !isSame(entry, index))
  return firstNew === -1 ? entries.length : firstNew
}

function toEpochMs(seconds: number): EpochMs {
  return (seconds * 1000) as EpochMs
}

function resultOf(result: string): DeploymentResult {
  return result === 'succeeded' ? 'succeeded' : 'failed'
}
