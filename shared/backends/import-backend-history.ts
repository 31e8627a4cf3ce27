import type { HistoryRecord } from '../ports/catalog.ts'
import type { EpochMs } from '../records/ids.ts'
import type { DeploymentResult } from '../records/log.ts'
import type { StoredEnvelope } from '../state/stored.ts'
import type { HistoryImport } from './import-history.ts'
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

/** Returns an entry of a backend's history as an ended deployment. */
export function toHistoryImport({ info, readState }: ImportableEntry): HistoryImport {
  const { message, environment, config } = info
  return {
    start: {
      command: commandOfKind(info.kind),
      at: toEpochMs(info.startTime),
      ...{ message, environment, config },
    },
    end: {
      at: toEpochMs(info.endTime),
      result: resultOf(info.result),
      changes: info.resourceChanges ?? {},
    },
    readState,
  }
}

/**
 * Compares the entries of a backend with the history of a stack, beginning at the oldest entry of
 * both. Returns the number of entries before the first difference. These entries were imported
 * earlier. After an interrupted import, the deployment of the last one may still be open.
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
