import type { BlobsPort } from '../../../ports/records.ts'
import type { BlobHash } from '../../../records/ids.ts'
import { emptyDeployment } from '../../../state/empty-deployment.ts'
import { parseEnvelope } from '../../../state/snapshot-codec.ts'
import type { StoredDeployment } from '../../../state/stored.ts'
import { deploymentOfEnvelope } from '../../../state/unknown-fields.ts'

/**
 * Returns the snapshot in a blob. Returns an empty state for the hash '', which a stack without a
 * snapshot has. Throws STATE_INVALID for a damaged snapshot, and STATE_TOO_NEW for a newer format.
 */
export async function readSnapshotBlob(
  blobs: BlobsPort,
  hash: BlobHash | '',
): Promise<StoredDeployment> {
  if (hash === '') return emptyDeployment
  return parseSnapshotBlob(await blobs.get(hash))
}

/** Parses the bytes of a snapshot. Throws STATE_INVALID, STATE_TOO_NEW. */
export async function parseSnapshotBlob(bytes: Uint8Array): Promise<StoredDeployment> {
  return deploymentOfEnvelope(await parseEnvelope(bytes)) ?? emptyDeployment
}
