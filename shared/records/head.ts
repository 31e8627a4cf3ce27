import type { Urn } from '../names/urn.ts'
import type { StoredResource } from '../state/stored.ts'
import type { BlobHash, EpochMs, ExecutorId, OperationId, OwnerToken } from './ids.ts'
import type { Holder } from './log.ts'
import type { Operation, StateEffect, StateReference, StepOp } from './operation.ts'
import type { HandOver } from './pool.ts'

/**
 * The verdict on an operation. `partial`: the resource was created or updated, but not initialized.
 * `interrupted`: the result is unknown.
 */
export type Verdict = 'succeeded' | 'partial' | 'failed' | 'interrupted'

/**
 * The small mutable record of one operation, created by the first write to it.
 *
 * An operation is `decided` while an arrival is missing. It is `ready` when all needs have arrived
 * and no attempt can have called the provider. It is `begun` while it has an owner, and `unowned`
 * if it has none but an attempt may have called the provider. It is `ended` when `end` is set.
 */
export interface Head {
  /** The needs that have succeeded. For a barrier: its operations that have ended. */
  readonly arrived: readonly OperationId[]
  /** 0 before the first begin. Never decreases. */
  readonly attempt: number
  readonly owner: OwnerToken | ''
  readonly executor: ExecutorId | ''
  /**
   * The number of attempts that were given back. If all attempts were given back, the provider was
   * never called.
   */
  readonly givenBack: number
  readonly end?: { readonly verdict: Verdict; readonly attempt: number }
}

/** The head of an operation before the first write to it. */
export const freshHead: Head = { arrived: [], attempt: 0, owner: '', executor: '', givenBack: 0 }

/** The immutable result of one attempt, under (deployment, operation, attempt). */
export interface Outcome {
  readonly operation: OperationId
  readonly attempt: number
  readonly verdict: Exclude<Verdict, 'interrupted'>
  /**
   * The complete resulting state, sealed. Absent when the resource is gone, the attempt failed, or
   * `stateBlob` is set.
   */
  readonly state?: StoredResource
  /** The state as a blob, if it is too large for a record. */
  readonly stateBlob?: BlobHash
  /** For a refresh: the kind of step that corresponds to its result, such as `update`. */
  readonly resultOp?: StepOp
  readonly error?: OutcomeError
  /** The view steps of the resource, in the order in which the provider reported them. */
  readonly views?: readonly ViewOutcome[]
  /** The views as a blob, if they are too large for a record. */
  readonly viewsBlob?: BlobHash
  readonly startedAt: EpochMs
  readonly endedAt: EpochMs
  /** The total of the pauses before retries of the call, in ms. Absent: none. */
  readonly pausedMs?: number
  /** Set if the call had limits. The operation may then have waited for them. */
  readonly isLimited?: true
}

/** A view step that a provider reported during an attempt; states are sealed. */
export interface ViewOutcome {
  readonly urn: Urn
  readonly type: string
  readonly op: StepOp
  readonly effect: StateEffect
  readonly verdict: Exclude<Verdict, 'interrupted'>
  /** The position of the view in the base, and the view's old state as the provider reported it. */
  readonly old?: { readonly at: StateReference; readonly state: StoredResource }
  readonly state?: StoredResource
  /** For a refresh of the owner: the kind of step that corresponds to the result for the view. */
  readonly resultOp?: StepOp
  readonly error?: OutcomeError
  /** For events, as in `Operation`: keys that force a replacement, changed keys, detailed diff. */
  readonly keys?: readonly string[]
  readonly diffs?: readonly string[]
  readonly detailedDiff?: Exclude<Operation['detailedDiff'], undefined>
}

/**
 * The redacted reason of a failed or partial attempt. `partial`: the change took place, but the
 * resource is not initialized. `unknown`: it is unknown whether the change took place. `ok`
 * (Pulumi's name): the call had no effect.
 */
export interface OutcomeError {
  readonly message: string
  readonly status: 'ok' | 'partial' | 'unknown'
  /** The gRPC status code, if the provider returned the error. */
  readonly code?: string
  /**
   * True if a delete was refused because its resource is protected. The error is reported, and
   * other operations continue.
   */
  readonly protected?: boolean
}

/** The stop flag. It can be raised from `graceful` to `forced`, and is never lowered. */
export type StopFlag = 'none' | 'graceful' | 'forced'

/** The control record of a deployment, created at its start and removed after all other records. */
export interface Control {
  readonly stop: StopFlag
  readonly holder: Holder
  readonly closed: boolean
  /** The hand-over by the last holder. Absent while a generator holds the deployment. */
  readonly handedOver?: HandOver
}

/** The lease of one executor or generator. `counter` increases with each renewal. */
export interface Lease {
  readonly executor: ExecutorId
  readonly holder: Holder
  readonly counter: number
  /** Whether the lease has ended for good. A renewal is then refused. */
  readonly retired: boolean
  /**
   * Whether the executor itself retired its identity, after all its operations had ended. Then none
   * of its requests can still take effect.
   */
  readonly left: boolean
  /** Process groups of the executor's plugins. A take-over on the same host ends them. */
  readonly groups: readonly ProcessGroup[]
}

/** A process group, identified by its leader. */
export interface ProcessGroup {
  readonly pid: number
  readonly started: string
}
