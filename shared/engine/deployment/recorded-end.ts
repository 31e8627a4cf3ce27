import type { StepEnd } from '../step-end.ts'
import type { RecordedEnd } from './end-watcher.ts'
import type { Sealing } from './sealing.ts'

const interrupted = {
  message: 'the operation was interrupted; nobody knows how it ended',
  status: 'unknown' as const,
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
  }
}
