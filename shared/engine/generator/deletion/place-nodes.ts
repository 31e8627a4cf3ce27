import type { OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import type { PlanPlace } from '../../deployment/state/operations.ts'
import type { Barriers } from '../../graph/barriers.ts'
import { type PlanNode, insertJoins } from '../../graph/joins.ts'

/**
 * The condition that an operation of a plan waits for besides its dependents. It is none, the
 * success of the whole previous wave, or the end of that wave.
 */
export type PlanWait = 'for dependents' | 'for whole waves' | 'for waves to end'

/** A node of a plan with its place. */
export interface PlacedNode {
  readonly key: string
  readonly place: PlanPlace
}

/**
 * Gives an id to each node of a plan, each barrier and each needed join, in this order, with its
 * needs and releases. `nodes`: the plan without its barriers.
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
    // A barrier that opens after failures too is no release: it is counted separately.
    const barrier = idOf(barriers.of.get(key) ?? '')
    const place = { id, needs: needs + (barriers.counts.get(key) ?? 0), releases }
    return { key, place: barrier === undefined ? place : { ...place, barrier } }
  })
}

/** Creates the operation of a barrier or join: it has no provider call. */
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
