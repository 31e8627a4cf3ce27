import { limits } from '../../config/limits.ts'
import type { OperationId } from '../../records/ids.ts'
import type { Decision } from '../../records/log.ts'
import { operationOf } from '../deployment/operations.ts'
import type { Sealing } from '../deployment/sealing.ts'
import { stepOf } from '../step.ts'
import type { GeneratorContext } from './context.ts'

/**
 * Unchanged resources whose line in the program moved, as one batch at the end: they alone would
 * otherwise make every edit of a program write every resource.
 */
export function unwrittenPositions(
  ctx: GeneratorContext,
  deps: { readonly sealing: Sealing; readonly nextId: () => OperationId },
): readonly Decision[] {
  const moved: Decision[] = []
  // No record grows with the stack: the others are written by the deployments that follow.
  for (const [urn, current] of [...ctx.sets.current]) {
    const goal = ctx.sets.goals.get(urn)
    if (moved.length >= limits.positionsMax) break
    if (goal === undefined || current.ref.kind !== 'base') continue
    if (current.passedOver !== undefined) continue
    const { state } = current
    const { sourcePosition, stackTrace } = goal
    const isSame =
      state.sourcePosition === sourcePosition &&
      JSON.stringify(state.stackTrace) === JSON.stringify(stackTrace)
    if (isSame) continue
    const next = { ...state, sourcePosition, stackTrace }
    const step = stepOf({ op: 'same', effect: 'replace', old: current, next })
    const { state: _draft, ...operation } = operationOf(
      step,
      { id: deps.nextId(), needs: 0, releases: [] },
      deps.sealing,
    )
    moved.push({ kind: 'settled', operation, state: deps.sealing.seal(next), goal: '', sets: {} })
    // What is written of it from now on replaces this record.
    const ref = { kind: 'operation' as const, operation: operation.id }
    ctx.sets.current.set(urn, { ...current, state: next, ref })
  }
  return moved
}
