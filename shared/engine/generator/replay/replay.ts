import type { Urn } from '../../../names/urn.ts'
import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import type { EndedStep } from '../../step-end.ts'
import type { Step, TrackedState } from '../../step.ts'

/** One kind of recorded decision. */
export type RecordedRegistration = RecordedDecision & { readonly kind: 'registration' }
export type RecordedSettlement = RecordedDecision & { readonly kind: 'settled' }

/** Whether a decision only reads what the program registers. */
export function isRefresh(decision: RecordedDecision): boolean {
  return decision.kind === 'registration' && decision.operations.some(({ op }) => op === 'refresh')
}

/** What earlier lives of this deployment decided, and how it is taken up again (I10). */
export interface Replay {
  /** What was decided about a URN, in order. */
  readonly decisionsOf: (urn: Urn) => readonly RecordedDecision[]
  /**
   * Carries a recorded chain out to its end, once however often it is asked: what ended is answered
   * from its record, what runs is awaited, what never began is sent again. `note` hears of the
   * first asker's end what was decided and what of it took place.
   */
  readonly resume: (
    registration: RecordedRegistration,
    onEnd: (decided: readonly Step[], ended: readonly EndedStep[]) => void,
  ) => Promise<readonly EndedStep[]>
  /** The recorded chain by which a URN was last imported. */
  readonly importOf: (urn: Urn) => RecordedRegistration | undefined
  /** The recorded read of a URN that the program registers. */
  readonly refreshOf: (urn: Urn) => RecordedRegistration | undefined
  /** The last recorded chain that deletes a URN before a replacement, its own or another's. */
  readonly deleteBeforeReplaceOf: (urn: Urn) => RecordedRegistration | undefined
  /** A settled step as it was recorded, with its whole state. */
  readonly reopenSettled: (decision: RecordedSettlement) => {
    readonly step: Step
    readonly tracked: TrackedState
  }
  /** Takes a decision back if nothing of it began; atomic, by ending its first operation. */
  readonly withdraw: (registration: RecordedRegistration) => Promise<boolean>
  /** What a recorded URN is now; undefined when nothing came of it. */
  readonly readState: (urn: Urn) => Promise<TrackedState | undefined>
  /** Every URN that was decided about. */
  readonly recordedUrns: () => readonly Urn[]
}
