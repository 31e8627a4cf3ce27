import { publishedVersion } from '../../shared/engine/deployment/past.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/snapshot-blob.ts'
import { error } from '../../shared/errors/error.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { withoutOrigins } from '../../shared/state/pending.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { type CompactionPorts, readState } from './handle.ts'

/**
 * The state of a stack as the records have it now, or a published version; undefined for a stack
 * that never ran, or has no such version. Throws STACK_NOT_FOUND.
 */
export async function exportState(
  ports: CompactionPorts,
  stack: StackId,
  version?: number,
): Promise<StoredDeployment | undefined> {
  const record = await knownStack(ports, stack)
  if (version === undefined)
    return record.snapshot === '' && record.current === ''
      ? undefined
      : withoutOrigins(await readState(ports, record))
  const found = await publishedVersion(ports.catalog, stack, version)
  if (found === undefined) return undefined
  return withoutOrigins(await readSnapshotBlob(ports.blobs, found.snapshot))
}

/** The record of a stack. Throws STACK_NOT_FOUND. */
export async function knownStack(
  { catalog }: Pick<CompactionPorts, 'catalog'>,
  stack: StackId,
): Promise<StackRecord> {
  const record = await catalog.stack(stack)
  if (record !== undefined) return record
  const { project, stack: name } = stackPartsOf(stack)
  throw error('STACK_NOT_FOUND', `there is no stack '${name}' of project '${project}'`)
}
