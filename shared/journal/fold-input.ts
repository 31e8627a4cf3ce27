import type { Head, Outcome } from '../records/head.ts'
import type { BlobHash, DeploymentId, OperationId } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import type { Operation } from '../records/operation.ts'
import type { StoredDeployment } from '../state/stored.ts'

/** Everything that a fold depends on. */
export interface FoldInput {
  /** The base of the last epoch. */
  readonly base: StoredDeployment
  /** The decisions after the pin of that epoch, in the order of the log. */
  readonly decisions: Iterable<Decision>
  /** The operations of a plan page. */
  readonly getPage: (hash: BlobHash) => readonly Operation[]
  /** Head and selected outcome of an operation; undefined for one that nobody touched. */
  readonly getEnd: (
    operation: OperationId,
  ) => { readonly head: Head; readonly outcome?: Outcome } | undefined
  readonly secretsProvider: {
    readonly type: string
    readonly state: Readonly<Record<string, string>>
  }
  /** Whose records these are; absent for a journal of another engine. */
  readonly deployment?: DeploymentId
  /** RFC 3339. */
  readonly now: string
  /** Goes into the manifest: who wrote the snapshot. */
  readonly version: string
}

/** A decision as the fold sees it: an operation with what is known of its end, or outputs. */
export type FoldedDecision =
  | { readonly kind: 'executed'; readonly operation: Operation }
  | { readonly kind: 'settled'; readonly decision: Decision & { readonly kind: 'settled' } }
  | { readonly kind: 'outputs'; readonly decision: Decision & { readonly kind: 'outputs' } }
  | { readonly kind: 'extension'; readonly decision: Decision & { readonly kind: 'extension' } }
