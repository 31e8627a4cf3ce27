import { limits } from '../../../config/limits.ts'
import type { OperationId } from '../../../records/ids.ts'
import type { Decision } from '../../../records/log.ts'
import { operationOf } from '../../deployment/state/operations.ts'
import type { Sealing } from '../../deployment/state/state-sealing.ts'
import { stepOf } from '../../step.ts'
import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { GeneratorContext } from '../context.ts'
import type { CurrentState } from '../sets.ts'

/**
 * Returns the records of unchanged resources whose position in the program moved, as one batch at
 * the end. Otherwise every edit of a program would write every resource by itself.
 */
export function rewriteMovedPositions(
  ctx: GeneratorContext,
  deps: RewriteDeps,
): readonly Decision[] {
  const moved: Decision[] = []
  // A record must not grow with the stack: later deployments write the other positions.
  for (const [urn, current] of [...ctx.input.sets.current]) {
    const goal = ctx.input.sets.goals.get(urn)
    if (moved.length >= limits.positionsMax) break
    if (goal === undefined || current.ref.kind !== 'base') continue
    if (current.skipReason !== undefined) continue
    const { state } = current
    const { sourcePosition, stackTrace } = goal
    const isSame =
      state.sourcePosition === sourcePosition &&
      JSON.stringify(state.stackTrace) === JSON.stringify(stackTrace)
    if (isSame) continue
    const next = { ...state, sourcePosition, stackTrace }
    moved.push(rewriteState(ctx, deps, urn, { current, next }))
  }
  return moved
}

/** The dependencies of a record without a registration. */
export interface RewriteDeps {
  readonly sealing: Sealing
  readonly nextId: () => OperationId
}

/** Returns the record of a resource as it is now; a later record of it replaces this one. */
export function rewriteState(
  { apply }: Pick<GeneratorContext, 'apply'>,
  { sealing, nextId }: RewriteDeps,
  urn: Urn,
  { current, next }: { readonly current: CurrentState; readonly next: ResourceState },
): Decision {
  const step = stepOf({ op: 'same', effect: 'replace', old: current, next })
  const place = { id: nextId(), needs: 0, releases: [] }
  const { state: _draft, ...operation } = operationOf(step, place, sealing)
  const ref = { kind: 'operation' as const, operation: place.id }
  apply({ current: [[urn, { ...current, state: next, ref }]] })
  return { kind: 'settled', operation, state: sealing.seal(next), goal: '', sets: {} }
}
