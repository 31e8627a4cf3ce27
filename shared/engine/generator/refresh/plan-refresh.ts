import { isProviderType } from '../../../names/provider-reference.ts'
import type { OperationId } from '../../../records/ids.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { operationOf } from '../../deployment/state/step-operations.ts'
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
import { isUrnHandled } from '../sets.ts'
import type { Urn } from '../../../names/urn.ts'
import { listDependencies } from '../../graph/closures.ts'
import type { Scope } from '../targets/scope.ts'

/**
 * Returns the refresh steps of states in the scope. `readableSteps`: the steps of states that a
 * provider can read. `unchangedSteps`: the steps of states that a refresh never changes. The
 * selection `required` contains only states whose provider requires a refresh before an update.
 * Source: docs/spec/step-generation.md#end-of-a-refresh,
 * docs/spec/deployment.md#order-of-execution.
 */
export function createRefreshSteps(
  base: Base,
  refreshSelection: 'all' | 'required',
  { scope, outputsOnly }: Pick<DecisionInput, 'scope' | 'outputsOnly'>,
): {
  readonly readableSteps: readonly Step[]
  readonly unchangedSteps: readonly Step[]
} {
  const { resources } = base.snapshot
  const candidates = resources.filter(
    state => state.viewOf === '' && (refreshSelection === 'all' || state.refreshBeforeUpdate),
  )
  return toRefreshSteps(base, outputsOnly, selectRefreshedStates(candidates, scope))
}

/**
 * Returns the refresh steps of states that the program did not register. As in Pulumi, only the
 * specified resources are targeted or excluded here, never their dependents. Source:
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
  const namedScope = { ...scope, targetDependents: false, excludeDependents: false }
  const candidates = base.snapshot.resources.filter(
    ({ urn, viewOf }) => viewOf === '' && !isUrnHandled(sets, urn),
  )
  return toRefreshSteps(base, outputsOnly, selectRefreshedStates(candidates, namedScope))
}

function toRefreshSteps(
  base: Base,
  outputsOnly: boolean,
  includedStates: ReadonlySet<ResourceState>,
): ReturnType<typeof createRefreshSteps> {
  const readableSteps: Step[] = []
  const unchangedSteps: Step[] = []
  base.snapshot.resources.forEach((state, index) => {
    if (!includedStates.has(state)) return
    const old = base.trackedStateAt(index)
    const step = stepOf({ op: 'refresh', effect: 'swap', old, next: state, outputsOnly })
    if (isReadable(state)) readableSteps.push(step)
    else unchangedSteps.push(step)
  })
  return { readableSteps, unchangedSteps }
}

function isReadable(state: ResourceState): boolean {
  return state.custom && !isProviderType(state.type) && !state.pendingReplacement
}

/** Emits the states that a refresh never changes. */
export function emitUnchanged(emitter: StepEmitter, steps: readonly Step[]): void {
  for (const step of steps) emitStep(emitter, step, successEndOf(step.next, 'same'))
}

/**
 * Plans refreshes as operations. At most `concurrencyMax` of them run concurrently. Without
 * `concurrencyMax`, all may run concurrently.
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
  const stepsByKey = new Map(steps.map((step, index) => [String(index), step]))
  const keys = [...stepsByKey.keys()]
  const barriers = createBarriers(sliceWave(keys, concurrencyMax))
  const nodes = keys.map(key => ({ key, releases: [] }))
  return placeNodes(nodes, { barriers, waitMode: 'for waves to end', nextId }).map(
    ({ key, position }): PlannedOperation => {
      const step = stepsByKey.get(key)
      if (step === undefined) return { operation: createJoinOperation(position), step }
      // The planned state equals the old state, which the record references.
      const { next: _state, ...fields } = step
      return { operation: operationOf({ ...fields, next: undefined }, position, sealing), step }
    },
  )
}

/**
 * Chooses the states that a command refreshes. `all`: all states, because a refresh is requested.
 * `required`: only those whose provider requires a refresh before an update. Undefined: none.
 */
export function chooseRefreshSelection(
  base: Base,
  isRequested: boolean,
): 'all' | 'required' | undefined {
  if (isRequested) return 'all'
  return base.snapshot.resources.some(state => state.refreshBeforeUpdate) ? 'required' : undefined
}

/**
 * Returns the states that a refresh includes: the targets, or all except the excluded ones. On
 * request, dependents of targets are included too, or dependents of excluded resources are excluded
 * too. Resources do not count as dependents of their providers here. Source:
 * docs/spec/step-generation.md#targets.
 */
export function selectRefreshedStates(
  states: readonly ResourceState[],
  scope: Scope,
): ReadonlySet<ResourceState> {
  const { targets, excludes, targetDependents, excludeDependents } = scope
  if (!targets.isConstrained && !excludes.isConstrained) return new Set(states)
  // In a refresh, excludes take precedence over targets. Elsewhere, targets take precedence.
  const namedUrns = excludes.isConstrained ? excludes : targets
  const mustIncludeDependents = excludes.isConstrained ? excludeDependents : targetDependents
  const dependentUrns = new Set<Urn>()
  const isNamed = (urn: Urn): boolean => namedUrns.has(urn) || dependentUrns.has(urn)
  const selectedStates = states.filter(state => {
    if (isNamed(state.urn)) return true
    if (!mustIncludeDependents || !listDependencies(state).some(({ urn }) => isNamed(urn)))
      return false
    dependentUrns.add(state.urn)
    return true
  })
  if (!excludes.isConstrained) return new Set(selectedStates)
  const excludedStates = new Set(selectedStates)
  return new Set(states.filter(state => !excludedStates.has(state)))
}
