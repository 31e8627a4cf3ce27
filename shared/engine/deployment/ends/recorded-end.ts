import type { OperationId } from '../../../records/ids.ts'
import type { StoredResource } from '../../../state/stored.ts'
import type { TrackedState } from '../../step.ts'
import type { StepEnd } from '../../step-end.ts'
import type { RecordedEnd } from './end-watcher.ts'
import type { DecisionIndex } from '../log/decision-index.ts'
import type { Sealing } from '../state/state-sealing.ts'
import { viewEndOfOutcome } from '../state/view-outcomes.ts'

const interrupted = {
  message: 'the operation was interrupted; its result is unknown',
  status: 'unknown' as const,
}

/** Returns a lookup of the states that operations of earlier generator runs created. */
export function createMadeLookup(
  earlierEnds: ReadonlyMap<OperationId, RecordedEnd>,
  recorded: Pick<DecisionIndex, 'decisions'>,
  sealing: Sealing,
): (id: OperationId) => TrackedState | undefined {
  const settled = new Map<OperationId, StoredResource | undefined>()
  const read = new Map<OperationId, number>()
  for (const decision of recorded.decisions) {
    if (decision.kind === 'settled') settled.set(decision.operation.id, decision.state)
    else
      for (const { id, op, old } of decision.operations)
        if (op === 'refresh' && old?.kind === 'base') read.set(id, old.index)
  }
  return id => {
    const stored = settled.has(id) ? settled.get(id) : earlierEnds.get(id)?.outcome?.state
    if (stored === undefined) return undefined
    const index = read.get(id)
    const refreshedIndex = index === undefined ? {} : { refreshedIndex: index }
    return {
      state: sealing.open(stored),
      ref: { kind: 'operation', operation: id },
      ...refreshedIndex,
    }
  }
}

/** Returns a recorded end with its state opened. */
export function stepEndOf(recorded: RecordedEnd, sealing: Sealing): StepEnd {
  const { outcome } = recorded
  const verdict = recorded.head.end?.verdict ?? 'interrupted'
  return {
    verdict,
    state: outcome?.state === undefined ? undefined : sealing.open(outcome.state),
    resultOp: outcome?.resultOp,
    error: outcome?.error ?? (verdict === 'interrupted' ? interrupted : undefined),
    ...viewsOf(outcome, sealing),
  }
}

function viewsOf(outcome: RecordedEnd['outcome'], sealing: Sealing): Pick<StepEnd, 'views'> {
  if (outcome?.views === undefined) return {}
  return { views: outcome.views.map(view => viewEndOfOutcome(view, sealing)) }
}
