import type { OperationId } from '../../../records/ids.ts'
import { planStepOperations } from '../../deployment/dispatch/hook-operations.ts'
import type { PlannedOperation } from '../../deployment/dispatch/hook-operations.ts'
import type { Sealing } from '../../deployment/state/state-sealing.ts'
import { type Barriers, createBarriers, sliceWave } from '../../graph/barriers.ts'
import { type DeleteEdges, findDeleteEdges } from '../../graph/delete-edges.ts'
import type { StateGraph } from '../../graph/dependencies.ts'
import type { PlanNode } from '../../graph/joins.ts'
import { findBlockedDeletes } from '../../graph/blocked-deletes.ts'
import { wavesOf } from '../../graph/waves.ts'
import { isProtected, type Step } from '../../step.ts'
import type { CondemnedStep } from './condemned-steps.ts'
import { createJoinOperation, placeNodes, type PlanWait } from './place-nodes.ts'

/** The dependencies of a plan of deletes. */
interface DeletePlanDeps {
  readonly sealing: Sealing
  readonly nextId: () => OperationId
  readonly waiting: PlanWait
  /** The most deletes at once, where executors have no limit of their own. */
  readonly concurrencyMax?: number
}

/**
 * Plans the deletes of condemned states as operations that release each other. A state is deleted
 * when its last dependent is deleted, or when its wave begins. Wide graphs have joins. More deletes
 * than may run at once form waves of that width, each after the end of the one before. Source:
 * docs/decisions/0012-barriers-are-arrivals-not-ends.md.
 */
export function planDeletes(
  graph: StateGraph,
  condemned: readonly CondemnedStep[],
  deps: DeletePlanDeps,
): readonly PlannedOperation[] {
  const { nextId, concurrencyMax = Infinity } = deps
  const edges = findDeleteEdges(graph, new Set(condemned.map(({ index }) => index)))
  const isBounded = condemned.length > concurrencyMax
  const waiting = isBounded && deps.waiting === 'for dependents' ? 'for waves to end' : deps.waiting
  const barriers =
    waiting === 'for dependents' ? createBarriers([]) : barriersOf(condemned, edges, concurrencyMax)
  const steps = new Map(condemned.map(({ index, step }) => [String(index), step]))
  return placeNodes(planNodesOf(condemned, edges), { barriers, waiting, nextId }).flatMap(
    ({ key, place }): readonly PlannedOperation[] => {
      const step = steps.get(key)
      if (step === undefined) return [{ operation: createJoinOperation(place), step }]
      return planStepOperations(step, place, deps)
    },
  )
}

/** Returns the deletes that call no provider: of states that stay, or go without a call. */
export function findUncalledSteps(
  graph: StateGraph,
  condemned: readonly CondemnedStep[],
): readonly Step[] {
  const isCalled = ({ op, skipCall }: Step): boolean =>
    !skipCall && (op === 'delete' || op === 'delete-replaced')
  const isAnyProtected = condemned.some(({ step }) => isProtected(step))
  const kept = isAnyProtected
    ? findBlocked(condemned, findDeleteEdges(graph, new Set(condemned.map(({ index }) => index))))
    : new Set<number>()
  return condemned
    .filter(({ index, step }) => kept.has(index) || !isCalled(step))
    .map(({ step }) => step)
}

function findBlocked(condemned: readonly CondemnedStep[], edges: DeleteEdges): ReadonlySet<number> {
  const kept = condemned.filter(({ step }) => isProtected(step)).map(({ index }) => index)
  return findBlockedDeletes(kept, edges)
}

function barriersOf(
  condemned: readonly CondemnedStep[],
  edges: DeleteEdges,
  concurrencyMax: number,
): Barriers {
  const indices = condemned.map(({ index }) => index)
  // A protected resource stops no other delete, with waves or without.
  const uncounted = new Set([...findBlocked(condemned, edges)].map(String))
  const waves = wavesOf(indices, edges).map(wave => wave.map(String))
  return createBarriers(
    waves.flatMap(wave => sliceWave(wave, concurrencyMax, uncounted)),
    uncounted,
  )
}

function planNodesOf(condemned: readonly CondemnedStep[], edges: DeleteEdges): readonly PlanNode[] {
  const groups = [...edges.groups].map(([key, states]) => ({ key, releases: states.map(String) }))
  const deletes = condemned.toReversed().map(({ index }) => {
    const { states = [], groups: below = [] } = edges.releases.get(index) ?? {}
    return { key: String(index), releases: [...states.map(String), ...below] }
  })
  return [...deletes, ...groups]
}
