import type { OperationId } from '../../../records/ids.ts'
import { isJoinOrHook } from '../../../records/operation.ts'
import type { Base } from '../../deployment/state/base.ts'
import { isChainComplete } from '../../deployment/dispatch/run-chain.ts'
import { countedReplaceStepOf } from '../../events/replace-events.ts'
import type { RecordedEnd } from '../../deployment/ends/end-watcher.ts'
import { stepOfOperation } from '../../deployment/state/step-operations.ts'
import { createEarlierStateLookup, stepEndOf } from '../../deployment/ends/open-recorded-end.ts'
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

/**
 * The dependencies of `countRecordedSteps`. `earlierEnds`: all ends from before the start of this
 * generator run.
 */
export interface CountDeps {
  readonly earlierDecisions: DecisionIndex
  readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
  readonly sealing: Sealing
  readonly emitter: Pick<StepEmitter, 'count'>
}

/**
 * Counts the steps of earlier generator runs for the summary, without emitting them again. The
 * program has ended and does not run again. A registration that changes nothing leaves no record,
 * so each base state that no record names counts as `same`.
 */
export function countRecordedSteps(deps: CountDeps, base: Base): void {
  const { earlierDecisions, emitter } = deps
  const plannedOperations = [
    ...(earlierDecisions.planOf('deletes') ?? []),
    ...(earlierDecisions.planOf('refresh') ?? []),
  ]
  const decidedUrns = new Set(plannedOperations.map(({ urn }) => urn))
  for (const decision of earlierDecisions.decisions) {
    if (!isReadBeforeUpdate(deps, decision)) {
      for (const [old] of decision.sets.aliased ?? []) decidedUrns.add(old)
      decidedUrns.add(decision.kind === 'registration' ? decision.urn : decision.operation.urn)
    }
    const endedSteps = recordedEndsOf(deps, decision, base)
    for (const { step, end } of endedSteps) {
      emitter.count(step, end)
      if (step.op !== 'same' || step.old === undefined) continue
      for (const view of createSameViewSteps(base, step.old.state))
        emitter.count(view, successEndOf(view.next))
    }
    const chainLength =
      decision.kind === 'registration'
        ? decision.operations.filter(operation => !isJoinOrHook(operation)).length
        : 1
    const isComplete = isChainComplete(endedSteps, chainLength)
    for (const { step } of endedSteps) {
      const replace = countedReplaceStepOf(step, isComplete)
      if (replace !== undefined) emitter.count(replace, successEndOf(replace.next))
    }
  }
  for (const [index, state] of base.snapshot.resources.entries()) {
    if (state.delete || decidedUrns.has(state.urn)) continue
    if (state.viewOf !== '' && decidedUrns.has(state.viewOf)) continue
    const step = stepOf({
      op: 'same',
      effect: 'none',
      old: base.trackedStateAt(index),
      next: state,
    })
    emitter.count(step, successEndOf(state))
  }
}

/**
 * Reports whether a decision only read an existing resource for an update. If the read resource is
 * unchanged, no other record names it.
 */
function isReadBeforeUpdate(
  { earlierDecisions, earlierEnds }: CountDeps,
  decision: RecordedDecision,
): boolean {
  if (decision.kind === 'settled' || earlierDecisions.programEnd?.isRefresh === true) return false
  return decision.operations.every(
    ({ id, op }) =>
      op === 'refresh' &&
      earlierEnds.get(lastRetryOf(earlierDecisions, id))?.outcome?.state !== undefined,
  )
}

function recordedEndsOf(
  { earlierEnds, sealing, earlierDecisions }: CountDeps,
  decision: RecordedDecision,
  base: Base,
): readonly EndedStep[] {
  const findResultState = createEarlierStateLookup(earlierEnds, earlierDecisions, sealing)
  const openDeps = { base, sealing, findResultState }
  if (decision.kind === 'settled') {
    const { operation, state } = decision
    const next = state === undefined ? undefined : sealing.open(state)
    const step = { ...stepOfOperation(operation, openDeps), next }
    return [{ step, end: successEndOf(next), trackedState: undefined }]
  }
  return decision.operations.flatMap(operation => {
    const recordedEnd = earlierEnds.get(lastRetryOf(earlierDecisions, operation.id))
    if (recordedEnd === undefined || isJoinOrHook(operation)) return []
    const end = stepEndOf(recordedEnd, sealing)
    return [{ step: stepOfOperation(operation, openDeps), end, trackedState: undefined }]
  })
}
