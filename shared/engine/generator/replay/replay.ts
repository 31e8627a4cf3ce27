import type { Urn } from '../../../names/urn.ts'
import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import type { EndedStep } from '../../step-end.ts'
import type { Step, TrackedState } from '../../step.ts'

/** One kind of recorded decision. */
export type RecordedRegistration = RecordedDecision & { readonly kind: 'registration' }
export type RecordedSettlement = RecordedDecision & { readonly kind: 'settled' }

/** Reports whether a decision only reads a registered resource. */
export function isRefresh(decision: RecordedDecision): boolean {
  return decision.kind === 'registration' && decision.operations.some(({ op }) => op === 'refresh')
}

/** The decisions of earlier generators of this deployment, and how they are resumed (I10). */
export interface Replay {
  /** The decisions about a URN, in order. */
  readonly decisionsOf: (urn: Urn) => readonly RecordedDecision[]
  /**
   * Runs a recorded chain to its end, once for all callers. Ended operations are read from their
   * records, running ones are awaited, and the others are sent again. `onEnd` of the first caller
   * gets the decided steps and their ends.
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
  /** Withdraws a decision if none of its operations began; atomic, by ending the first one. */
  readonly withdraw: (registration: RecordedRegistration) => Promise<boolean>
  /** Reads the present state of a recorded URN; undefined when it has none. */
  readonly readState: (urn: Urn) => Promise<TrackedState | undefined>
  /** Every URN with a recorded decision. */
  readonly recordedUrns: () => readonly Urn[]
}
