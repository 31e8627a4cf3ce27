import { isProviderType, providerUrnOf } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import { withDependencies, withDependents } from '../graph/closures.ts'
import { namedDependencies, stateGraph, type StateGraph } from '../graph/dependencies.ts'
import { stepOf, type TrackedState } from '../step.ts'
import { carryOut } from './carry-out.ts'
import { type Claim, draftOf } from './claim.ts'
import type { GeneratorContext } from './context.ts'
import type { DeleteScope } from './delete-scope.ts'
import { type CondemnedStep, condemnedSteps } from './delete-steps.ts'
import { componentDriver } from './driver.ts'
import type { Goal } from './goal.ts'
import { isWithoutCall } from './replacement.ts'
import type { CurrentState } from './sets.ts'
import { skipCreate } from './untargeted.ts'

/**
 * What a destroy that runs its program makes of a registration: resources stay as they are until
 * they are deleted, but by the providers of the program, and none is made. Undefined for components
 * and providers, which are decided about as always. Source:
 * docs/spec/step-generation.md#after-the-refresh.
 */
export async function leftForDelete(
  ctx: GeneratorContext,
  goal: Goal,
  claim: Claim,
): Promise<CurrentState | undefined> {
  const old = claim.old
  const draft = draftOf(goal, claim)
  const next = old === undefined ? draft : { ...draft, outputs: old.state.outputs }
  if (needs(draft).some(urn => ctx.sets.skipped.has(urn))) return skipCreate(ctx, next)
  if (!goal.custom || isProviderType(goal.type)) return undefined
  if (old === undefined) return skipCreate(ctx, next)
  ctx.sets.operated.add(claim.urn)
  const { inputs, outputs, id, initErrors, pendingReplacement } = old.state
  const kept = { ...draft, inputs, outputs, id, initErrors, pendingReplacement }
  const step = stepOf({ op: 'same', effect: 'replace', old, next: kept })
  const about = { driver: componentDriver, compared: inputs, seed: new Uint8Array() }
  return carryOut(ctx, { goal, claim, next: kept, ...about }, [step])
}

/** What a state cannot be without: its provider, its parent, what it depends on. */
export function needs(state: ResourceState): readonly Urn[] {
  const provider = providerUrnOf(state.provider)
  const named = [...namedDependencies(state), ...(provider === undefined ? [] : [provider])]
  return state.parent === '' ? named : [...named, state.parent]
}

/**
 * The scope of the deletes by what the program has made of names, parents and providers: with a
 * target goes what depends on it now, and what is left out keeps what it stands on now.
 */
function scopeNow({ sets, scope }: GeneratorContext, mayGo: DeleteScope): DeleteScope {
  const made = [...sets.current.values()].filter(({ passedOver }) => passedOver !== 'not made')
  const graph = stateGraph(made.map(({ state }) => state))
  const { targets, excludes } = scope
  const before = (urn: Urn): Urn => sets.former.get(urn) ?? urn
  if (targets.isConstrained) {
    const goes = ({ urn }: ResourceState): boolean =>
      mayGo(urn) || mayGo(before(urn)) || targets.has(urn)
    const allowed = withDependents(graph, goes)
    return urn => mayGo(urn) || allowed.has(urn)
  }
  if (!excludes.isConstrained) return mayGo
  const stays = ({ urn }: ResourceState): boolean =>
    !mayGo(urn) || !mayGo(before(urn)) || excludes.has(urn)
  const kept = withDependencies(graph, stays, { dependents: scope.excludeDependents })
  return urn => mayGo(urn) && !kept.has(urn)
}

/**
 * Deletes of everything, once the program of a destroy has ended: of what it registered as it is
 * now, and of what else is in the state; of these what may go. `left`: what earlier lives made and
 * this one did not register. What was registered stands first, so that all else goes before what it
 * depends on.
 */
export function destroySteps(
  ctx: GeneratorContext,
  { left, mayGo }: { readonly left: readonly TrackedState[]; readonly mayGo: DeleteScope },
): { readonly graph: StateGraph; readonly condemned: readonly CondemnedStep[] } {
  const { sets, base } = ctx
  const mayGoNow = scopeNow(ctx, mayGo)
  const made = [...sets.current.values()].filter(
    ({ passedOver, state }) => passedOver === undefined && mayGoNow(state.urn),
  )
  const isKnown = (urn: Urn): boolean => ctx.base.live(urn) !== undefined
  const forgotten = left.filter(({ state: { urn } }) =>
    isKnown(urn) || isKnown(sets.former.get(urn) ?? urn) ? mayGoNow(urn) : true,
  )
  const going: readonly TrackedState[] = [...made, ...forgotten]
  for (const { state } of going) sets.deletes.add(state.urn)
  const others = condemnedSteps(ctx, mayGoNow)
  const registered = going.map((old, index): CondemnedStep => {
    const { external, pendingReplacement } = old.state
    const op = pendingReplacement ? 'remove-pending-replace' : external ? 'discard' : 'delete'
    const skipCall = isWithoutCall(ctx, old.state)
    return { index, step: stepOf({ op, effect: 'remove', old, skipCall }) }
  })
  const behind = others.map(({ index, step }) => ({ index: index + going.length, step }))
  const ordered = going.map(({ state }) => withFormerNeeds(ctx, state))
  const states = [...ordered, ...base.snapshot.resources]
  return { graph: stateGraph(states), condemned: [...registered, ...behind] }
}

/**
 * A registered state that also depends on what it depended on until now: what exists was made with
 * that, whatever the program says today. For the order of deletes alone.
 */
function withFormerNeeds({ sets, base }: GeneratorContext, state: ResourceState): ResourceState {
  const index = base.live(sets.former.get(state.urn) ?? state.urn)
  const old = index === undefined ? undefined : base.snapshot.resources[index]
  if (old === undefined) return state
  const former = [...namedDependencies(old)].map(urn => sets.aliased.get(urn) ?? urn)
  return { ...state, dependencies: [...new Set([...state.dependencies, ...former])] }
}
