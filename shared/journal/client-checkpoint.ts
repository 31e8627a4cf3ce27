import type { BlobHash } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import { pendingOperationsOf } from '../state/pending.ts'
import type { StoredDeployment, StoredOperation } from '../state/stored.ts'
import { findUnfinishedCreates } from './unfinished-creates.ts'

/** The checkpoint from which the state at the end of an update is made. */
export interface EffectiveCheckpoint {
  readonly snapshot: BlobHash
  /** Whether the client numbered the checkpoint. A numbered checkpoint lacks parts of the state. */
  readonly isNumbered: boolean
}

/**
 * Returns the checkpoint with the highest number. Of several checkpoints with this number, returns
 * the last one. A slow call may append an earlier checkpoint after a later one. A checkpoint
 * without a number replaces all before it. Returns undefined for a log without checkpoints.
 */
export function findCheckpoint(decisions: readonly Decision[]): EffectiveCheckpoint | undefined {
  let effectiveCheckpoint: EffectiveCheckpoint | undefined
  let effectiveNumber = 0
  for (const decision of decisions) {
    if (decision.kind !== 'client-checkpoint') continue
    const { snapshot, sequenceNumber } = decision
    if (sequenceNumber !== undefined && sequenceNumber < effectiveNumber) continue
    effectiveCheckpoint = { snapshot, isNumbered: sequenceNumber !== undefined }
    effectiveNumber = sequenceNumber ?? 0
  }
  return effectiveCheckpoint
}

/**
 * Completes a numbered checkpoint. The client leaves extensions and snippets out of such a
 * checkpoint. If there are fewer than ten pending operations, the client leaves these out too. Adds
 * the extensions of the base if a resource names an extension, and its snippets if a resource names
 * a snippet. Adds the pending creates of the base and of the reported steps. Source:
 * `marshalSpannedDeployment` in pkg/backend/httpstate/diffs.go of Pulumi 3.274.1.
 */
export function completeCheckpoint(
  checkpoint: StoredDeployment,
  base: StoredDeployment,
  decisions: readonly Decision[],
): StoredDeployment {
  const { pending_operations, metadata, snippets, extensions, ...otherFields } = checkpoint
  const { resources = [] } = checkpoint
  const pending = pending_operations ?? listPendingCreates(checkpoint, base, decisions)
  const hasResourceField = (name: string): boolean =>
    resources.some(resource => typeof resource[name] === 'string' && resource[name] !== '')
  const completedSnippets = snippets ?? (hasResourceField('snippetID') ? base.snippets : undefined)
  const completedExtensions =
    extensions ?? (hasResourceField('extensionRef') ? base.extensions : undefined)
  return {
    ...otherFields,
    ...(pending.length === 0 ? {} : { pending_operations: pending }),
    metadata,
    ...(completedSnippets === undefined ? {} : { snippets: completedSnippets }),
    ...(completedExtensions === undefined ? {} : { extensions: completedExtensions }),
  }
}

/** Returns the pending creates of the base, and the creates that began but did not end. */
function listPendingCreates(
  checkpoint: StoredDeployment,
  base: StoredDeployment,
  decisions: readonly Decision[],
): readonly StoredOperation[] {
  const pendingCreatesOfBase = pendingOperationsOf(base).filter(({ type }) => type === 'creating')
  const unfinishedCreates = findUnfinishedCreates(checkpoint, decisions)
  return [
    ...pendingCreatesOfBase,
    ...unfinishedCreates.map(resource => ({ resource, type: 'creating' })),
  ]
}
