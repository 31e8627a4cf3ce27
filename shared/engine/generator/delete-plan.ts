import type { OperationId } from '../../records/ids.ts'
import { operationsAround } from '../deployment/hook-operations.ts'
import type { PlannedOperation } from '../deployment/hook-operations.ts'
import type { Sealing } from '../deployment/sealing.ts'
import { type Barriers, barriersBetween, slicesOf } from '../graph/barriers.ts'
import { type DeleteEdges, deleteEdges } from '../graph/delete-edges.ts'
import type { StateGraph } from '../graph/dependencies.ts'
import type { PlanNode } from '../graph/joins.ts'
import { heldBack } from '../graph/held-back.ts'
import { wavesOf } from '../graph/waves.ts'
import { isProtected, type Step } from '../step.ts'
import type { CondemnedStep } from './delete-steps.ts'
import { joinOf, placesOf, type Waiting } from './plan-places.ts'

/** What a plan of deletes is made with. */
interface DeletePlanDeps {
  readonly sealing: Sealing
  readonly nextId: () => OperationId
  readonly waiting: Waiting
  /** The most that may be deleted at once, where executors do not see to that themselves. */
  readonly atOnce?: number
}

/**
 * Condemned states as operations that release each other: each is deleted the moment the last one
 * that depends on it is gone, or once its wave has its turn. Where the graph is wide there are
 * joins. More than may be deleted at once are in waves of that width, each after the one before is
 * over. Source: docs/decisions/0012-barriers-are-arrivals-not-ends.md.
 */
export function planDeletes(
  graph: StateGraph,
  condemned: readonly CondemnedStep[],
  deps: DeletePlanDeps,
): readonly PlannedOperation[] {
  const { nextId, atOnce = Infinity } = deps
  const edges = deleteEdges(graph, new Set(condemned.map(({ index }) => index)))
  const isBounded = condemned.length > atOnce
  const waiting = isBounded && deps.waiting === 'for dependents' ? 'for waves to end' : deps.waiting
  const barriers =
    waiting === 'for dependents' ? barriersBetween([]) : barriersOf(condemned, edges, atOnce)
  const steps = new Map(condemned.map(({ index, step }) => [String(index), step]))
  return placesOf(nodesOf(condemned, edges), { barriers, waiting, nextId }).flatMap(
    ({ key, place }): readonly PlannedOperation[] => {
      const step = steps.get(key)
      if (step === undefined) return [{ operation: joinOf(place), step }]
      return operationsAround(step, place, deps)
    },
  )
}

/** Steps of condemned states whose providers are not asked: what stays, or goes without a call. */
export function unasked(graph: StateGraph, condemned: readonly CondemnedStep[]): readonly Step[] {
  const isAsked = ({ op, skipCall }: Step): boolean =>
    !skipCall && (op === 'delete' || op === 'delete-replaced')
  const isAnyProtected = condemned.some(({ step }) => isProtected(step))
  const kept = isAnyProtected
    ? keptBack(condemned, deleteEdges(graph, new Set(condemned.map(({ index }) => index))))
    : new Set<number>()
  return condemned
    .filter(({ index, step }) => kept.has(index) || !isAsked(step))
    .map(({ step }) => step)
}

function keptBack(condemned: readonly CondemnedStep[], edges: DeleteEdges): ReadonlySet<number> {
  const kept = condemned.filter(({ step }) => isProtected(step)).map(({ index }) => index)
  return heldBack(kept, edges)
}

function barriersOf(
  condemned: readonly CondemnedStep[],
  edges: DeleteEdges,
  atOnce: number,
): Barriers {
  const indices = condemned.map(({ index }) => index)
  // A protected resource stops nothing else, in waves as little as without them.
  const uncounted = new Set([...keptBack(condemned, edges)].map(String))
  const waves = wavesOf(indices, edges).map(wave => wave.map(String))
  return barriersBetween(
    waves.flatMap(wave => slicesOf(wave, atOnce, uncounted)),
    uncounted,
  )
}

function nodesOf(condemned: readonly CondemnedStep[], edges: DeleteEdges): readonly PlanNode[] {
  const groups = [...edges.groups].map(([key, states]) => ({ key, releases: states.map(String) }))
  const deletes = condemned.toReversed().map(({ index }) => {
    const { states = [], groups: below = [] } = edges.releases.get(index) ?? {}
    return { key: String(index), releases: [...states.map(String), ...below] }
  })
  return [...deletes, ...groups]
}
