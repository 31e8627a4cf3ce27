import type { OperationId } from '../../records/ids.ts'
import { isJoinOrHook } from '../../records/operation.ts'
import type { Base } from '../deployment/state/base.ts'
import type { RecordedEnd } from '../deployment/ends/end-watcher.ts'
import { stepOfOperation } from '../deployment/state/step-operations.ts'
import type { PlannedOperation } from '../deployment/dispatch/hook-operations.ts'
import type { PlanKind } from '../deployment/dispatch/run-plan.ts'
import type { DecisionIndex } from '../deployment/log/decision-index.ts'
import { createEarlierStateLookup } from '../deployment/ends/open-recorded-end.ts'
import type { Sealing } from '../deployment/state/state-sealing.ts'

/**
 * Returns the plan that an earlier generator run recorded, for this run to continue. Undefined if
 * there is none.
 */
export function readRecordedPlan(
  deps: {
    readonly earlierDecisions: DecisionIndex | undefined
    readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
    readonly sealing: Sealing
  },
  base: Base,
  kind: PlanKind,
): readonly PlannedOperation[] | undefined {
  const { earlierDecisions, earlierEnds, sealing } = deps
  const operations = earlierDecisions?.planOf(kind)
  if (earlierDecisions === undefined || operations === undefined) return undefined
  const sources = {
    base,
    sealing,
    findResultState: createEarlierStateLookup(earlierEnds, earlierDecisions, sealing),
  }
  return operations.map(operation => {
    if (isJoinOrHook(operation)) return { operation, step: undefined }
    const openedStep = stepOfOperation(operation, sources)
    // The record of a refresh omits the planned state, which equals the old state.
    const step =
      operation.op === 'refresh' ? { ...openedStep, next: openedStep.old?.state } : openedStep
    return { operation, step }
  })
}
