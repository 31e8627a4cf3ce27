import type { OperationId } from '../../records/ids.ts'
import { isUnsent } from '../../records/operation.ts'
import type { Base } from '../deployment/state/base.ts'
import type { RecordedEnd } from '../deployment/ends/end-watcher.ts'
import { stepOfOperation } from '../deployment/state/operations.ts'
import type { PlannedOperation } from '../deployment/dispatch/hook-operations.ts'
import type { PlanKind } from '../deployment/dispatch/run-plan.ts'
import type { DecisionIndex } from '../deployment/log/decision-index.ts'
import { createMadeLookup } from '../deployment/ends/recorded-end.ts'
import type { Sealing } from '../deployment/state/state-sealing.ts'

/**
 * Returns the plan that an earlier generator run recorded, or undefined when there is none. This
 * run continues it.
 */
export function readRecordedPlan(
  deps: {
    readonly recorded: DecisionIndex | undefined
    readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
    readonly sealing: Sealing
  },
  base: Base,
  kind: PlanKind,
): readonly PlannedOperation[] | undefined {
  const { recorded, earlierEnds, sealing } = deps
  const operations = recorded?.planOf(kind)
  if (recorded === undefined || operations === undefined) return undefined
  const from = { base, sealing, findMade: createMadeLookup(earlierEnds, recorded, sealing) }
  return operations.map(operation => {
    if (isUnsent(operation)) return { operation, step: undefined }
    const opened = stepOfOperation(operation, from)
    const step = operation.op === 'refresh' ? { ...opened, next: opened.old?.state } : opened
    return { operation, step }
  })
}
