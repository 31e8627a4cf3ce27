import type { OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { operationOf, type PlanPlace } from '../deployment/operations.ts'
import type { PlannedOperation } from '../deployment/plan-run.ts'
import type { Sealing } from '../deployment/sealing.ts'
import { type Barriers, barriersBetween } from '../graph/barriers.ts'
import { type DeleteEdges, deleteEdges } from '../graph/delete-edges.ts'
import type { StateGraph } from '../graph/dependencies.ts'
import { type JoinedPlan, type PlanNode, withJoins } from '../graph/joins.ts'
import { heldBack } from '../graph/held-back.ts'
import { wavesOf } from '../graph/waves.ts'
import { isProtected } from '../step.ts'
import type { CondemnedStep } from './delete-steps.ts'

/**
 * What a delete waits for besides what depends on it: nothing, that the wave before its own was
 * deleted whole, or that it is over.
 */
export type Waiting = 'for dependents' | 'for whole waves' | 'for waves to end'

/** What a plan of deletes is made with. */
interface DeletePlanDeps {
  readonly sealing: Sealing
  readonly nextId: () => OperationId
  readonly waiting: Waiting
}

/**
 * Condemned states as operations that release each other: each is deleted the moment the last one
 * that depends on it is gone, or once its wave has its turn. Where the graph is wide there are
 * joins. Source: design, dataflow deletes.
 */
export function planDeletes(
  graph: StateGraph,
  condemned: readonly CondemnedStep[],
  deps: DeletePlanDeps,
): readonly PlannedOperation[] {
  const edges = deleteEdges(graph, new Set(condemned.map(({ index }) => index)))
  const barriers = barriersOf(condemned, edges, deps.waiting)
  const joined = withJoins(nodesOf(condemned, edges, { barriers, waiting: deps.waiting }))
  const keys = [
    ...condemned.map(({ index }) => String(index)).toReversed(),
    ...edges.groups.keys(),
    ...barriers.nodes.map(({ key }) => key),
    ...joined.joins,
  ]
  const ids = new Map<string, OperationId>(keys.map(key => [key, deps.nextId()]))
  const steps = new Map(condemned.map(({ index, step }) => [String(index), step]))
  return keys.flatMap((key): readonly PlannedOperation[] => {
    const place = placeOf(key, { ids, joined, barriers, waiting: deps.waiting })
    if (place === undefined) return []
    const step = steps.get(key)
    if (step !== undefined) return [{ operation: operationOf(step, place, deps.sealing), step }]
    return [{ operation: joinOf(place), step: undefined }]
  })
}

function barriersOf(
  condemned: readonly CondemnedStep[],
  edges: DeleteEdges,
  waiting: Waiting,
): Barriers {
  if (waiting === 'for dependents') return barriersBetween([])
  const indices = condemned.map(({ index }) => index)
  const kept = condemned.filter(({ step }) => isProtected(step)).map(({ index }) => index)
  // A protected resource stops nothing else, in waves as little as without them.
  const uncounted = new Set([...heldBack(kept, edges)].map(String))
  return barriersBetween(
    wavesOf(indices, edges).map(wave => wave.map(String)),
    uncounted,
  )
}

function nodesOf(
  condemned: readonly CondemnedStep[],
  edges: DeleteEdges,
  { barriers, waiting }: { readonly barriers: Barriers; readonly waiting: Waiting },
): readonly PlanNode[] {
  const groups = [...edges.groups].map(([key, states]) => ({ key, releases: states.map(String) }))
  const deletes = condemned.map(({ index }) => {
    const { states = [], groups: below = [] } = edges.releases.get(index) ?? {}
    const barrier = waiting === 'for whole waves' ? barriers.of.get(String(index)) : undefined
    const releases = [...states.map(String), ...below]
    return {
      key: String(index),
      releases: barrier === undefined ? releases : [...releases, barrier],
    }
  })
  return [...groups, ...deletes, ...barriers.nodes]
}

/** A barrier that is to open after failures too is no release: it is counted for apart. */
function placeOf(
  key: string,
  plan: {
    readonly ids: ReadonlyMap<string, OperationId>
    readonly joined: JoinedPlan
    readonly barriers: Barriers
    readonly waiting: Waiting
  },
): PlanPlace | undefined {
  const { ids, joined, barriers } = plan
  const id = ids.get(key)
  if (id === undefined) return undefined
  const releases = (joined.releases.get(key) ?? []).flatMap(target => ids.get(target) ?? [])
  const needs = joined.needs.get(key) ?? 0
  if (plan.waiting !== 'for waves to end') return { id, needs, releases }
  const barrier = ids.get(barriers.of.get(key) ?? '')
  const place = { id, needs: needs + (barriers.counts.get(key) ?? 0), releases }
  return barrier === undefined ? place : { ...place, barrier }
}

function joinOf(place: PlanPlace): Operation {
  const nowhere = 'urn:pulumi:::::antichain:join::' as Operation['urn']
  return {
    ...place,
    op: 'join',
    urn: nowhere,
    type: '',
    provider: '',
    effect: 'none',
    logical: false,
  }
}
