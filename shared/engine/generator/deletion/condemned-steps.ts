import type { StateEffect, StepOp } from '../../../records/operation.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { isProviderType, providerReferenceOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { dependencyUrnsOf } from '../../graph/dependencies.ts'
import { type Step, stepOf, type TrackedState } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import type { DeleteScope } from './delete-scope.ts'
import { skipsDeleteCall } from './skips-delete-call.ts'
import { isResourceGone, hasRegisteredStep, currentTrackedAt } from '../sets.ts'

/**
 * The delete of a state. `index`: the position of the state in the graph that orders the deletes.
 * The graph is that of the base, unless leftovers or a destroy with the program extend it.
 */
export interface CondemnedStep {
  readonly index: number
  readonly step: Step
}

/**
 * Selects the states to delete when the program has ended, and returns their delete steps. These
 * are old copies of replaced resources, and unregistered resources, if the scope contains them.
 * Source: docs/spec/step-generation.md#deletes-at-the-end-of-the-program.
 */
export function findCondemnedSteps(
  ctx: GeneratorContext,
  mayDelete: DeleteScope,
): readonly CondemnedStep[] {
  const { base, sets } = ctx.input
  const candidates: { index: number; op: StepOp; effect: StateEffect }[] = []
  base.snapshot.resources.forEach((state, index) => {
    if (state.viewOf !== '' || !mayDelete(state.urn) || isResourceGone(sets, index)) return
    const isSuperseded = state.delete || sets.markedForDeleteIndices.has(index)
    if (isSuperseded) {
      if (sets.condemnedIndices.has(index)) return
      candidates.push({
        index,
        op: currentTrackedAt(ctx.input, index).state.external
          ? 'discard-replaced'
          : 'delete-replaced',
        effect: 'remove',
      })
    } else if (!hasRegisteredStep(sets, state.urn))
      candidates.push({ index, ...toDeleteOp(ctx, state, index) })
  })
  const requiredIndices = findRequiredIndices(ctx, new Set(candidates.map(({ index }) => index)))
  const condemnedStates =
    requiredIndices.size === 0
      ? candidates
      : candidates.filter(({ index }) => !requiredIndices.has(index))
  ctx.apply({
    deleted: candidates.flatMap(({ index }) => base.snapshot.resources[index]?.urn ?? []),
    condemnedIndices: condemnedStates.map(({ index }) => index),
    removed: { condemnedIndices: [...requiredIndices] },
  })
  return condemnedStates.map(({ index, op, effect }) => {
    const old = currentTrackedAt(ctx.input, index)
    const skipCall = skipsDeleteCall(old.state, urn => ctx.input.sets.deletedUrns.has(urn))
    return {
      index,
      step: stepOf({ op, effect, old, skipCall, ignoreProtect: ctx.input.ignoreProtect }),
    }
  })
}

/**
 * Returns the condemned states that must stay, because remaining states depend on them. A failed
 * change keeps an old state, which may depend even on an older copy. A state without its
 * dependencies violates I7.
 */
function findRequiredIndices(
  ctx: GeneratorContext,
  condemnedIndices: ReadonlySet<number>,
): ReadonlySet<number> {
  const { base, sets } = ctx.input
  const requiredUrns = new Set<Urn>()
  const requiredProviders = new Set<string>()
  const requiredIndices = new Set<number>()
  for (const [index, state] of [...base.snapshot.resources.entries()].toReversed()) {
    // A view never keeps other states, because it is deleted with its owner.
    if (state.viewOf !== '') continue
    const { urn } = state
    if (isResourceGone(sets, index)) continue
    const isOldCopy = state.delete || sets.markedForDeleteIndices.has(index)
    const isNeeded =
      requiredUrns.has(urn) ||
      (isProviderType(state.type) && requiredProviders.has(providerReferenceOf(urn, state.id)))
    const hasSuccessor = sets.currentStates.has(sets.claimantUrns.get(urn) ?? urn)
    if (condemnedIndices.has(index) ? !isNeeded : isOldCopy || hasSuccessor) continue
    if (condemnedIndices.has(index)) requiredIndices.add(index)
    for (const dependencyUrn of dependencyUrnsOf(state)) requiredUrns.add(dependencyUrn)
    if (state.parent !== '') requiredUrns.add(state.parent)
    if (state.provider !== '') requiredProviders.add(state.provider)
  }
  return requiredIndices
}

/**
 * Returns the deletes of resources that earlier generator runs created and that the program no
 * longer registers.
 */
export function createLeftoverSteps(
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
      index: firstIndex + offset,
      step: stepOf({ op, effect: 'remove', old, skipCall, ignoreProtect }),
    }
  })
}

function toDeleteOp(
  ctx: GeneratorContext,
  state: ResourceState,
  index: number,
): { op: StepOp; effect: StateEffect } {
  if (state.pendingReplacement || ctx.input.sets.pendingReplacementIndices.has(index))
    return { op: 'remove-pending-replace', effect: 'remove' }
  return { op: state.external ? 'discard' : 'delete', effect: 'remove' }
}
