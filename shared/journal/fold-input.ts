import type { Head, Outcome } from '../records/head.ts'
import type { BlobHash, DeploymentId, OperationId } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import type { Operation } from '../records/operation.ts'
import type { StoredDeployment } from '../state/stored.ts'

/** The complete input of a fold. */
export interface FoldInput {
  /** The base of the last epoch. */
  readonly base: StoredDeployment
  /** The decisions after the pin of that epoch, in log order. */
  readonly decisions: Iterable<Decision>
  /** Returns the operations of a plan page. */
  readonly getPage: (hash: BlobHash) => readonly Operation[]
  /**
   * Returns the head and the selected outcome of an operation. Returns undefined if it has no head.
   */
  readonly getEnd: (
    operation: OperationId,
  ) => { readonly head: Head; readonly outcome?: Outcome } | undefined
  readonly secretsProvider: {
    readonly type: string
    readonly state: Readonly<Record<string, string>>
  }
  /** The deployment of the records. Absent for a journal of another engine. */
  readonly deployment?: DeploymentId
  /** The time in the manifest of the snapshot, in RFC 3339. */
  readonly now: string
  /** The engine version in the manifest of the snapshot. */
  readonly version: string
}

/**
 * A decision as input of the fold: a planned operation, a settled one, outputs, or an extension. A
 * planned operation may have no begin.
 */
export type FoldedDecision =
  | { readonly kind: 'planned'; readonly operation: Operation }
  | { readonly kind: 'settled'; readonly decision: Decision & { readonly kind: 'settled' } }
  | { readonly kind: 'outputs'; readonly decision: Decision & { readonly kind: 'outputs' } }
  | { readonly kind: 'extension'; readonly decision: Decision & { readonly kind: 'extension' } }
