import type { Urn } from '../names/urn.ts'
import type { StoredResource } from '../state/stored.ts'
import type { BlobHash, DeploymentId, OperationId } from './ids.ts'

/**
 * What a create made whose operation had been given up: it arrived after its end was written as
 * interrupted. Kept in the inbox of its stack until a deployment takes it (I9).
 */
export interface LateOutcome {
  readonly deployment: DeploymentId
  readonly operation: OperationId
  readonly attempt: number
  readonly urn: Urn
  /** The complete state that resulted, sealed. */
  readonly state: StoredResource
  /** The state as a blob, when it is larger than an item may be; `state` only names it then. */
  readonly stateBlob?: BlobHash
}

/** The key of an item: one per attempt, so that putting it twice is putting it once. */
export function lateKeyOf(item: Omit<LateOutcome, 'urn' | 'state' | 'stateBlob'>): string {
  return `${item.deployment} ${item.operation} ${item.attempt}`
}
