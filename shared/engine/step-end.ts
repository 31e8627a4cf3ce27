import type { Verdict } from '../records/head.ts'
import type { OutcomeError } from '../records/head.ts'
import type { StepOp } from '../records/operation.ts'
import type { ResourceState } from '../state/resource.ts'
import type { Step, StepReason, TrackedState } from './step.ts'

/** How a step ended, opened. */
export interface StepEnd {
  readonly verdict: Verdict
  /** The complete state that results; undefined when it is gone or the step failed. */
  readonly state: ResourceState | undefined
  /** Refresh: what the read came to. */
  readonly resultOp: StepOp | undefined
  readonly error: OutcomeError | undefined
  /** Refresh: what drifted, where the process that read it tells of it. */
  readonly reason?: StepReason
  /** What became of its views, in the order in which the provider told of it. */
  readonly views?: readonly ViewEnd[]
}

/** A step of a view, which its owner's provider took, and how it ended. */
export interface ViewEnd {
  readonly step: Step
  readonly end: StepEnd
}

/** A step with its end, and where its state is now. */
export interface EndedStep {
  readonly step: Step
  readonly end: StepEnd
  /** The state that results, undefined when none does. */
  readonly tracked: TrackedState | undefined
  /** Whether it was interrupted because its executor is gone: no error of a provider or plugin. */
  readonly isOrphaned?: boolean
}

/** A success with this state. */
export function successEndOf(
  state: ResourceState | undefined,
  resultOp?: StepEnd['resultOp'],
): StepEnd {
  return { verdict: 'succeeded', state, resultOp, error: undefined }
}

/** A failure: nothing is known to have changed. */
export function failureEndOf(error: OutcomeError): StepEnd {
  return { verdict: 'failed', state: undefined, resultOp: undefined, error }
}
