import type { Urn } from '../names/urn.ts'
import type { StoredResource } from '../state/stored.ts'
import type { BlobHash, DeploymentId, OperationId } from './ids.ts'

/**
 * A resource that an attempt created, although its operation has another end, for example
 * `interrupted`. The late outcome stays in the stack's inbox until a deployment takes it (invariant
 * I9 of docs/architecture.md).
 */
export interface LateOutcome {
  readonly deployment: DeploymentId
  readonly operation: OperationId
  readonly attempt: number
  readonly urn: Urn
  /** The resulting state, sealed. With `stateBlob`, only the identity of the resource. */
  readonly state: StoredResource
  /** The complete sealed state as a blob, if the state is too large for a record. */
  readonly stateBlob?: BlobHash
}

/**
 * Returns the key of a late outcome. There is one key per attempt, so a repeated put has no effect.
 */
export function lateOutcomeKeyOf(
  outcome: Omit<LateOutcome, 'urn' | 'state' | 'stateBlob'>,
): string {
  return `${outcome.deployment} ${outcome.operation} ${outcome.attempt}`
}
