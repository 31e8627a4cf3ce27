import type { DeploymentStart, HistoryRecord } from '../ports/catalog.ts'
import type { StoredDeployment } from '../state/stored.ts'
import type { HistoryImport } from './import-history.ts'

/** An entry of an exported history: the history in a file of an exported stack. */
export type ExportedEntry = Omit<HistoryRecord, 'deployment'>

/** The function that returns the state of an exported version in its stored form. */
export type ReadVersionState = (version: number) => Promise<StoredDeployment | undefined>

/**
 * Returns how many of the entries, counted from the oldest one, a stack already has. Returns
 * undefined if the stack has other deployments too. `records`: the history of the stack, newest
 * first.
 */
export function countImportedEntries(
  records: readonly HistoryRecord[],
  entries: readonly ExportedEntry[],
): number | undefined {
  const isSame = (record: HistoryRecord, index: number): boolean =>
    entries[index]?.command === record.command && entries[index]?.startedAt === record.startedAt
  return records.toReversed().every(isSame) ? records.length : undefined
}

/**
 * Returns the entries of an exported history as ended deployments. Of the entries with the same
 * version, only the first one has the state of that version.
 */
export function toHistoryImports(
  entries: readonly ExportedEntry[],
  readVersion: ReadVersionState,
): readonly HistoryImport[] {
  let exportedVersion = 0
  return entries.map(entry => {
    const { version = 0, startedAt, endedAt = startedAt, result = 'failed', changes = {} } = entry
    const isNewVersion = version > exportedVersion
    exportedVersion = Math.max(version, exportedVersion)
    return {
      start: startOf(entry),
      end: { at: endedAt, result, changes },
      readState: async () => {
        const deployment = isNewVersion ? await readVersion(version) : undefined
        return deployment === undefined ? undefined : { version: 3, deployment }
      },
    }
  })
}

function startOf(entry: ExportedEntry): DeploymentStart {
  const { command, message, by, approval, startedAt: at, environment, config } = entry
  return {
    ...{ command, message, at },
    ...(by === undefined ? {} : { by }),
    ...(approval === undefined ? {} : { approval }),
    ...(environment === undefined ? {} : { environment }),
    ...(config === undefined ? {} : { config }),
  }
}
