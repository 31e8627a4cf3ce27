import type { BlobHash } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import type { StoredDeployment } from '../state/stored.ts'

/**
 * Returns the checkpoint of a client that counts: the one with the highest number, and the later
 * one of equal numbers. A slow call may append an earlier checkpoint after a later one. One without
 * a number replaces all before it. Returns undefined for a log without checkpoints.
 */
export function findCheckpoint(decisions: readonly Decision[]): BlobHash | undefined {
  let found: BlobHash | undefined
  let foundNumber = 0
  for (const decision of decisions) {
    if (decision.kind !== 'client-checkpoint') continue
    const { snapshot, sequenceNumber } = decision
    if (sequenceNumber !== undefined && sequenceNumber < foundNumber) continue
    found = snapshot
    foundNumber = sequenceNumber ?? 0
  }
  return found
}

/**
 * Reports whether resources of a checkpoint reference extensions or snippets that it lacks. Clients
 * that send numbered checkpoints write neither.
 */
export function lacksReferencedParts({
  resources = [],
  extensions,
  snippets,
}: StoredDeployment): boolean {
  const lacksExtensions = extensions === undefined && resources.some(hasField('extensionRef'))
  return lacksExtensions || (snippets === undefined && resources.some(hasField('snippetID')))
}

function hasField(name: string): (resource: { readonly [field: string]: unknown }) => boolean {
  return resource => typeof resource[name] === 'string' && resource[name] !== ''
}

/** Returns a checkpoint with the extensions and snippets of its base where it has none. */
export function completeCheckpoint(
  checkpoint: StoredDeployment,
  { snippets, extensions }: StoredDeployment,
): StoredDeployment {
  return {
    ...checkpoint,
    ...(checkpoint.snippets === undefined && snippets !== undefined ? { snippets } : {}),
    ...(checkpoint.extensions === undefined && extensions !== undefined ? { extensions } : {}),
  }
}
