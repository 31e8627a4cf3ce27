import type { StoredResource } from '../state/stored.ts'
import type { JsonObject } from '../values/value-codec.ts'
import type { BlobHash } from './ids.ts'

/** The begin of a create, or the end of any step, in the engine events of a client. */
export interface ClientStep {
  readonly phase: 'begin' | 'end'
  /** The number of the event. */
  readonly sequence: number
  /** The resource without inputs, because events hide the secrets in inputs. */
  readonly resource: StoredResource
  /** For the begin of a replacement: the id of the replaced object. */
  readonly oldId?: string
}

/**
 * A decision in the log of a deployment that a client of Pulumi runs. The client decides the steps,
 * and the log records what the client sent.
 */
export type ClientDecision =
  /** Entries of Pulumi's journal that a client sent, in Pulumi's serialized form. */
  | { readonly kind: 'client-entries'; readonly entries: readonly JsonObject[] }
  /**
   * The whole state of a client without a journal, as a blob. The state with the highest number
   * counts. If no state has a number, the last one counts.
   */
  | {
      readonly kind: 'client-checkpoint'
      readonly snapshot: BlobHash
      readonly sequenceNumber?: number
    }
  /**
   * Steps that a client without a journal reported. They are recorded because the client's numbered
   * checkpoints leave out a few pending operations.
   */
  | { readonly kind: 'client-steps'; readonly steps: readonly ClientStep[] }
