import type { OperationId } from '../../../records/ids.ts'
import { isUnsent } from '../../../records/operation.ts'
import type { Base } from '../../deployment/state/base.ts'
import { isChainComplete } from '../../deployment/dispatch/run-chain.ts'
import { replaceStepOf } from '../../events/replace-events.ts'
import type { RecordedEnd } from '../../deployment/ends/end-watcher.ts'
import { stepOfOperation } from '../../deployment/state/operations.ts'
import { stepEndOf } from '../../deployment/ends/recorded-end.ts'
import {
  lastRetryOf,
  type DecisionIndex,
  type RecordedDecision,
} from '../../deployment/log/decision-index.ts'
import type { Sealing } from '../../deployment/state/state-sealing.ts'
import type { StepEmitter } from '../../events/step-emitter.ts'
import { stepOf } from '../../step.ts'
import { type EndedStep, successEndOf } from '../../step-end.ts'
import { createSameViewSteps } from '../steps/same-views.ts'

/** The dependencies of counting. `earlierEnds`: all ends when this generator started. */
export interface CountDeps {
  readonly recorded: DecisionIndex
  readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
  readonly sealing: Sealing
  readonly emitter: Pick<StepEmitter, 'count'>
}

/**
 * Counts the steps of earlier generators without showing them again. The program has ended and does
 * not run again, and the summary covers the whole deployment. A state without a decision or delete
 * was registered unchanged, which leaves no record.
 */
export function countRecorded(deps: CountDeps, base: Base): void {
  const { recorded, emitter } = deps
  const planned = [...(recorded.planOf('deletes') ?? []), ...(recorded.planOf('refresh') ?? [])]
  const touched = new Set(planned.map(({ urn }) => urn))
  for (const decision of recorded.decisions) {
    for (const [old] of decision.sets.aliased ?? []) touched.add(old)
    touched.add(decision.kind === 'registration' ? decision.urn : decision.operation.urn)
    const ended = recordedEndsOf(deps, decision, base)
    for (const { step, end } of ended) {
      emitter.count(step, end)
      if (step.op !== 'same' || step.old === undefined) continue
      for (const view of createSameViewSteps(base, step.old.state))
        emitter.count(view, successEndOf(view.next))
    }
    const length =
      decision.kind === 'registration'
        ? decision.operations.filter(one => !isUnsent(one)).length
        : 1
    if (!isChainComplete(ended, length)) continue
    for (const { step } of ended) {
      const replace = replaceStepOf(step)
      if (replace !== undefined) emitter.count(replace, successEndOf(replace.next))
    }
  }
  for (const [index, state] of base.snapshot.resources.entries()) {
    if (state.delete || touched.has(state.urn)) continue
    if (state.viewOf !== '' && touched.has(state.viewOf)) continue
    const step = stepOf({ op: 'same', effect: 'none', old: base.trackedAt(index), next: state })
    emitter.count(step, successEndOf(state))
  }
}

function recordedEndsOf(
  { earlierEnds, sealing, recorded: all }: CountDeps,
  decision: RecordedDecision,
  base: Base,
): readonly EndedStep[] {
  const open = { base, sealing, findMade: () => undefined }
  if (decision.kind === 'settled') {
    const { operation, state } = decision
    const next = state === undefined ? undefined : sealing.open(state)
    const step = { ...stepOfOperation(operation, open), next }
    return [{ step, end: successEndOf(next), tracked: undefined }]
  }
  return decision.operations.flatMap(operation => {
    const recorded = earlierEnds.get(lastRetryOf(all, operation.id))
    if (recorded === undefined || isUnsent(operation)) return []
    const end = stepEndOf(recorded, sealing)
    return [{ step: stepOfOperation(operation, open), end, tracked: undefined }]
  })
}
