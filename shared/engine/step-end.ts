import type { Verdict, OutcomeError } from '../records/head.ts'
import type { StepOp } from '../records/operation.ts'
import type { ResourceState } from '../state/resource.ts'
import type { Step, StepReason, TrackedState } from './step.ts'

/** The end of a step, with its states opened. */
export interface StepEnd {
  readonly verdict: Verdict
  /**
   * The complete resulting state. Undefined when the resource is gone, or when the step failed or
   * was interrupted.
   */
  readonly state: ResourceState | undefined
  /**
   * For a refresh: the kind of step that corresponds to the read state (same, update or delete).
   * Undefined for other steps, and for a refresh that failed.
   */
  readonly resultOp: StepOp | undefined
  readonly error: OutcomeError | undefined
  /** For a refresh: the drift, if the process that read the state reports it. */
  readonly reason?: StepReason
  /** The view steps of this step with their ends, in the order of the reports of the provider. */
  readonly views?: readonly ViewEnd[]
}

/** A step on a view, and the end of the step. The provider of the view's owner reported both. */
export interface ViewEnd {
  readonly step: Step
  readonly end: StepEnd
}

/** A step with its end, and the resulting state with its reference in the records. */
export interface EndedStep {
  readonly step: Step
  readonly end: StepEnd
  /** The resulting state. Undefined if there is none. */
  readonly trackedState: TrackedState | undefined
  /**
   * Whether the step was interrupted because its executor is gone. Such an interruption is not an
   * error of the provider or plugin.
   */
  readonly isExecutorGone?: boolean
}

/** Returns the end of a step that succeeded. `state`: the resulting state, if there is one. */
export function successEndOf(
  state: ResourceState | undefined,
  resultOp?: StepEnd['resultOp'],
): StepEnd {
  return { verdict: 'succeeded', state, resultOp, error: undefined }
}

/** Returns the end of a failed step, without a resulting state. */
export function failureEndOf(error: OutcomeError): StepEnd {
  return { verdict: 'failed', state: undefined, resultOp: undefined, error }
}
