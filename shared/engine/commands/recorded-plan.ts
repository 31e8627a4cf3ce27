import type { OperationId } from '../../records/ids.ts'
import { isUnsent } from '../../records/operation.ts'
import type { Base } from '../deployment/base.ts'
import type { RecordedEnd } from '../deployment/end-watcher.ts'
import { stepOfOperation } from '../deployment/operations.ts'
import type { PlannedOperation } from '../deployment/hook-operations.ts'
import type { PlanKind } from '../deployment/plan-run.ts'
import type { Recorded } from '../deployment/recorded.ts'
import { madeBefore } from '../deployment/recorded-end.ts'
import type { Sealing } from '../deployment/sealing.ts'

/**
 * A plan that an earlier life recorded, to be followed further; undefined when there is none.
 */
export function recordedPlan(
  deps: {
    readonly recorded: Recorded | undefined
    readonly before: ReadonlyMap<OperationId, RecordedEnd>
    readonly sealing: Sealing
  },
  base: Base,
  what: PlanKind,
): readonly PlannedOperation[] | undefined {
  const { recorded, before, sealing } = deps
  const operations = recorded?.plan(what)
  if (recorded === undefined || operations === undefined) return undefined
  const from = { base, sealing, made: madeBefore(before, recorded, sealing) }
  return operations.map(operation => {
    if (isUnsent(operation)) return { operation, step: undefined }
    const opened = stepOfOperation(operation, from)
    const step = operation.op === 'refresh' ? { ...opened, next: opened.old?.state } : opened
    return { operation, step }
  })
}
