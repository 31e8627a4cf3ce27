import { createError } from '../errors/error.ts'
import type { CatalogPort, DeploymentStart, HistoryRecord } from '../ports/catalog.ts'
import type { BlobsPort } from '../ports/records.ts'
import type { DeploymentId, StackId } from '../records/ids.ts'
import { printStateBlob } from '../state/print-envelope.ts'
import type { StoredEnvelope } from '../state/stored.ts'

/** The ports that an import of a history writes to. */
export interface HistoryImportPorts {
  readonly catalog: CatalogPort
  readonly blobs: Pick<BlobsPort, 'put'>
}

/**
 * An entry of another history that becomes an ended deployment. `readState` returns the state that
 * becomes a version, or undefined if the entry has none.
 */
export interface HistoryImport {
  readonly start: DeploymentStart
  readonly end: Omit<Parameters<CatalogPort['release']>[1], 'version'>
  readonly readState: () => Promise<StoredEnvelope | undefined>
}

/**
 * Adds entries to a stack, oldest first, each as a deployment that has ended. Each state becomes a
 * version. `records`: the first entries, which an interrupted import has already added, newest
 * first. The deployment of the newest record may be open. Throws STACK_BUSY, STORE_CONFLICT.
 */
export async function importHistory(
  ports: HistoryImportPorts,
  id: StackId,
  {
    records,
    entries,
  }: { readonly records: readonly HistoryRecord[]; readonly entries: readonly HistoryImport[] },
): Promise<void> {
  const [last] = records
  const open = last?.result === undefined ? last?.deployment : undefined
  const firstIndex = open === undefined ? records.length : records.length - 1
  const interrupted = open === undefined ? {} : { open, lastVersion: records[1]?.version ?? 0 }
  for (const [offset, entry] of entries.slice(firstIndex).entries())
    await importHistoryEntry(ports, id, { ...entry, ...(offset === 0 ? interrupted : {}) })
}

/**
 * Adds one entry to a stack. `open`: the deployment of this entry, if an interrupted import left it
 * open. `lastVersion`: the version of the entry before it. Throws STACK_BUSY, STORE_CONFLICT.
 */
export async function importHistoryEntry(
  { catalog, blobs }: HistoryImportPorts,
  id: StackId,
  {
    start,
    end,
    readState,
    open,
    lastVersion = 0,
  }: HistoryImport & { readonly open?: DeploymentId; readonly lastVersion?: number },
): Promise<void> {
  // The read may be slow or fail, so it precedes the start of the deployment.
  const envelope = await readState()
  const hasState = envelope !== undefined && envelope.deployment !== null
  const snapshot = hasState ? await blobs.put(await printStateBlob(envelope)) : undefined
  const deployment = open ?? (await startEntry(catalog, id, start))
  const record = await catalog.getStack(id)
  let version = record?.version ?? 0
  if (snapshot !== undefined) {
    // The interrupted import may have published the snapshot already. A repetition is harmless. Two
    // entries may have equal snapshots, so the version is compared too.
    const isPublished = open !== undefined && version > lastVersion && record?.snapshot === snapshot
    const published = await catalog.publish(id, isPublished ? version - 1 : version, snapshot)
    if (published.kind === 'conflict')
      throw createError('STORE_CONFLICT', `the stack ${id} was changed during the import`)
    version = published.version
  }
  await catalog.release(deployment, { ...end, version })
}

async function startEntry(
  catalog: CatalogPort,
  id: StackId,
  start: DeploymentStart,
): Promise<DeploymentId> {
  const { kind, deployment } = await catalog.start(id, start)
  if (kind === 'busy')
    throw createError('STACK_BUSY', `the stack ${id} has a deployment that has not ended`)
  return deployment
}
