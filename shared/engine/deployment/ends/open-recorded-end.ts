import type { OperationId } from '../../../records/ids.ts'
import type { StoredResource } from '../../../state/stored.ts'
import type { TrackedState } from '../../step.ts'
import type { StepEnd } from '../../step-end.ts'
import type { RecordedEnd } from './end-watcher.ts'
import type { DecisionIndex } from '../log/decision-index.ts'
import type { Sealing } from '../state/state-sealing.ts'
import { viewEndOfOutcome } from '../state/view-outcomes.ts'

const interruptedError = {
  message: 'the operation was interrupted; its result is unknown',
  status: 'unknown' as const,
}

/**
 * Returns a lookup of the resulting states of operations of earlier generator runs. Its result is
 * undefined for an operation without a recorded state.
 */
export function createEarlierStateLookup(
  earlierEnds: ReadonlyMap<OperationId, RecordedEnd>,
  decisionIndex: Pick<DecisionIndex, 'decisions'>,
  sealing: Sealing,
): (id: OperationId) => TrackedState | undefined {
  const settledStates = new Map<OperationId, StoredResource | undefined>()
  const refreshedIndices = new Map<OperationId, number>()
  for (const decision of decisionIndex.decisions) {
    if (decision.kind === 'settled') settledStates.set(decision.operation.id, decision.state)
    else
      for (const { id, op, old } of decision.operations)
        if (op === 'refresh' && old?.kind === 'base') refreshedIndices.set(id, old.index)
  }
  return id => {
    const storedState = settledStates.has(id)
      ? settledStates.get(id)
      : earlierEnds.get(id)?.outcome?.state
    if (storedState === undefined) return undefined
    const index = refreshedIndices.get(id)
    const refreshedField = index === undefined ? {} : { refreshedIndex: index }
    return {
      state: sealing.open(storedState),
      ref: { kind: 'operation', operation: id },
      ...refreshedField,
    }
  }
}

/** Returns a recorded end with its states opened. Without a verdict, the end is interrupted. */
export function stepEndOf(recordedEnd: RecordedEnd, sealing: Sealing): StepEnd {
  const { outcome } = recordedEnd
  const verdict = recordedEnd.head.end?.verdict ?? 'interrupted'
  return {
    verdict,
    state: outcome?.state === undefined ? undefined : sealing.open(outcome.state),
    resultOp: outcome?.resultOp,
    error: outcome?.error ?? (verdict === 'interrupted' ? interruptedError : undefined),
    ...viewEndsOf(outcome, sealing),
  }
}

function viewEndsOf(outcome: RecordedEnd['outcome'], sealing: Sealing): Pick<StepEnd, 'views'> {
  if (outcome?.views === undefined) return {}
  return { views: outcome.views.map(view => viewEndOfOutcome(view, sealing)) }
}
