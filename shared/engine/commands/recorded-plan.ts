import type { OperationId } from '../../records/ids.ts'
import type { Base } from '../deployment/base.ts'
import type { RecordedEnd } from '../deployment/end-watcher.ts'
import { stepOfOperation } from '../deployment/operations.ts'
import type { PlannedOperation } from '../deployment/plan-run.ts'
import type { Recorded } from '../deployment/recorded.ts'
import { madeBefore, stepEndOf } from '../deployment/recorded-end.ts'
import type { Sealing } from '../deployment/sealing.ts'
import type { StepEmitter } from '../events/step-emitter.ts'

/**
 * A plan that an earlier life recorded, to be followed further; undefined when there is none. What
 * had ended before this life is told first, for nobody else will.
 */
export function recordedPlan(
  deps: {
    readonly recorded: Recorded | undefined
    readonly before: ReadonlyMap<OperationId, RecordedEnd>
    readonly sealing: Sealing
    readonly emitter: StepEmitter
  },
  base: Base,
  what: 'refresh' | 'deletes',
): readonly PlannedOperation[] | undefined {
  const { recorded, before, sealing } = deps
  const operations = recorded?.plan(what)
  if (recorded === undefined || operations === undefined) return undefined
  const from = { base, sealing, made: madeBefore(before, recorded, sealing) }
  return operations.map(operation => {
    if (operation.op === 'join') return { operation, step: undefined }
    const opened = stepOfOperation(operation, from)
    const step = operation.op === 'refresh' ? { ...opened, next: opened.old?.state } : opened
    const ended = before.get(operation.id)
    if (ended !== undefined) {
      deps.emitter.pre(step)
      deps.emitter.ended(step, stepEndOf(ended, sealing))
    }
    return { operation, step }
  })
}
