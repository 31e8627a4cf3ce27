import type { Urn } from '../../../names/urn.ts'
import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import type { EndedStep } from '../../step-end.ts'
import type { Step, TrackedState } from '../../step.ts'

/** A recorded decision about a registration. */
export type RecordedRegistration = RecordedDecision & { readonly kind: 'registration' }
/** A recorded step that the generator settled itself. */
export type RecordedSettlement = RecordedDecision & { readonly kind: 'settled' }

/** Reports whether a decision only reads a registered resource. */
export function isRefreshDecision(decision: RecordedDecision): boolean {
  return decision.kind === 'registration' && decision.operations.some(({ op }) => op === 'refresh')
}

/**
 * The decisions of earlier generator runs of this deployment, and functions that continue them
 * (I10).
 */
export interface Replay {
  /** Returns the decisions about a URN, in order. */
  readonly decisionsOf: (urn: Urn) => readonly RecordedDecision[]
  /**
   * Runs a recorded chain to its end, once for all callers. Uses the recorded ends. If these do not
   * complete the chain, sends its first operation again, and waits for the other ends. Only the
   * `onEnd` of the first caller is called, with the decided steps and their ends.
   */
  readonly resume: (
    registration: RecordedRegistration,
    onEnd: (decidedSteps: readonly Step[], endedSteps: readonly EndedStep[]) => void,
  ) => Promise<readonly EndedStep[]>
  /** Returns the recorded chain by which a URN was last imported. Undefined without an import. */
  readonly importOf: (urn: Urn) => RecordedRegistration | undefined
  /**
   * Returns the recorded refresh of a URN, which preceded the decision about its registration.
   * Undefined if the URN was not refreshed.
   */
  readonly refreshOf: (urn: Urn) => RecordedRegistration | undefined
  /**
   * Returns the last recorded chain that deletes a URN before the replacement of the same or
   * another resource. Undefined if there is none.
   */
  readonly deleteBeforeReplaceOf: (urn: Urn) => RecordedRegistration | undefined
  /** Returns a settled step as it was recorded, with its complete state. */
  readonly reopenSettled: (decision: RecordedSettlement) => {
    readonly step: Step
    readonly trackedState: TrackedState
  }
  /**
   * Withdraws a decision if none of its operations has begun and no hook of the first operation has
   * run. Returns false otherwise. The withdrawal is atomic, because one conditional write ends the
   * first operation.
   */
  readonly withdraw: (registration: RecordedRegistration) => Promise<boolean>
  /** Returns the current state of a recorded URN. Undefined if it has none. */
  readonly readState: (urn: Urn) => Promise<TrackedState | undefined>
  /** Returns every URN with a recorded decision. */
  readonly recordedUrns: () => readonly Urn[]
}
