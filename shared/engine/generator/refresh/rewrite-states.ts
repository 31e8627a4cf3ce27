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
 * Unchanged resources whose line in the program moved, as one batch at the end: they alone would
 * otherwise make every edit of a program write every resource.
 */
export function rewriteMovedPositions(
  ctx: GeneratorContext,
  deps: RewriteDeps,
): readonly Decision[] {
  const moved: Decision[] = []
  // No record grows with the stack: the others are written by the deployments that follow.
  for (const [urn, current] of [...ctx.sets.current]) {
    const goal = ctx.sets.goals.get(urn)
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

/** What a record is made with that no registration asked for. */
export interface RewriteDeps {
  readonly sealing: Sealing
  readonly nextId: () => OperationId
}

/** Writes what a resource is now; what is written of it later replaces this record. */
export function rewriteState(
  { sets }: GeneratorContext,
  { sealing, nextId }: RewriteDeps,
  urn: Urn,
  { current, next }: { readonly current: CurrentState; readonly next: ResourceState },
): Decision {
  const step = stepOf({ op: 'same', effect: 'replace', old: current, next })
  const place = { id: nextId(), needs: 0, releases: [] }
  const { state: _draft, ...operation } = operationOf(step, place, sealing)
  sets.current.set(urn, {
    ...current,
    state: next,
    ref: { kind: 'operation', operation: place.id },
  })
  return { kind: 'settled', operation, state: sealing.seal(next), goal: '', sets: {} }
}
