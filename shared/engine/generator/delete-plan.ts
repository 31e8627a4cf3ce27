import type { OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { operationOf } from '../deployment/operations.ts'
import type { PlannedOperation } from '../deployment/plan-run.ts'
import type { Sealing } from '../deployment/sealing.ts'
import { deleteEdges } from '../graph/delete-edges.ts'
import type { StateGraph } from '../graph/dependencies.ts'
import { type PlanNode, withJoins } from '../graph/joins.ts'
import type { CondemnedStep } from './delete-steps.ts'

/**
 * Condemned states as operations that release each other: each is deleted the moment the last one
 * that depends on it is gone. Where the graph is wide there are joins. Source: design, dataflow
 * deletes.
 */
export function planDeletes(
  graph: StateGraph,
  condemned: readonly CondemnedStep[],
  deps: { readonly sealing: Sealing; readonly nextId: () => OperationId },
): readonly PlannedOperation[] {
  const edges = deleteEdges(graph, new Set(condemned.map(({ index }) => index)))
  const nodes: PlanNode[] = [...edges.groups].map(([key, states]) => ({
    key,
    releases: states.map(String),
  }))
  for (const { index } of condemned) {
    const { states = [], groups = [] } = edges.releases.get(index) ?? {}
    nodes.push({ key: String(index), releases: [...states.map(String), ...groups] })
  }
  const joined = withJoins(nodes)
  const ids = new Map<string, OperationId>()
  const keys = [
    ...condemned.map(({ index }) => String(index)).toReversed(),
    ...edges.groups.keys(),
    ...joined.joins,
  ]
  for (const key of keys) ids.set(key, deps.nextId())
  const steps = new Map(condemned.map(({ index, step }) => [String(index), step]))
  return keys.flatMap((key): readonly PlannedOperation[] => {
    const id = ids.get(key)
    if (id === undefined) return []
    const releases = (joined.releases.get(key) ?? []).flatMap(target => ids.get(target) ?? [])
    const place = { id, needs: joined.needs.get(key) ?? 0, releases }
    const step = steps.get(key)
    if (step !== undefined) return [{ operation: operationOf(step, place, deps.sealing), step }]
    return [{ operation: joinOf(place), step: undefined }]
  })
}

function joinOf(place: Pick<Operation, 'id' | 'needs' | 'releases'>): Operation {
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
