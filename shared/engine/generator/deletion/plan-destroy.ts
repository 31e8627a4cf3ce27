import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { collectDependencies, collectDependents } from '../../graph/closures.ts'
import { dependencyUrnsOf, createStateGraph, type StateGraph } from '../../graph/dependencies.ts'
import { stepOf, type TrackedState } from '../../step.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import type { DeleteScope } from './delete-scope.ts'
import { type CondemnedStep, condemnStates } from './condemned-steps.ts'
import { skipsDeleteCall } from './skips-delete-call.ts'

/**
 * Adapts the scope of the deletes to the dependencies that the program has registered in this
 * destroy. With targets, adds the resources that now depend on them. With excludes, removes the
 * resources that the excluded ones now depend on.
 */
function adaptDeleteScope({ sets, scope }: DecisionInput, mayDelete: DeleteScope): DeleteScope {
  const existingStates = [...sets.currentStates.values()].filter(
    ({ skipReason }) => skipReason !== 'not created',
  )
  const graph = createStateGraph(existingStates.map(({ state }) => state))
  const { targets, excludes } = scope
  const formerUrnOf = (urn: Urn): Urn => sets.formerUrns.get(urn) ?? urn
  if (targets.isConstrained) {
    const isDeletionRoot = ({ urn }: ResourceState): boolean =>
      mayDelete(urn) || mayDelete(formerUrnOf(urn)) || targets.has(urn)
    const allowedUrns = collectDependents(graph, isDeletionRoot)
    return urn => mayDelete(urn) || allowedUrns.has(urn)
  }
  if (!excludes.isConstrained) return mayDelete
  const isKeptRoot = ({ urn }: ResourceState): boolean =>
    !mayDelete(urn) || !mayDelete(formerUrnOf(urn)) || excludes.has(urn)
  const keptUrns = collectDependencies(graph, isKeptRoot, {
    mustIncludeDependents: scope.excludeDependents,
  })
  return urn => mayDelete(urn) && !keptUrns.has(urn)
}

/**
 * Plans the deletes of a destroy whose program has ended. Deletes every registered resource and
 * every other state that the scope contains. `leftovers`: resources that earlier generator runs
 * created and that the program did not register again. A leftover without a state in the base is
 * always deleted. Registered states and leftovers come first in the graph. The delete of a state
 * releases only deletes of earlier states. So a state of the base is deleted before the registered
 * states that it depends on.
 */
export function planDestroy(
  ctx: GeneratorContext,
  {
    leftovers,
    mayDelete,
  }: { readonly leftovers: readonly TrackedState[]; readonly mayDelete: DeleteScope },
): { readonly graph: StateGraph; readonly condemned: readonly CondemnedStep[] } {
  const { sets, base } = ctx.input
  const mayDeleteNow = adaptDeleteScope(ctx.input, mayDelete)
  const registeredStates = [...sets.currentStates.values()].filter(
    ({ skipReason, state }) => skipReason === undefined && mayDeleteNow(state.urn),
  )
  const isInBase = (urn: Urn): boolean => base.liveIndexOf(urn) !== undefined
  const deletableLeftovers = leftovers.filter(({ state: { urn } }) =>
    isInBase(urn) || isInBase(sets.formerUrns.get(urn) ?? urn) ? mayDeleteNow(urn) : true,
  )
  const statesBeforeBase: readonly TrackedState[] = [...registeredStates, ...deletableLeftovers]
  ctx.apply({ deleted: statesBeforeBase.map(({ state }) => state.urn) })
  const otherDeletes = condemnStates(ctx, mayDeleteNow)
  const registeredDeletes = statesBeforeBase.map((old, graphIndex): CondemnedStep => {
    const { external, pendingReplacement } = old.state
    const op = pendingReplacement ? 'remove-pending-replace' : external ? 'discard' : 'delete'
    const skipCall = skipsDeleteCall(old.state, urn => sets.deletedUrns.has(urn))
    const { ignoreProtect } = ctx.input
    return { graphIndex, step: stepOf({ op, effect: 'remove', old, skipCall, ignoreProtect }) }
  })
  const shiftedDeletes = otherDeletes.map(({ graphIndex, step }) => ({
    graphIndex: graphIndex + statesBeforeBase.length,
    step,
  }))
  const orderedStates = statesBeforeBase.map(({ state }) =>
    withFormerDependencies(ctx.input, state),
  )
  const states = [...orderedStates, ...base.snapshot.resources]
  return { graph: createStateGraph(states), condemned: [...registeredDeletes, ...shiftedDeletes] }
}

/**
 * Adds the dependencies that a registered state has in the base. These dependencies only affect the
 * order of deletes, because the existing resource was created with them.
 */
function withFormerDependencies(
  { sets, base }: DecisionInput,
  state: ResourceState,
): ResourceState {
  const index = base.liveIndexOf(sets.formerUrns.get(state.urn) ?? state.urn)
  const old = index === undefined ? undefined : base.snapshot.resources[index]
  if (old === undefined) return state
  const formerDependencies = [...dependencyUrnsOf(old)].map(
    urn => sets.aliasingUrns.get(urn) ?? urn,
  )
  return { ...state, dependencies: [...new Set([...state.dependencies, ...formerDependencies])] }
}
