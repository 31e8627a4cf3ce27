import type { StoredResource } from '../state/stored.ts'
import type { JsonObject } from '../values/value-codec.ts'
import type { BlobHash } from './ids.ts'

/** The begin of a create, or the end of any step, in the engine events of a client. */
export interface ClientStep {
  readonly phase: 'begin' | 'end'
  /** The number of the event. */
  readonly sequence: number
  /** The resource without inputs, which events do not have with their secrets. */
  readonly resource: StoredResource
  /** For the begin of a replacement: the id of the replaced object. */
  readonly oldId?: string
}

/** A decision in the log of a client of Pulumi, which decides by itself. */
export type ClientDecision =
  /** Entries of Pulumi's journal that a client sent, in Pulumi's serialized form. */
  | { readonly kind: 'client-entries'; readonly entries: readonly JsonObject[] }
  /**
   * The whole state of a client without a journal, as a blob. The one with the highest number of
   * the client counts. States without numbers count in the order of the log.
   */
  | {
      readonly kind: 'client-checkpoint'
      readonly snapshot: BlobHash
      readonly sequenceNumber?: number
    }
  /**
   * Steps that a client without a journal reported. Its checkpoints leave out pending operations.
   */
  | { readonly kind: 'client-steps'; readonly steps: readonly ClientStep[] }
