import type { StateEffect, StepOp } from '../../../records/operation.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { isProviderType, providerReferenceOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { dependencyUrnsOf } from '../../graph/dependencies.ts'
import { type Step, stepOf, type TrackedState } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import type { DeleteScope } from './delete-scope.ts'
import { skipsDeleteCall } from './skips-delete-call.ts'
import { isResourceGone, isUrnHandled, findNewestOldState } from '../sets.ts'

/**
 * The delete of a state. `graphIndex`: the position of the state in the graph that orders the
 * deletes. The graph contains the states of the base, followed by the leftovers of earlier
 * generator runs. In a destroy that runs its program, the registered states and the leftovers come
 * before the states of the base.
 */
export interface CondemnedStep {
  readonly graphIndex: number
  readonly step: Step
}

/**
 * Selects the states to delete when the program has ended, and returns their delete steps. Selected
 * are old copies of replaced resources, and unregistered resources, if the scope contains them.
 * Adds the states to the sets. Source:
 * docs/spec/step-generation.md#deletes-at-the-end-of-the-program.
 */
export function condemnStates(
  ctx: GeneratorContext,
  mayDelete: DeleteScope,
): readonly CondemnedStep[] {
  const { base, sets } = ctx.input
  const candidates: { baseIndex: number; op: StepOp; effect: StateEffect }[] = []
  base.snapshot.resources.forEach((state, baseIndex) => {
    if (state.viewOf !== '' || !mayDelete(state.urn) || isResourceGone(sets, baseIndex)) return
    const isOldCopy = state.delete || sets.markedForDeleteIndices.has(baseIndex)
    if (isOldCopy) {
      if (sets.condemnedIndices.has(baseIndex)) return
      candidates.push({
        baseIndex,
        op: findNewestOldState(ctx.input, baseIndex).state.external
          ? 'discard-replaced'
          : 'delete-replaced',
        effect: 'remove',
      })
    } else if (!isUrnHandled(sets, state.urn))
      candidates.push({ baseIndex, ...toDeleteOp(ctx, state, baseIndex) })
  })
  const requiredIndices = findRequiredIndices(
    ctx,
    new Set(candidates.map(({ baseIndex }) => baseIndex)),
  )
  const condemnedStates =
    requiredIndices.size === 0
      ? candidates
      : candidates.filter(({ baseIndex }) => !requiredIndices.has(baseIndex))
  ctx.apply({
    deleted: condemnedStates.flatMap(
      ({ baseIndex }) => base.snapshot.resources[baseIndex]?.urn ?? [],
    ),
    condemnedIndices: condemnedStates.map(({ baseIndex }) => baseIndex),
    removed: { condemnedIndices: [...requiredIndices] },
  })
  return condemnedStates.map(({ baseIndex, op, effect }) => {
    const old = findNewestOldState(ctx.input, baseIndex)
    const skipCall = skipsDeleteCall(old.state, urn => ctx.input.sets.deletedUrns.has(urn))
    return {
      graphIndex: baseIndex,
      step: stepOf({ op, effect, old, skipCall, ignoreProtect: ctx.input.ignoreProtect }),
    }
  })
}

/**
 * Returns the base indices of the condemned states that must stay, because remaining states depend
 * on them. After a failed change the old state stays, and may depend on an old copy of another
 * resource. A state without its dependencies would make the snapshot invalid (I7).
 */
function findRequiredIndices(
  ctx: GeneratorContext,
  condemnedIndices: ReadonlySet<number>,
): ReadonlySet<number> {
  const { base, sets } = ctx.input
  const requiredUrns = new Set<Urn>()
  const requiredProviders = new Set<string>()
  const requiredIndices = new Set<number>()
  for (const [baseIndex, state] of [...base.snapshot.resources.entries()].toReversed()) {
    // A view never keeps other states, because it is deleted with its owner.
    if (state.viewOf !== '') continue
    const { urn } = state
    if (isResourceGone(sets, baseIndex)) continue
    const isOldCopy = state.delete || sets.markedForDeleteIndices.has(baseIndex)
    const isNeeded =
      requiredUrns.has(urn) ||
      (isProviderType(state.type) && requiredProviders.has(providerReferenceOf(urn, state.id)))
    const isCondemned = condemnedIndices.has(baseIndex)
    const hasNewState = sets.currentStates.has(sets.aliasingUrns.get(urn) ?? urn)
    const isRemovedOrReplaced = isCondemned ? !isNeeded : isOldCopy || hasNewState
    if (isRemovedOrReplaced) continue
    if (isCondemned) requiredIndices.add(baseIndex)
    for (const dependencyUrn of dependencyUrnsOf(state)) requiredUrns.add(dependencyUrn)
    if (state.parent !== '') requiredUrns.add(state.parent)
    if (state.provider !== '') requiredProviders.add(state.provider)
  }
  return requiredIndices
}

/**
 * Selects the leftovers for deletion: resources that earlier generator runs created and that the
 * program no longer registers. Returns their delete steps, and adds the resources to the sets.
 */
export function condemnLeftovers(
  ctx: GeneratorContext,
  leftovers: readonly TrackedState[],
): readonly CondemnedStep[] {
  const firstIndex = ctx.input.base.snapshot.resources.length
  ctx.apply({ deleted: leftovers.map(({ state }) => state.urn) })
  return leftovers.map((old, offset) => {
    const op = old.state.external ? 'discard' : 'delete'
    const skipCall = skipsDeleteCall(old.state, urn => ctx.input.sets.deletedUrns.has(urn))
    const { ignoreProtect } = ctx.input
    return {
      graphIndex: firstIndex + offset,
      step: stepOf({ op, effect: 'remove', old, skipCall, ignoreProtect }),
    }
  })
}

function toDeleteOp(
  ctx: GeneratorContext,
  state: ResourceState,
  baseIndex: number,
): { op: StepOp; effect: StateEffect } {
  if (state.pendingReplacement || ctx.input.sets.pendingReplacementIndices.has(baseIndex))
    return { op: 'remove-pending-replace', effect: 'remove' }
  return { op: state.external ? 'discard' : 'delete', effect: 'remove' }
}
