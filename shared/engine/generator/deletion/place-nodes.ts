import type { OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import type { PlanPlace } from '../../deployment/state/operations.ts'
import type { Barriers } from '../../graph/barriers.ts'
import { type PlanNode, insertJoins } from '../../graph/joins.ts'

/**
 * What an operation of a plan waits for besides what must precede it: nothing, that the wave before
 * its own is done whole, or that it is over.
 */
export type PlanWait = 'for dependents' | 'for whole waves' | 'for waves to end'

/** A node of a plan with its place in it. */
export interface PlacedNode {
  readonly key: string
  readonly place: PlanPlace
}

/**
 * Gives each node of a plan, each barrier and each join that is needed an id, in this order, with
 * what it needs and releases. `nodes`: the plan without its barriers.
 */
export function placeNodes(
  nodes: readonly PlanNode[],
  options: {
    readonly barriers: Barriers
    readonly waiting: PlanWait
    readonly nextId: () => OperationId
  },
): readonly PlacedNode[] {
  const { barriers, waiting, nextId } = options
  const counting = nodes.map(node => {
    const barrier = waiting === 'for whole waves' ? barriers.of.get(node.key) : undefined
    return barrier === undefined ? node : { ...node, releases: [...node.releases, barrier] }
  })
  const joined = insertJoins([...counting, ...barriers.nodes])
  const keys = [...[...nodes, ...barriers.nodes].map(({ key }) => key), ...joined.joins]
  const ids = new Map<string, OperationId>(keys.map(key => [key, nextId()]))
  const idOf = (key: string): OperationId | undefined => ids.get(key)
  return [...ids].map(([key, id]) => {
    const releases = (joined.releases.get(key) ?? []).flatMap(target => idOf(target) ?? [])
    const needs = joined.needs.get(key) ?? 0
    if (waiting !== 'for waves to end') return { key, place: { id, needs, releases } }
    // A barrier that is to open after failures too is no release: it is counted for apart.
    const barrier = idOf(barriers.of.get(key) ?? '')
    const place = { id, needs: needs + (barriers.counts.get(key) ?? 0), releases }
    return { key, place: barrier === undefined ? place : { ...place, barrier } }
  })
}

/** The operation of a barrier or join: it has no provider call. */
export function createJoinOperation(place: PlanPlace): Operation {
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
