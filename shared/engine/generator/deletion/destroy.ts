import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { collectDependencies, collectDependents } from '../../graph/closures.ts'
import { dependencyUrnsOf, createStateGraph, type StateGraph } from '../../graph/dependencies.ts'
import { stepOf, type TrackedState } from '../../step.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import type { DeleteScope } from './delete-scope.ts'
import { type CondemnedStep, findCondemnedSteps } from './condemned-steps.ts'
import { isWithoutCall } from './is-without-call.ts'

/**
 * Narrows the scope of the deletes by the dependencies that the program registered. The current
 * dependents of a target are deleted with it. An excluded resource keeps its current dependencies.
 */
function narrowDeleteScope({ sets, scope }: DecisionInput, mayGo: DeleteScope): DeleteScope {
  const made = [...sets.current.values()].filter(({ skipReason }) => skipReason !== 'not made')
  const graph = createStateGraph(made.map(({ state }) => state))
  const { targets, excludes } = scope
  const before = (urn: Urn): Urn => sets.formerUrns.get(urn) ?? urn
  if (targets.isConstrained) {
    const goes = ({ urn }: ResourceState): boolean =>
      mayGo(urn) || mayGo(before(urn)) || targets.has(urn)
    const allowed = collectDependents(graph, goes)
    return urn => mayGo(urn) || allowed.has(urn)
  }
  if (!excludes.isConstrained) return mayGo
  const stays = ({ urn }: ResourceState): boolean =>
    !mayGo(urn) || !mayGo(before(urn)) || excludes.has(urn)
  const kept = collectDependencies(graph, stays, { dependents: scope.excludeDependents })
  return urn => mayGo(urn) && !kept.has(urn)
}

/**
 * Plans the deletes after the program of a destroy has ended. They cover its registrations and all
 * other states, as far as they are in the scope. `leftovers`: resources that earlier generators
 * created and the program did not register this time. Registrations come first in the list, so that
 * every other state is deleted before its dependencies.
 */
export function planDestroy(
  ctx: GeneratorContext,
  {
    leftovers,
    mayGo,
  }: { readonly leftovers: readonly TrackedState[]; readonly mayGo: DeleteScope },
): { readonly graph: StateGraph; readonly condemned: readonly CondemnedStep[] } {
  const { sets, base } = ctx.input
  const mayGoNow = narrowDeleteScope(ctx.input, mayGo)
  const current = [...sets.current.values()].filter(
    ({ skipReason, state }) => skipReason === undefined && mayGoNow(state.urn),
  )
  const isKnown = (urn: Urn): boolean => base.liveIndexOf(urn) !== undefined
  const forgotten = leftovers.filter(({ state: { urn } }) =>
    isKnown(urn) || isKnown(sets.formerUrns.get(urn) ?? urn) ? mayGoNow(urn) : true,
  )
  const deleted: readonly TrackedState[] = [...current, ...forgotten]
  ctx.apply({ deleted: deleted.map(({ state }) => state.urn) })
  const others = findCondemnedSteps(ctx, mayGoNow)
  const registered = deleted.map((old, index): CondemnedStep => {
    const { external, pendingReplacement } = old.state
    const op = pendingReplacement ? 'remove-pending-replace' : external ? 'discard' : 'delete'
    const skipCall = isWithoutCall(old.state, urn => sets.deletes.has(urn))
    return { index, step: stepOf({ op, effect: 'remove', old, skipCall }) }
  })
  const behind = others.map(({ index, step }) => ({ index: index + deleted.length, step }))
  const ordered = deleted.map(({ state }) => withFormerDependencies(ctx.input, state))
  const states = [...ordered, ...base.snapshot.resources]
  return { graph: createStateGraph(states), condemned: [...registered, ...behind] }
}

/**
 * Adds the dependencies in the base to those of a registered state, for the order of deletes alone:
 * the existing resource was created with them.
 */
function withFormerDependencies(
  { sets, base }: DecisionInput,
  state: ResourceState,
): ResourceState {
  const index = base.liveIndexOf(sets.formerUrns.get(state.urn) ?? state.urn)
  const old = index === undefined ? undefined : base.snapshot.resources[index]
  if (old === undefined) return state
  const former = [...dependencyUrnsOf(old)].map(urn => sets.aliased.get(urn) ?? urn)
  return { ...state, dependencies: [...new Set([...state.dependencies, ...former])] }
}
