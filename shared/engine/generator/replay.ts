import type { Urn } from '../../names/urn.ts'
import type { RecordedDecision } from '../deployment/recorded.ts'
import type { EndedStep } from '../step-end.ts'
import type { Step, TrackedState } from '../step.ts'

/** One kind of recorded decision. */
export type RecordedRegistration = RecordedDecision & { readonly kind: 'registration' }
export type RecordedSettled = RecordedDecision & { readonly kind: 'settled' }

/** What earlier lives of this deployment decided, and how it is taken up again (I10). */
export interface Replay {
  /** What was decided about a URN, in order. */
  readonly decisionsOf: (urn: Urn) => readonly RecordedDecision[]
  /**
   * Carries a recorded chain out to its end: what ended is answered from its record, what runs is
   * awaited, what never began is sent again.
   */
  readonly rerun: (registration: RecordedRegistration) => Promise<readonly EndedStep[]>
  /** A settled step as it was recorded, with its whole state. */
  readonly settled: (decision: RecordedSettled) => {
    readonly step: Step
    readonly tracked: TrackedState
  }
  /** Takes a decision back if nothing of it began; atomic, by ending its first operation. */
  readonly withdraw: (registration: RecordedRegistration) => Promise<boolean>
  /** What a recorded URN is now; undefined when nothing came of it. */
  readonly stateOf: (urn: Urn) => Promise<TrackedState | undefined>
  /** Every URN that was decided about. */
  readonly urns: () => readonly Urn[]
}
