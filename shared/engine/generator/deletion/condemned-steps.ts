import type { StateEffect, StepOp } from '../../../records/operation.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { isProviderType, referenceOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { dependencyUrnsOf } from '../../graph/dependencies.ts'
import { type Step, stepOf, type TrackedState } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import type { DeleteScope } from './delete-scope.ts'
import { isWithoutCall } from '../changes/plan-replacement.ts'
import { isGone, isOperatedOn, currentTrackedAt } from '../sets.ts'

/** A delete of a state, by its index in the base, or beyond it for what this deployment made. */
export interface CondemnedStep {
  readonly index: number
  readonly step: Step
}

/**
 * What is to be deleted when the program has ended: old copies of replaced resources, and what the
 * program no longer registers; of these what may go. Source:
 * docs/spec/step-generation.md#deletes-at-the-end-of-the-program.
 */
export function findCondemnedSteps(
  ctx: GeneratorContext,
  mayGo: DeleteScope,
): readonly CondemnedStep[] {
  const { base, sets } = ctx
  const found: { index: number; op: StepOp; effect: StateEffect }[] = []
  base.snapshot.resources.forEach((state, index) => {
    if (state.viewOf !== '' || !mayGo(state.urn) || isGone(sets, index)) return
    const superseded = state.delete || sets.markedForDelete.has(index)
    if (superseded) {
      if (sets.condemned.has(index)) return
      found.push({
        index,
        op: currentTrackedAt(ctx, index).state.external ? 'discard-replaced' : 'delete-replaced',
        effect: 'remove',
      })
    } else if (!isOperatedOn(sets, state.urn))
      found.push({ index, ...deleteOpOf(ctx, state, index) })
    else return
    sets.condemned.add(index)
    sets.deletes.add(state.urn)
  })
  const spared = findStillNeeded(ctx, new Set(found.map(({ index }) => index)))
  for (const index of spared) sets.condemned.delete(index)
  const going = spared.size === 0 ? found : found.filter(({ index }) => !spared.has(index))
  return going.map(({ index, op, effect }) => {
    const old = currentTrackedAt(ctx, index)
    const skipCall = isWithoutCall(ctx, old.state)
    return { index, step: stepOf({ op, effect, old, skipCall, ignoreProtect: ctx.ignoreProtect }) }
  })
}

/**
 * What must not go yet: a change that failed left an old state where it was, and that one still
 * depends on it, be it on an older copy. A state without what it depends on is not whole (I7).
 */
function findStillNeeded(
  ctx: GeneratorContext,
  condemned: ReadonlySet<number>,
): ReadonlySet<number> {
  const { base, sets } = ctx
  const urns = new Set<Urn>()
  const providers = new Set<string>()
  const spared = new Set<number>()
  for (const [index, state] of [...base.snapshot.resources.entries()].toReversed()) {
    // A view holds nothing: it goes with its owner.
    if (state.viewOf !== '') continue
    const { urn } = state
    if (isGone(sets, index)) continue
    const isOld = state.delete || sets.markedForDelete.has(index)
    const isNeeded =
      urns.has(urn) || (isProviderType(state.type) && providers.has(referenceOf(urn, state.id)))
    const hasSuccessor = sets.current.has(sets.aliased.get(urn) ?? urn)
    if (condemned.has(index) ? !isNeeded : isOld || hasSuccessor) continue
    if (condemned.has(index)) spared.add(index)
    for (const name of dependencyUrnsOf(state)) urns.add(name)
    if (state.parent !== '') urns.add(state.parent)
    if (state.provider !== '') providers.add(state.provider)
  }
  return spared
}

/** Deletes of what earlier lives of this deployment made and nobody wants any more. */
export function createLeftoverSteps(
  ctx: GeneratorContext,
  leftovers: readonly TrackedState[],
): readonly CondemnedStep[] {
  const first = ctx.base.snapshot.resources.length
  for (const { state } of leftovers) ctx.sets.deletes.add(state.urn)
  return leftovers.map((old, at) => {
    const op = old.state.external ? 'discard' : 'delete'
    const skipCall = isWithoutCall(ctx, old.state)
    const { ignoreProtect } = ctx
    return {
      index: first + at,
      step: stepOf({ op, effect: 'remove', old, skipCall, ignoreProtect }),
    }
  })
}

function deleteOpOf(
  ctx: GeneratorContext,
  state: ResourceState,
  index: number,
): { op: StepOp; effect: StateEffect } {
  if (state.pendingReplacement || ctx.sets.pendingReplacement.has(index))
    return { op: 'remove-pending-replace', effect: 'remove' }
  return { op: state.external ? 'discard' : 'delete', effect: 'remove' }
}
