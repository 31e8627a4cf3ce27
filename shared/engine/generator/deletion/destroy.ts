import { isProviderType, providerUrnOf } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { collectDependencies, collectDependents } from '../../graph/closures.ts'
import { dependencyUrnsOf, createStateGraph, type StateGraph } from '../../graph/dependencies.ts'
import { stepOf, type TrackedState } from '../../step.ts'
import { runSteps } from '../steps/run-steps.ts'
import { type UrnClaim, draftStateOf } from '../registration/claim-urn.ts'
import type { GeneratorContext } from '../context.ts'
import type { DeleteScope } from './delete-scope.ts'
import { type CondemnedStep, findCondemnedSteps } from './condemned-steps.ts'
import { componentDriver } from '../providers/resource-driver.ts'
import type { Goal } from '../registration/goal.ts'
import { isWithoutCall } from '../changes/plan-replacement.ts'
import type { CurrentState } from '../sets.ts'
import { skipCreate } from '../targets/keep-untargeted.ts'

/**
 * What a destroy that runs its program makes of a registration: resources stay as they are until
 * they are deleted, but by the providers of the program, and none is made. Undefined for components
 * and providers, which are decided about as always. Source:
 * docs/spec/step-generation.md#after-the-refresh.
 */
export async function keepUntilDestroyed(
  ctx: GeneratorContext,
  goal: Goal,
  claim: UrnClaim,
): Promise<CurrentState | undefined> {
  const old = claim.old
  const draft = draftStateOf(goal, claim)
  const next = old === undefined ? draft : { ...draft, outputs: old.state.outputs }
  if (requiredUrnsOf(draft).some(urn => ctx.sets.skipped.has(urn))) return skipCreate(ctx, next)
  if (!goal.custom || isProviderType(goal.type)) return undefined
  if (old === undefined) return skipCreate(ctx, next)
  ctx.sets.operated.add(claim.urn)
  const { inputs, outputs, id, initErrors, pendingReplacement } = old.state
  const kept = { ...draft, inputs, outputs, id, initErrors, pendingReplacement }
  const step = stepOf({ op: 'same', effect: 'replace', old, next: kept })
  const fields = { driver: componentDriver, compared: inputs, seed: new Uint8Array() }
  return runSteps(ctx, { goal, claim, next: kept, ...fields }, [step])
}

/** What a state cannot be without: its provider, its parent, what it depends on. */
export function requiredUrnsOf(state: ResourceState): readonly Urn[] {
  const provider = providerUrnOf(state.provider)
  const named = [...dependencyUrnsOf(state), ...(provider === undefined ? [] : [provider])]
  return state.parent === '' ? named : [...named, state.parent]
}

/**
 * The scope of the deletes by what the program has made of names, parents and providers: with a
 * target goes what depends on it now, and what is left out keeps what it stands on now.
 */
function narrowDeleteScope({ sets, scope }: GeneratorContext, mayGo: DeleteScope): DeleteScope {
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
 * Deletes of everything, once the program of a destroy has ended: of what it registered as it is
 * now, and of what else is in the state; of these what may go. `left`: what earlier lives made and
 * this one did not register. What was registered stands first, so that all else goes before what it
 * depends on.
 */
export function planDestroy(
  ctx: GeneratorContext,
  {
    leftovers,
    mayGo,
  }: { readonly leftovers: readonly TrackedState[]; readonly mayGo: DeleteScope },
): { readonly graph: StateGraph; readonly condemned: readonly CondemnedStep[] } {
  const { sets, base } = ctx
  const mayGoNow = narrowDeleteScope(ctx, mayGo)
  const current = [...sets.current.values()].filter(
    ({ skipReason, state }) => skipReason === undefined && mayGoNow(state.urn),
  )
  const isKnown = (urn: Urn): boolean => ctx.base.liveIndexOf(urn) !== undefined
  const forgotten = leftovers.filter(({ state: { urn } }) =>
    isKnown(urn) || isKnown(sets.formerUrns.get(urn) ?? urn) ? mayGoNow(urn) : true,
  )
  const deleted: readonly TrackedState[] = [...current, ...forgotten]
  for (const { state } of deleted) sets.deletes.add(state.urn)
  const others = findCondemnedSteps(ctx, mayGoNow)
  const registered = deleted.map((old, index): CondemnedStep => {
    const { external, pendingReplacement } = old.state
    const op = pendingReplacement ? 'remove-pending-replace' : external ? 'discard' : 'delete'
    const skipCall = isWithoutCall(ctx, old.state)
    return { index, step: stepOf({ op, effect: 'remove', old, skipCall }) }
  })
  const behind = others.map(({ index, step }) => ({ index: index + deleted.length, step }))
  const ordered = deleted.map(({ state }) => withFormerDependencies(ctx, state))
  const states = [...ordered, ...base.snapshot.resources]
  return { graph: createStateGraph(states), condemned: [...registered, ...behind] }
}

/**
 * A registered state that also depends on what it depended on until now: what exists was made with
 * that, whatever the program says today. For the order of deletes alone.
 */
function withFormerDependencies(
  { sets, base }: GeneratorContext,
  state: ResourceState,
): ResourceState {
  const index = base.liveIndexOf(sets.formerUrns.get(state.urn) ?? state.urn)
  const old = index === undefined ? undefined : base.snapshot.resources[index]
  if (old === undefined) return state
  const former = [...dependencyUrnsOf(old)].map(urn => sets.aliased.get(urn) ?? urn)
  return { ...state, dependencies: [...new Set([...state.dependencies, ...former])] }
}
