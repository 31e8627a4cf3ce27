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
import { selectRefreshed } from './refresh-scope.ts'
import type { GeneratorContext } from '../context.ts'
import { isOperatedOn } from '../sets.ts'

/**
 * The refresh of every state that a provider can be asked about; the others are told as unchanged.
 * `required`: only those whose provider wants it before an update; of these what is in the scope.
 * Source: docs/spec/step-generation.md#end-of-a-refresh,
 * docs/spec/deployment.md#order-of-execution.
 */
export function createRefreshSteps(
  base: Base,
  which: 'all' | 'required',
  { scope, outputsOnly }: Pick<GeneratorContext, 'scope' | 'outputsOnly'>,
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
 * The refresh of what a program that has ended did not register. As in the original, only what is
 * named makes targets here, or is left out, and never what depends on it. Source:
 * docs/spec/step-generation.md#end-of-a-refresh.
 */
export function createUnregisteredRefreshSteps({
  base,
  sets,
  scope,
  outputsOnly,
}: Pick<GeneratorContext, 'base' | 'sets' | 'scope' | 'outputsOnly'>): ReturnType<
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

/** Tells of states that a refresh never changes. */
export function emitUnchanged(emitter: StepEmitter, steps: readonly Step[]): void {
  for (const step of steps) emitStep(emitter, step, successEndOf(step.next, 'same'))
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

/**
 * Which states are to be refreshed before a command: all, those whose provider wants it, or none.
 */
export function chooseRefresh(base: Base, isRequested: boolean): 'all' | 'required' | undefined {
  if (isRequested) return 'all'
  return base.snapshot.resources.some(state => state.refreshBeforeUpdate) ? 'required' : undefined
}
