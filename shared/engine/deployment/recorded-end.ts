import type { OperationId } from '../../records/ids.ts'
import type { TrackedState } from '../step.ts'
import type { StepEnd } from '../step-end.ts'
import type { RecordedEnd } from './end-watcher.ts'
import type { Recorded } from './recorded.ts'
import type { Sealing } from './sealing.ts'
import { viewEndOfOutcome } from './view-outcomes.ts'

const interrupted = {
  message: 'the operation was interrupted; nobody knows how it ended',
  status: 'unknown' as const,
}

/** The states that operations of earlier lives made, by operation. */
export function madeBefore(
  before: ReadonlyMap<OperationId, RecordedEnd>,
  recorded: Pick<Recorded, 'decisions'>,
  sealing: Sealing,
): (id: OperationId) => TrackedState | undefined {
  return id => {
    const ended = before.get(id)
    const settled = recorded.decisions.find(
      decision => decision.kind === 'settled' && decision.operation.id === id,
    )
    const stored = settled?.kind === 'settled' ? settled.state : ended?.outcome?.state
    if (stored === undefined) return undefined
    return { state: sealing.open(stored), ref: { kind: 'operation', operation: id } }
  }
}

/** An end as the records have it, opened. */
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
