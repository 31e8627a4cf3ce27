import { findPublishedVersion } from '../../engine/deployment/retention/read-history-and-versions.ts'
import { readSnapshotBlob } from '../../engine/deployment/state/read-snapshot-blob.ts'
import { createError } from '../../errors/error.ts'
import type { StackRecord } from '../../ports/catalog.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import { withoutOperationOrigins } from '../../state/pending.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { type JournalPorts, readState } from '../compaction/fold-and-publish.ts'

/**
 * Returns the current state of a stack from its records, or a published version. Returns undefined
 * for a version that does not exist. Without `version`, returns undefined for a stack that has no
 * published version and no open deployment. Throws STACK_NOT_FOUND.
 */
export async function exportState(
  ports: JournalPorts,
  stack: StackId,
  version?: number,
): Promise<StoredDeployment | undefined> {
  const record = await requireStack(ports, stack)
  if (version === undefined)
    return record.snapshot === '' && record.current === ''
      ? undefined
      : withoutOperationOrigins(await readState(ports, record))
  const publishedVersion = await findPublishedVersion(ports.catalog, stack, version)
  if (publishedVersion === undefined) return undefined
  return withoutOperationOrigins(await readSnapshotBlob(ports.blobs, publishedVersion.snapshot))
}

/** Returns the record of a stack. Throws STACK_NOT_FOUND. */
export async function requireStack(
  { catalog }: Pick<JournalPorts, 'catalog'>,
  stack: StackId,
): Promise<StackRecord> {
  const record = await catalog.getStack(stack)
  if (record !== undefined) return record
  const { project, stack: name } = stackPartsOf(stack)
  throw createError('STACK_NOT_FOUND', `there is no stack '${name}' of project '${project}'`)
}
