import type { StateEffect, StepOp } from '../../../records/operation.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { isProviderType, referenceOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { dependencyUrnsOf } from '../../graph/dependencies.ts'
import { type Step, stepOf, type TrackedState } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import type { DeleteScope } from './delete-scope.ts'
import { isWithoutCall } from './is-without-call.ts'
import { isGone, isOperatedOn, currentTrackedAt } from '../sets.ts'

/** A delete of a state, by its index in the base; new resources have indices beyond it. */
export interface CondemnedStep {
  readonly index: number
  readonly step: Step
}

/**
 * Condemns the states to delete when the program has ended, and returns their deletes. These are
 * old copies of replaced resources and unregistered resources, as far as they are in the scope.
 * Source: docs/spec/step-generation.md#deletes-at-the-end-of-the-program.
 */
export function findCondemnedSteps(
  ctx: GeneratorContext,
  mayGo: DeleteScope,
): readonly CondemnedStep[] {
  const { base, sets } = ctx.input
  const found: { index: number; op: StepOp; effect: StateEffect }[] = []
  base.snapshot.resources.forEach((state, index) => {
    if (state.viewOf !== '' || !mayGo(state.urn) || isGone(sets, index)) return
    const superseded = state.delete || sets.markedForDelete.has(index)
    if (superseded) {
      if (sets.condemned.has(index)) return
      found.push({
        index,
        op: currentTrackedAt(ctx.input, index).state.external
          ? 'discard-replaced'
          : 'delete-replaced',
        effect: 'remove',
      })
    } else if (!isOperatedOn(sets, state.urn))
      found.push({ index, ...deleteOpOf(ctx, state, index) })
  })
  const spared = findStillNeeded(ctx, new Set(found.map(({ index }) => index)))
  const going = spared.size === 0 ? found : found.filter(({ index }) => !spared.has(index))
  ctx.apply({
    deleted: found.flatMap(({ index }) => base.snapshot.resources[index]?.urn ?? []),
    condemned: going.map(({ index }) => index),
    removed: { condemned: [...spared] },
  })
  return going.map(({ index, op, effect }) => {
    const old = currentTrackedAt(ctx.input, index)
    const skipCall = isWithoutCall(old.state, urn => ctx.input.sets.deletes.has(urn))
    return {
      index,
      step: stepOf({ op, effect, old, skipCall, ignoreProtect: ctx.input.ignoreProtect }),
    }
  })
}

/**
 * Returns the condemned states that must stay. A failed change left an old state in place, which
 * still depends on them, even on an older copy. A state without its dependencies violates I7.
 */
function findStillNeeded(
  ctx: GeneratorContext,
  condemned: ReadonlySet<number>,
): ReadonlySet<number> {
  const { base, sets } = ctx.input
  const urns = new Set<Urn>()
  const providers = new Set<string>()
  const spared = new Set<number>()
  for (const [index, state] of [...base.snapshot.resources.entries()].toReversed()) {
    // A view keeps no dependencies: it is deleted with its owner.
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

/** Returns the deletes of resources that earlier generators created and that are unregistered. */
export function createLeftoverSteps(
  ctx: GeneratorContext,
  leftovers: readonly TrackedState[],
): readonly CondemnedStep[] {
  const first = ctx.input.base.snapshot.resources.length
  ctx.apply({ deleted: leftovers.map(({ state }) => state.urn) })
  return leftovers.map((old, at) => {
    const op = old.state.external ? 'discard' : 'delete'
    const skipCall = isWithoutCall(old.state, urn => ctx.input.sets.deletes.has(urn))
    const { ignoreProtect } = ctx.input
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
  if (state.pendingReplacement || ctx.input.sets.pendingReplacement.has(index))
    return { op: 'remove-pending-replace', effect: 'remove' }
  return { op: state.external ? 'discard' : 'delete', effect: 'remove' }
}
