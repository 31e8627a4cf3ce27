import type { BlobHash } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import { pendingOperationsOf } from '../state/pending.ts'
import type { StoredDeployment, StoredOperation } from '../state/stored.ts'
import { findUnendedCreates } from './client-steps.ts'

/** The checkpoint of a log that counts. Clients leave out parts of a state that they number. */
export interface CountedCheckpoint {
  readonly snapshot: BlobHash
  readonly isNumbered: boolean
}

/**
 * Returns the checkpoint of a client that counts: the one with the highest number, and the later
 * one of equal numbers. A slow call may append an earlier checkpoint after a later one. One without
 * a number replaces all before it. Returns undefined for a log without checkpoints.
 */
export function findCheckpoint(decisions: readonly Decision[]): CountedCheckpoint | undefined {
  let found: CountedCheckpoint | undefined
  let foundNumber = 0
  for (const decision of decisions) {
    if (decision.kind !== 'client-checkpoint') continue
    const { snapshot, sequenceNumber } = decision
    if (sequenceNumber !== undefined && sequenceNumber < foundNumber) continue
    found = { snapshot, isNumbered: sequenceNumber !== undefined }
    foundNumber = sequenceNumber ?? 0
  }
  return found
}

/**
 * Returns a numbered checkpoint with the parts that clients leave out: fewer than ten pending
 * operations, extensions and snippets. Pending creates come from the pinned base and from the
 * reported steps. Source: `marshalSpannedDeployment` in backend/httpstate/diffs.go of Pulumi.
 */
export function completeCheckpoint(
  checkpoint: StoredDeployment,
  base: StoredDeployment,
  decisions: readonly Decision[],
): StoredDeployment {
  const { pending_operations, metadata, snippets, extensions, ...first } = checkpoint
  const { resources = [] } = checkpoint
  const pending = pending_operations ?? listPendingCreates(checkpoint, base, decisions)
  const hasField = (name: string): boolean =>
    resources.some(resource => typeof resource[name] === 'string' && resource[name] !== '')
  const ownSnippets = snippets ?? (hasField('snippetID') ? base.snippets : undefined)
  const ownExtensions = extensions ?? (hasField('extensionRef') ? base.extensions : undefined)
  return {
    ...first,
    ...(pending.length === 0 ? {} : { pending_operations: pending }),
    metadata,
    ...(ownSnippets === undefined ? {} : { snippets: ownSnippets }),
    ...(ownExtensions === undefined ? {} : { extensions: ownExtensions }),
  }
}

/** Returns the creates of the base that are still pending, and those that the steps began. */
function listPendingCreates(
  checkpoint: StoredDeployment,
  base: StoredDeployment,
  decisions: readonly Decision[],
): readonly StoredOperation[] {
  const ofBase = pendingOperationsOf(base).filter(({ type }) => type === 'creating')
  const begun = findUnendedCreates(checkpoint, decisions)
  return [...ofBase, ...begun.map(resource => ({ resource, type: 'creating' }))]
}
