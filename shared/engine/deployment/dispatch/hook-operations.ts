import type { OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import { hooksOf } from '../../hooks.ts'
import type { Step } from '../../step.ts'
import { operationOf, type PlanPlace } from '../state/operations.ts'
import type { Sealing } from '../state/state-sealing.ts'

/** An operation with its step. Hooks and joins have no step. */
export interface PlannedOperation {
  readonly operation: Operation
  readonly step: Step | undefined
}

/** A step of a plan: its call and the hooks around it, if any. */
export interface PlannedCall {
  readonly call: PlannedOperation
  readonly before?: Operation
  readonly after?: Operation
}

/** A call with hooks around it. */
export type HookedCall = PlannedCall & { readonly after: Operation }

/**
 * Returns the operations of a step: its call alone, or its call between hooks of the program. The
 * first operation waits for the dependencies of the step. The last operation always exists, because
 * only the generator knows how it ends. It releases the dependents of the step and counts for its
 * barrier. Source: docs/spec/step-execution.md#hooks.
 */
export function planStepOperations(
  step: Step,
  place: PlanPlace,
  deps: { readonly nextId: () => OperationId; readonly sealing: Sealing },
): readonly PlannedOperation[] {
  const hooks = hooksOf(step)
  if (hooks === undefined) return [{ operation: operationOf(step, place, deps.sealing), step }]
  const hasBefore = (hooks.names.get(hooks.before)?.length ?? 0) > 0
  const { id, needs, ...behind } = place
  const call = hasBefore ? deps.nextId() : id
  const after = deps.nextId()
  const own = { id: call, needs: hasBefore ? 1 : needs, releases: [after] }
  const operation = { ...operationOf(step, own, deps.sealing), hooked: true }
  const hook = (when: 'before' | 'after', where: PlanPlace): PlannedOperation => {
    const { urn, type } = step
    const fields = { op: 'hook', urn, type, provider: '', effect: 'none', logical: false } as const
    return { operation: { ...fields, ...where, hook: { when, of: call } }, step: undefined }
  }
  return [
    ...(hasBefore ? [hook('before', { id, needs, releases: [call] })] : []),
    { operation, step },
    hook('after', { ...behind, id: after, needs: 1 }),
  ]
}

/**
 * Returns the steps of a plan, each with its hooks, in the order of their calls. Joins are omitted.
 */
export function groupHooks(links: readonly PlannedOperation[]): readonly PlannedCall[] {
  const around = new Map<OperationId, { before?: Operation; after?: Operation }>()
  for (const { operation } of links) {
    const { hook } = operation
    if (hook === undefined) continue
    around.set(hook.of, { ...around.get(hook.of), [hook.when]: operation })
  }
  return links.flatMap(call =>
    call.step === undefined ? [] : [{ call, ...around.get(call.operation.id) }],
  )
}

/** Reports whether a call has hooks of the program. */
export function isHooked(step: PlannedCall): step is HookedCall {
  return step.after !== undefined
}
