import { isProviderType } from '../../names/provider-reference.ts'
import type { OperationId } from '../../records/ids.ts'
import type { ResourceState } from '../../state/resource.ts'
import { operationOf } from '../deployment/operations.ts'
import type { PlannedOperation } from '../deployment/hook-operations.ts'
import type { Sealing } from '../deployment/sealing.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import { tellStep } from '../events/tell-step.ts'
import { type Step, stepOf } from '../step.ts'
import { succeeded } from '../step-end.ts'
import type { Base } from '../deployment/base.ts'
import { barriersBetween, slicesOf } from '../graph/barriers.ts'
import { joinOf, placesOf } from './plan-places.ts'
import { refreshedOf } from './refresh-scope.ts'
import type { GeneratorContext } from './context.ts'
import { isOperatedOn } from './sets.ts'

/**
 * The refresh of every state that a provider can be asked about; the others are told as unchanged.
 * `required`: only those whose provider wants it before an update; of these what is in the scope.
 * Source: docs/spec/step-generation.md#end-of-a-refresh,
 * docs/spec/deployment.md#order-of-execution.
 */
export function refreshSteps(
  base: Base,
  which: 'all' | 'required',
  { scope, outputsOnly }: Pick<GeneratorContext, 'scope' | 'outputsOnly'>,
): {
  readonly asked: readonly Step[]
  readonly unchanged: readonly Step[]
} {
  const { resources } = base.snapshot
  const looked = resources.filter(
    state => state.viewOf === '' && (which === 'all' || state.refreshBeforeUpdate),
  )
  return stepsOf(base, outputsOnly, refreshedOf(looked, scope))
}

/**
 * The refresh of what a program that has ended did not register. As in the original, only what is
 * named makes targets here, or is left out, and never what depends on it. Source:
 * docs/spec/step-generation.md#end-of-a-refresh.
 */
export function unregisteredSteps({
  base,
  sets,
  scope,
  outputsOnly,
}: Pick<GeneratorContext, 'base' | 'sets' | 'scope' | 'outputsOnly'>): ReturnType<
  typeof refreshSteps
> {
  const named = { ...scope, targetDependents: false, excludeDependents: false }
  const looked = base.snapshot.resources.filter(
    ({ urn, viewOf }) => viewOf === '' && !isOperatedOn(sets, urn),
  )
  return stepsOf(base, outputsOnly, refreshedOf(looked, named))
}

function stepsOf(
  base: Base,
  outputsOnly: boolean,
  included: ReadonlySet<ResourceState>,
): ReturnType<typeof refreshSteps> {
  const asked: Step[] = []
  const unchanged: Step[] = []
  base.snapshot.resources.forEach((state, index) => {
    if (!included.has(state)) return
    const old = base.tracked(index)
    const step = stepOf({ op: 'refresh', effect: 'swap', old, next: state, outputsOnly })
    if (isAsked(state)) asked.push(step)
    else unchanged.push(step)
  })
  return { asked, unchanged }
}

function isAsked(state: ResourceState): boolean {
  return state.custom && !isProviderType(state.type) && !state.pendingReplacement
}

/** Tells of states that a refresh never changes. */
export function tellUnchanged(emitter: StepEmitter, steps: readonly Step[]): void {
  for (const step of steps) tellStep(emitter, step, succeeded(step.next, 'same'))
}

/**
 * Refreshes as operations: all may run at once, or `atOnce` of them, where executors do not see to
 * that themselves.
 */
export function planRefresh(
  steps: readonly Step[],
  deps: {
    readonly sealing: Sealing
    readonly nextId: () => OperationId
    readonly atOnce?: number
  },
): readonly PlannedOperation[] {
  const { sealing, nextId, atOnce = Infinity } = deps
  const byKey = new Map(steps.map((step, at) => [String(at), step]))
  const keys = [...byKey.keys()]
  const barriers = barriersBetween(slicesOf(keys, atOnce))
  const nodes = keys.map(key => ({ key, releases: [] }))
  return placesOf(nodes, { barriers, waiting: 'for waves to end', nextId }).map(
    ({ key, place }): PlannedOperation => {
      const step = byKey.get(key)
      if (step === undefined) return { operation: joinOf(place), step }
      const { next: _state, ...asked } = step
      return { operation: operationOf({ ...asked, next: undefined }, place, sealing), step }
    },
  )
}

/**
 * Which states are to be refreshed before a command: all, those whose provider wants it, or none.
 */
export function refreshBefore(base: Base, isAsked: boolean): 'all' | 'required' | undefined {
  if (isAsked) return 'all'
  return base.snapshot.resources.some(state => state.refreshBeforeUpdate) ? 'required' : undefined
}
