import type { OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import { hooksOf } from '../../hooks.ts'
import type { Step } from '../../step.ts'
import { operationOf, type PlanPosition } from '../state/step-operations.ts'
import type { Sealing } from '../state/state-sealing.ts'

/** An operation with its step. Hooks and joins have no step. */
export interface PlannedOperation {
  readonly operation: Operation
  readonly step: Step | undefined
}

/** The operations of one step of a plan or chain. `call`: the operation that calls the provider. */
export interface PlannedCall {
  readonly call: PlannedOperation
  /** The hook operation before the call. Absent without before hooks. */
  readonly before?: Operation
  /** The hook operation after the call. Present if the step has hooks of any type. */
  readonly after?: Operation
}

/** A call with hooks around it. */
export type HookedCall = PlannedCall & { readonly after: Operation }

/**
 * Returns the operations of a step: its call alone, or its call between hooks of the program. With
 * hooks, the first operation gets the needs of the step. The after operation gets the releases and
 * the barrier of the step, because the waiters of the step also wait for its hooks. The after
 * operation exists even without after hooks: error hooks may retry the call, and only the generator
 * runs them. Source: docs/spec/step-execution.md#hooks.
 */
export function planStepOperations(
  step: Step,
  position: PlanPosition,
  deps: { readonly nextId: () => OperationId; readonly sealing: Sealing },
): readonly PlannedOperation[] {
  const hooks = hooksOf(step)
  if (hooks === undefined) return [{ operation: operationOf(step, position, deps.sealing), step }]
  const hasBefore = (hooks.names.get(hooks.beforeType)?.length ?? 0) > 0
  const { id, needs, ...releaseFields } = position
  const callId = hasBefore ? deps.nextId() : id
  const afterId = deps.nextId()
  const callPosition = { id: callId, needs: hasBefore ? 1 : needs, releases: [afterId] }
  const operation = { ...operationOf(step, callPosition, deps.sealing), hooked: true }
  const createHook = (timing: 'before' | 'after', hookPosition: PlanPosition): PlannedOperation => {
    const { urn, type } = step
    const fields = { op: 'hook', urn, type, provider: '', effect: 'none', logical: false } as const
    return {
      operation: { ...fields, ...hookPosition, hook: { when: timing, of: callId } },
      step: undefined,
    }
  }
  return [
    ...(hasBefore ? [createHook('before', { id, needs, releases: [callId] })] : []),
    { operation, step },
    createHook('after', { ...releaseFields, id: afterId, needs: 1 }),
  ]
}

/**
 * Returns the steps of a plan or chain, each with its hooks, in the order of their calls. Joins are
 * omitted.
 */
export function groupHooks(plannedOperations: readonly PlannedOperation[]): readonly PlannedCall[] {
  const hooksByCall = new Map<OperationId, { before?: Operation; after?: Operation }>()
  for (const { operation } of plannedOperations) {
    const { hook } = operation
    if (hook === undefined) continue
    hooksByCall.set(hook.of, { ...hooksByCall.get(hook.of), [hook.when]: operation })
  }
  return plannedOperations.flatMap(call =>
    call.step === undefined ? [] : [{ call, ...hooksByCall.get(call.operation.id) }],
  )
}

/** Reports whether a call has hooks of the program. */
export function isHooked(call: PlannedCall): call is HookedCall {
  return call.after !== undefined
}
