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

/** The ports and options of `planDeletes`. */
interface DeletePlanDeps {
  readonly sealing: Sealing
  readonly nextId: () => OperationId
  /** The condition of a delete in addition to the deletes of its dependents. */
  readonly waitMode: PlanWait
  /** Maximum number of concurrent deletes. Set if the executors have no limit of their own. */
  readonly concurrencyMax?: number
}

/**
 * Plans the deletes of condemned states as operations that release each other. A state is deleted
 * when all its dependents are deleted. With waves, the previous wave must also have succeeded ('for
 * whole waves') or ended ('for waves to end'). A graph with many edges gets joins. More than
 * `concurrencyMax` deletes are always split into waves of at most that width. Source:
 * docs/decisions/0012-barriers-receive-arrivals.md.
 */
export function planDeletes(
  graph: StateGraph,
  condemned: readonly CondemnedStep[],
  deps: DeletePlanDeps,
): readonly PlannedOperation[] {
  const { nextId, concurrencyMax = Infinity } = deps
  const edges = findDeleteEdges(graph, new Set(condemned.map(({ graphIndex }) => graphIndex)))
  const exceedsConcurrencyMax = condemned.length > concurrencyMax
  const waitMode =
    exceedsConcurrencyMax && deps.waitMode === 'for dependents' ? 'for waves to end' : deps.waitMode
  const barriers =
    waitMode === 'for dependents'
      ? createBarriers([])
      : barriersOf(condemned, edges, concurrencyMax)
  const stepsByKey = new Map(condemned.map(({ graphIndex, step }) => [String(graphIndex), step]))
  return placeNodes(planNodesOf(condemned, edges), { barriers, waitMode, nextId }).flatMap(
    ({ key, position }): readonly PlannedOperation[] => {
      const step = stepsByKey.get(key)
      if (step === undefined) return [{ operation: createJoinOperation(position), step }]
      return planStepOperations(step, position, deps)
    },
  )
}

/**
 * Returns the delete steps that call no provider: those that protection blocks, and those that need
 * no call.
 */
export function findStepsWithoutCall(
  graph: StateGraph,
  condemned: readonly CondemnedStep[],
): readonly Step[] {
  const callsProvider = ({ op, skipCall }: Step): boolean =>
    !skipCall && (op === 'delete' || op === 'delete-replaced')
  const isAnyProtected = condemned.some(({ step }) => isProtected(step))
  const blockedIndices = isAnyProtected
    ? findBlockedIndices(
        condemned,
        findDeleteEdges(graph, new Set(condemned.map(({ graphIndex }) => graphIndex))),
      )
    : new Set<number>()
  return condemned
    .filter(({ graphIndex, step }) => blockedIndices.has(graphIndex) || !callsProvider(step))
    .map(({ step }) => step)
}

function findBlockedIndices(
  condemned: readonly CondemnedStep[],
  edges: DeleteEdges,
): ReadonlySet<number> {
  const protectedIndices = condemned
    .filter(({ step }) => isProtected(step))
    .map(({ graphIndex }) => graphIndex)
  return findBlockedDeletes(protectedIndices, edges)
}

function barriersOf(
  condemned: readonly CondemnedStep[],
  edges: DeleteEdges,
  concurrencyMax: number,
): Barriers {
  const indices = condemned.map(({ graphIndex }) => graphIndex)
  // Blocked deletes are not counted, so that no wave waits for a delete that never runs.
  const uncountedKeys = new Set([...findBlockedIndices(condemned, edges)].map(String))
  const waves = wavesOf(indices, edges).map(wave => wave.map(String))
  return createBarriers(
    waves.flatMap(wave => sliceWave(wave, concurrencyMax, uncountedKeys)),
    uncountedKeys,
  )
}

/**
 * Returns the nodes of the plan: the deletes, dependents first, and the groups of descendants that
 * `DeleteEdges` describes.
 */
function planNodesOf(condemned: readonly CondemnedStep[], edges: DeleteEdges): readonly PlanNode[] {
  const descendantGroups = [...edges.groups].map(([key, { states, groups }]) => ({
    key,
    releases: [...states.map(String), ...groups],
  }))
  const deletes = condemned.toReversed().map(({ graphIndex }) => {
    const { states = [], groups = [] } = edges.releases.get(graphIndex) ?? {}
    return { key: String(graphIndex), releases: [...states.map(String), ...groups] }
  })
  return [...deletes, ...descendantGroups]
}
