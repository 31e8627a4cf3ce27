import { limits } from '../../../config/limits.ts'
import type { OperationId } from '../../../records/ids.ts'
import type { Decision } from '../../../records/log.ts'
import { operationOf } from '../../deployment/state/step-operations.ts'
import type { Sealing } from '../../deployment/state/state-sealing.ts'
import { stepOf } from '../../step.ts'
import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { GeneratorContext } from '../context.ts'
import type { CurrentState } from '../sets.ts'

/**
 * Returns a record for each unchanged resource whose source position or stack trace has changed.
 * The caller writes these records as one batch. Otherwise an edit of a program would cost one write
 * per resource.
 */
export function rewriteChangedPositions(
  ctx: GeneratorContext,
  deps: RewriteDeps,
): readonly Decision[] {
  const rewrites: Decision[] = []
  for (const [urn, current] of [...ctx.input.sets.currentStates]) {
    const goal = ctx.input.sets.goals.get(urn)
    // The number of these records per deployment is limited. Later deployments write the others.
    if (rewrites.length >= limits.sourcePositionsMax) break
    if (goal === undefined || current.ref.kind !== 'base') continue
    if (current.skipReason !== undefined) continue
    const { state } = current
    const { sourcePosition, stackTrace } = goal
    const isSame =
      state.sourcePosition === sourcePosition &&
      JSON.stringify(state.stackTrace) === JSON.stringify(stackTrace)
    if (isSame) continue
    const next = { ...state, sourcePosition, stackTrace }
    rewrites.push(rewriteState(ctx, deps, urn, { current, next }))
  }
  return rewrites
}

/** The dependencies of `rewriteState`. */
export interface RewriteDeps {
  readonly sealing: Sealing
  readonly nextId: () => OperationId
}

/**
 * Returns a record with the next state of a resource, and makes this state its current state. A
 * later record of the resource replaces this record.
 */
export function rewriteState(
  { apply }: Pick<GeneratorContext, 'apply'>,
  { sealing, nextId }: RewriteDeps,
  urn: Urn,
  { current, next }: { readonly current: CurrentState; readonly next: ResourceState },
): Decision {
  const step = stepOf({ op: 'same', effect: 'replace', old: current, next })
  const position = { id: nextId(), needs: 0, releases: [] }
  const { state: _draft, ...operation } = operationOf(step, position, sealing)
  const ref = { kind: 'operation' as const, operation: position.id }
  apply({ currentStates: [[urn, { ...current, state: next, ref }]] })
  const state = sealing.seal(next, current.state)
  // `goal` is '', because the program did not request this state.
  return { kind: 'settled', operation, state, goal: '', sets: {} }
}
