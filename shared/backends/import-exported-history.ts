import { error } from '../errors/error.ts'
import type { CatalogPort, HistoryRecord } from '../ports/catalog.ts'
import type { BlobsPort } from '../ports/records.ts'
import type { DeploymentId, StackId } from '../records/ids.ts'
import { printStateBlob } from '../state/print-envelope.ts'
import type { StoredDeployment } from '../state/stored.ts'

/** An entry of an exported history: the history in a file of an exported stack. */
export type ExportedEntry = Omit<HistoryRecord, 'deployment'>

/** The ports that an import of an exported history writes to. */
interface ExportedImportPorts {
  readonly catalog: CatalogPort
  readonly blobs: Pick<BlobsPort, 'put'>
}

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
 * Adds the entries of an exported history to a stack, oldest first, each as a deployment that has
 * ended. Each state becomes a version. `records`: the entries that an interrupted import has
 * already added, newest first. Throws STACK_BUSY, STORE_CONFLICT.
 */
export async function importExportedHistory(
  { catalog, blobs }: ExportedImportPorts,
  id: StackId,
  {
    records,
    entries,
    readVersion,
  }: {
    readonly records: readonly HistoryRecord[]
    readonly entries: readonly ExportedEntry[]
    readonly readVersion: ReadVersionState
  },
): Promise<void> {
  const [last] = records
  // An interrupted import may have left its last deployment open.
  const isLastOpen = last !== undefined && last.result === undefined
  const firstIndex = isLastOpen ? records.length - 1 : records.length
  let exportedVersion = entries[firstIndex - 1]?.version ?? 0
  for (const [offset, entry] of entries.slice(firstIndex).entries()) {
    const deployment =
      isLastOpen && offset === 0 ? last.deployment : await startEntry(catalog, id, entry)
    const { version = 0 } = entry
    const state = version > exportedVersion ? await readVersion(version) : undefined
    exportedVersion = Math.max(version, exportedVersion)
    await endEntry({ catalog, blobs }, { id, deployment, entry, state })
  }
}

async function startEntry(
  catalog: CatalogPort,
  id: StackId,
  { command, message, by, approval, startedAt: at, environment, config }: ExportedEntry,
): Promise<DeploymentId> {
  const { kind, deployment } = await catalog.start(id, {
    command,
    message,
    at,
    ...(by === undefined ? {} : { by }),
    ...(approval === undefined ? {} : { approval }),
    ...(environment === undefined ? {} : { environment }),
    ...(config === undefined ? {} : { config }),
  })
  if (kind === 'busy')
    throw error('STACK_BUSY', `the stack ${id} has a deployment that has not ended`)
  return deployment
}

async function endEntry(
  { catalog, blobs }: ExportedImportPorts,
  {
    id,
    deployment,
    entry,
    state,
  }: {
    readonly id: StackId
    readonly deployment: DeploymentId
    readonly entry: ExportedEntry
    readonly state: StoredDeployment | undefined
  },
): Promise<void> {
  let version = (await catalog.getStack(id))?.version ?? 0
  if (state !== undefined) {
    const snapshot = await blobs.put(await printStateBlob({ version: 3, deployment: state }))
    // A repetition after an interruption finds its own version as the newest one.
    const before = await findVersionBefore(catalog, id, { snapshot, version })
    const published = await catalog.publish(id, before, snapshot)
    if (published.kind === 'conflict')
      throw error('STORE_CONFLICT', `the stack ${id} was changed during the import`)
    version = published.version
  }
  const { startedAt, endedAt = startedAt, result = 'failed', changes = {} } = entry
  await catalog.release(deployment, { at: endedAt, result, changes, version })
}

/**
 * Returns the version that precedes a snapshot, which may already be published as the newest
 * version.
 */
async function findVersionBefore(
  catalog: CatalogPort,
  id: StackId,
  { snapshot, version }: { readonly snapshot: string; readonly version: number },
): Promise<number> {
  const [newest] = await catalog.listVersions(id, 1)
  return newest?.snapshot === snapshot ? version - 1 : version
}
