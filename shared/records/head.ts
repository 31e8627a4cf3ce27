import type { Urn } from '../names/urn.ts'
import type { StoredResource } from '../state/stored.ts'
import type { BlobHash, EpochMs, ExecutorId, OperationId, OwnerToken } from './ids.ts'
import type { Holder } from './log.ts'
import type { Operation, StateEffect, StateReference, StepOp } from './operation.ts'
import type { HandOver } from './pool.ts'

/** How an operation ended. `partial`: made but not initialised; `interrupted`: nobody knows. */
export type Verdict = 'succeeded' | 'partial' | 'failed' | 'interrupted'

/**
 * The small mutable record of one operation, made by its first arrival or its begin.
 *
 * decided: no head, or a head with arrivals only. ready: arrivals = needs. begun: owner and attempt
 * set. begun, unowned: a give back or a lapse after an attempt that may have called. ended: `end`
 * set.
 */
export interface Head {
  readonly arrived: readonly OperationId[]
  /** 0 before the first begin; only grows. */
  readonly attempt: number
  readonly owner: OwnerToken | ''
  readonly executor: ExecutorId | ''
  /** Attempts that were given back, so that a head with none else never called. */
  readonly givenBack: number
  readonly end?: { readonly verdict: Verdict; readonly attempt: number }
}

/** An operation that nobody touched. */
export const freshHead: Head = { arrived: [], attempt: 0, owner: '', executor: '', givenBack: 0 }

/** What one attempt did; immutable, under (deployment, operation, attempt). */
export interface Outcome {
  readonly operation: OperationId
  readonly attempt: number
  readonly verdict: Exclude<Verdict, 'interrupted'>
  /**
   * The complete state that results, sealed; absent when the resource is gone or the attempt
   * failed.
   */
  readonly state?: StoredResource
  /** The state as a blob, when it is larger than an item may be. */
  readonly stateBlob?: BlobHash
  /** Refresh: whether what was read differs from what was recorded. */
  readonly resultOp?: StepOp
  readonly error?: OutcomeError
  /** What became of the views of the resource, in the order in which the provider told of it. */
  readonly views?: readonly ViewOutcome[]
  /** The views as a blob, when they are larger than an item may be. */
  readonly viewsBlob?: BlobHash
  readonly startedAt: EpochMs
  readonly endedAt: EpochMs
}

/** A step of a view that a provider told of during an attempt; states sealed. */
export interface ViewOutcome {
  readonly urn: Urn
  readonly type: string
  readonly op: StepOp
  readonly effect: StateEffect
  readonly verdict: Exclude<Verdict, 'interrupted'>
  /** Where the base has the view, and what the provider says it was. */
  readonly old?: { readonly at: StateReference; readonly state: StoredResource }
  readonly state?: StoredResource
  /** Of a refresh: what it came to. */
  readonly resultOp?: StepOp
  readonly error?: OutcomeError
  readonly keys?: readonly string[]
  readonly diffs?: readonly string[]
  readonly detailedDiff?: Exclude<Operation['detailedDiff'], undefined>
}

/** Why an attempt failed; redacted. `unknown`: the provider cannot say whether it took place. */
export interface OutcomeError {
  readonly message: string
  readonly status: 'ok' | 'partial' | 'unknown'
  readonly code?: string
  /** A protected resource: reported, but it stops nothing else. */
  readonly protected?: boolean
}

/** The stop flag only grows. */
export type Stop = 'none' | 'graceful' | 'forced'

/** One per deployment. Absent = over. */
export interface Control {
  readonly stop: Stop
  readonly holder: Holder
  readonly closed: boolean
  /** How the holder left it to the next; absent while one holds it. */
  readonly handedOver?: HandOver
}

/** The claim of one executor identity: `counter` grows with each renewal. */
export interface Lease {
  readonly executor: ExecutorId
  readonly holder: Holder
  readonly counter: number
  readonly retired: boolean
  /** Whether it retired by itself, once nothing ran under it: no request of it can land. */
  readonly left: boolean
  /** Process groups of its plugins, so that who takes over on this host can end them. */
  readonly groups: readonly ProcessGroup[]
}

/** A process group by its leader. */
export interface ProcessGroup {
  readonly pid: number
  readonly started: string
}
