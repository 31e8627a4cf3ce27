import { isProviderType } from '../../../names/provider-reference.ts'
import type { OperationId } from '../../../records/ids.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { operationOf } from '../../deployment/state/operations.ts'
import type { PlannedOperation } from '../../deployment/dispatch/hook-operations.ts'
import type { Sealing } from '../../deployment/state/state-sealing.ts'
import type { StepEmitter } from '../../events/step-emitter.ts'
import { emitStep } from '../../events/emit-step.ts'
import { type Step, stepOf } from '../../step.ts'
import { successEndOf } from '../../step-end.ts'
import type { Base } from '../../deployment/state/base.ts'
import { createBarriers, sliceWave } from '../../graph/barriers.ts'
import { createJoinOperation, placeNodes } from '../deletion/place-nodes.ts'
import type { DecisionInput } from '../context.ts'
import { isOperatedOn } from '../sets.ts'
import type { Urn } from '../../../names/urn.ts'
import { listDependencies } from '../../graph/closures.ts'
import type { Scope } from '../targets/scope.ts'

/**
 * Returns the refresh steps of states in the scope: `readable` by a provider, or `unchanged`.
 * `required`: only states whose provider wants a refresh before an update. Source:
 * docs/spec/step-generation.md#end-of-a-refresh, docs/spec/deployment.md#order-of-execution.
 */
export function createRefreshSteps(
  base: Base,
  which: 'all' | 'required',
  { scope, outputsOnly }: Pick<DecisionInput, 'scope' | 'outputsOnly'>,
): {
  readonly readable: readonly Step[]
  readonly unchanged: readonly Step[]
} {
  const { resources } = base.snapshot
  const candidates = resources.filter(
    state => state.viewOf === '' && (which === 'all' || state.refreshBeforeUpdate),
  )
  return stepsOf(base, outputsOnly, selectRefreshed(candidates, scope))
}

/**
 * Returns the refresh steps of states that the program did not register. As in Pulumi, only the
 * named resources are targeted or excluded here, never their dependents. Source:
 * docs/spec/step-generation.md#end-of-a-refresh.
 */
export function createUnregisteredRefreshSteps({
  base,
  sets,
  scope,
  outputsOnly,
}: Pick<DecisionInput, 'base' | 'sets' | 'scope' | 'outputsOnly'>): ReturnType<
  typeof createRefreshSteps
> {
  const named = { ...scope, targetDependents: false, excludeDependents: false }
  const candidates = base.snapshot.resources.filter(
    ({ urn, viewOf }) => viewOf === '' && !isOperatedOn(sets, urn),
  )
  return stepsOf(base, outputsOnly, selectRefreshed(candidates, named))
}

function stepsOf(
  base: Base,
  outputsOnly: boolean,
  included: ReadonlySet<ResourceState>,
): ReturnType<typeof createRefreshSteps> {
  const readable: Step[] = []
  const unchanged: Step[] = []
  base.snapshot.resources.forEach((state, index) => {
    if (!included.has(state)) return
    const old = base.trackedAt(index)
    const step = stepOf({ op: 'refresh', effect: 'swap', old, next: state, outputsOnly })
    if (isReadable(state)) readable.push(step)
    else unchanged.push(step)
  })
  return { readable, unchanged }
}

function isReadable(state: ResourceState): boolean {
  return state.custom && !isProviderType(state.type) && !state.pendingReplacement
}

/** Shows states that a refresh never changes. */
export function emitUnchanged(emitter: StepEmitter, steps: readonly Step[]): void {
  for (const step of steps) emitStep(emitter, step, successEndOf(step.next, 'same'))
}

/**
 * Plans refreshes as operations: all may run at once, or `concurrencyMax` of them where executors
 * have no limit of their own.
 */
export function planRefresh(
  steps: readonly Step[],
  deps: {
    readonly sealing: Sealing
    readonly nextId: () => OperationId
    readonly concurrencyMax?: number
  },
): readonly PlannedOperation[] {
  const { sealing, nextId, concurrencyMax = Infinity } = deps
  const byKey = new Map(steps.map((step, at) => [String(at), step]))
  const keys = [...byKey.keys()]
  const barriers = createBarriers(sliceWave(keys, concurrencyMax))
  const nodes = keys.map(key => ({ key, releases: [] }))
  return placeNodes(nodes, { barriers, waiting: 'for waves to end', nextId }).map(
    ({ key, place }): PlannedOperation => {
      const step = byKey.get(key)
      if (step === undefined) return { operation: createJoinOperation(place), step }
      const { next: _state, ...fields } = step
      return { operation: operationOf({ ...fields, next: undefined }, place, sealing), step }
    },
  )
}

/** Returns the states to refresh before a command: all, those whose provider wants it, or none. */
export function chooseRefresh(base: Base, isRequested: boolean): 'all' | 'required' | undefined {
  if (isRequested) return 'all'
  return base.snapshot.resources.some(state => state.refreshBeforeUpdate) ? 'required' : undefined
}

/**
 * Returns the states of a list that a refresh reads: the targets, or all but the excluded ones,
 * with their dependents where requested. Resources are no dependents of their providers here.
 * Source: docs/spec/step-generation.md#targets.
 */
export function selectRefreshed(
  states: readonly ResourceState[],
  scope: Scope,
): ReadonlySet<ResourceState> {
  const { targets, excludes, targetDependents, excludeDependents } = scope
  if (!targets.isConstrained && !excludes.isConstrained) return new Set(states)
  // Excludes win here; in the rest of a deployment targets win.
  const named = excludes.isConstrained ? excludes : targets
  const hasDependents = excludes.isConstrained ? excludeDependents : targetDependents
  const grown = new Set<Urn>()
  const isNamed = (urn: Urn): boolean => named.has(urn) || grown.has(urn)
  const chosen = states.filter(state => {
    if (isNamed(state.urn)) return true
    if (!hasDependents || !listDependencies(state).some(({ urn }) => isNamed(urn))) return false
    grown.add(state.urn)
    return true
  })
  if (!excludes.isConstrained) return new Set(chosen)
  const excluded = new Set(chosen)
  return new Set(states.filter(state => !excluded.has(state)))
}
