import type { OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import type { PlanPosition } from '../../deployment/state/step-operations.ts'
import type { Barriers } from '../../graph/barriers.ts'
import { type PlanNode, insertJoins } from '../../graph/joins.ts'

/**
 * The additional condition for an operation of a plan. Every operation waits for the operations
 * that release it. `for dependents`: no additional condition. `for whole waves`: all operations of
 * the previous wave have succeeded. `for waves to end`: all operations of the previous wave have
 * ended.
 */
export type PlanWait = 'for dependents' | 'for whole waves' | 'for waves to end'

/** A node of a plan with its operation id, its needs and its releases. */
export interface PlacedNode {
  readonly key: string
  readonly position: PlanPosition
}

/**
 * Assigns ids, needs and releases to the nodes of a plan, to the barriers, and to the necessary
 * joins. The ids increase in this order. `nodes`: the plan without its barriers.
 */
export function placeNodes(
  nodes: readonly PlanNode[],
  options: {
    readonly barriers: Barriers
    readonly waitMode: PlanWait
    readonly nextId: () => OperationId
  },
): readonly PlacedNode[] {
  const { barriers, waitMode, nextId } = options
  const nodesWithBarriers = nodes.map(node => {
    const barrier = waitMode === 'for whole waves' ? barriers.nodeByMember.get(node.key) : undefined
    return barrier === undefined ? node : { ...node, releases: [...node.releases, barrier] }
  })
  const joinedPlan = insertJoins([...nodesWithBarriers, ...barriers.nodes])
  const keys = [...[...nodes, ...barriers.nodes].map(({ key }) => key), ...joinedPlan.joins]
  const ids = new Map<string, OperationId>(keys.map(key => [key, nextId()]))
  const idOf = (key: string): OperationId | undefined => ids.get(key)
  return [...ids].map(([key, id]) => {
    const releases = (joinedPlan.releases.get(key) ?? []).flatMap(target => idOf(target) ?? [])
    const needs = joinedPlan.needs.get(key) ?? 0
    if (waitMode !== 'for waves to end') return { key, position: { id, needs, releases } }
    // A barrier that also counts failed operations is stored apart from `releases`.
    const barrier = idOf(barriers.nodeByMember.get(key) ?? '')
    const position = { id, needs: needs + (barriers.memberCounts.get(key) ?? 0), releases }
    return { key, position: barrier === undefined ? position : { ...position, barrier } }
  })
}

/** Creates the operation of a barrier or join, which makes no provider call. */
export function createJoinOperation(position: PlanPosition): Operation {
  // Each operation has a URN. This one cannot be the URN of a resource.
  const joinUrn = 'urn:pulumi:::::antichain:join::' as Operation['urn']
  return {
    ...position,
    op: 'join',
    urn: joinUrn,
    type: '',
    provider: '',
    effect: 'none',
    logical: false,
  }
}
