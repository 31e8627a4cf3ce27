import { isProviderType, providerUrnOf } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import type { OperationId } from '../../records/ids.ts'
import type { ResourceState } from '../../state/resource.ts'
import { namedDependencies, stateGraph, type StateGraph } from '../graph/dependencies.ts'
import { succeeded } from '../step-end.ts'
import { stepOf, type TrackedState } from '../step.ts'
import { carryOut } from './carry-out.ts'
import { type Claim, draftOf } from './claim.ts'
import type { GeneratorContext } from './context.ts'
import { type CondemnedStep, condemnedSteps } from './delete-steps.ts'
import { componentDriver } from './driver.ts'
import type { Goal } from './goal.ts'
import { isWithoutCall } from './replacement.ts'
import type { CurrentState } from './sets.ts'

/**
 * What a destroy that runs its program makes of a registration: resources stay as they are until
 * they are deleted, but by the providers of the program, and none is made. Undefined for components
 * and providers, which are decided about as always. Source: `engine.md` 5.4.
 */
export async function leftForDelete(
  ctx: GeneratorContext,
  goal: Goal,
  claim: Claim,
): Promise<CurrentState | undefined> {
  const old = claim.old
  const draft = draftOf(goal, claim)
  const next = old === undefined ? draft : { ...draft, outputs: old.state.outputs }
  if (needs(draft).some(urn => ctx.sets.skipped.has(urn))) return notMade(ctx, next)
  if (!goal.custom || isProviderType(goal.type)) return undefined
  if (old === undefined) return notMade(ctx, next)
  ctx.sets.operated.add(claim.urn)
  const { inputs, outputs, id, initErrors } = old.state
  const kept = { ...draft, inputs, outputs, id, initErrors }
  const step = stepOf({ op: 'same', effect: 'replace', old, next: kept })
  const about = { driver: componentDriver, compared: inputs, seed: new Uint8Array() }
  return carryOut(ctx, { goal, claim, next: kept, ...about }, [step])
}

function needs(state: ResourceState): readonly Urn[] {
  const provider = providerUrnOf(state.provider)
  const named = [...namedDependencies(state), ...(provider === undefined ? [] : [provider])]
  return state.parent === '' ? named : [...named, state.parent]
}

/** What is not there and is not made: the program is told that nothing is known of it. */
function notMade(ctx: GeneratorContext, next: ResourceState): CurrentState {
  const { sets, emitter } = ctx
  sets.skipped.add(next.urn)
  const made = { state: next, ref: { kind: 'operation' as const, operation: 0 as OperationId } }
  const step = stepOf({ op: 'same', effect: 'none', old: made, next })
  emitter.pre(step)
  emitter.ended(step, succeeded(next))
  const current: CurrentState = { ...made, op: 'same', passedOver: 'not made' }
  sets.current.set(next.urn, current)
  return current
}

/**
 * Deletes of everything, once the program of a destroy has ended: of what it registered as it is
 * now, and of what else is in the state. `left`: what earlier lives made and this one did not
 * register. What was registered stands first, so that all else goes before what it depends on.
 */
export function destroySteps(
  ctx: GeneratorContext,
  left: readonly TrackedState[],
): { readonly graph: StateGraph; readonly condemned: readonly CondemnedStep[] } {
  const { sets, base } = ctx
  const made = [...sets.current.values()].filter(({ passedOver }) => passedOver === undefined)
  const going: readonly TrackedState[] = [...made, ...left]
  for (const { state } of going) sets.deletes.add(state.urn)
  const others = condemnedSteps(ctx)
  const registered = going.map((old, index): CondemnedStep => {
    const op = old.state.external ? 'discard' : 'delete'
    const skipCall = isWithoutCall(ctx, old.state)
    return { index, step: stepOf({ op, effect: 'remove', old, skipCall }) }
  })
  const behind = others.map(({ index, step }) => ({ index: index + going.length, step }))
  const states = [...going.map(({ state }) => state), ...base.snapshot.resources]
  return { graph: stateGraph(states), condemned: [...registered, ...behind] }
}
