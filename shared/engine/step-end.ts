import type { Verdict, OutcomeError } from '../records/head.ts'
import type { StepOp } from '../records/operation.ts'
import type { ResourceState } from '../state/resource.ts'
import type { Step, StepReason, TrackedState } from './step.ts'

/** The end of a step, with its states opened. */
export interface StepEnd {
  readonly verdict: Verdict
  /** The complete resulting state. Undefined when the resource is gone or the step failed. */
  readonly state: ResourceState | undefined
  /** For a refresh: its resulting step. */
  readonly resultOp: StepOp | undefined
  readonly error: OutcomeError | undefined
  /** For a refresh: the drift, if the process that read the state reports it. */
  readonly reason?: StepReason
  /** The ends of its view steps, in the order in which the provider reported them. */
  readonly views?: readonly ViewEnd[]
}

/** A view step that the owner's provider made, with its end. */
export interface ViewEnd {
  readonly step: Step
  readonly end: StepEnd
}

/** A step with its end, and the location of its state. */
export interface EndedStep {
  readonly step: Step
  readonly end: StepEnd
  /** The resulting state, undefined when there is none. */
  readonly tracked: TrackedState | undefined
  /**
   * Whether it was interrupted because its executor is gone. It is no error of a provider or plugin
   * then.
   */
  readonly isOrphaned?: boolean
}

/** Returns a success with this state. */
export function successEndOf(
  state: ResourceState | undefined,
  resultOp?: StepEnd['resultOp'],
): StepEnd {
  return { verdict: 'succeeded', state, resultOp, error: undefined }
}

/** Returns a failure without any known change. */
export function failureEndOf(error: OutcomeError): StepEnd {
  return { verdict: 'failed', state: undefined, resultOp: undefined, error }
}
