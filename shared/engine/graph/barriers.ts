import { limits } from '../../config/limits.ts'
import type { PlanNode } from './joins.ts'

const { edgesPerOperationMax } = limits

/** Barriers between waves, as nodes of a plan. The members of a wave are the keys of its steps. */
export interface Barriers {
  /** One node for each barrier between two waves, and one for each part of a wide wave. */
  readonly nodes: readonly PlanNode[]
  /** The node that counts a member, by the key of the member. */
  readonly nodeByMember: ReadonlyMap<string, string>
  /** The number of members that a node counts, by the key of the node. */
  readonly memberCounts: ReadonlyMap<string, number>
}

/**
 * Creates a barrier after each wave except the last, and except waves that protection blocks
 * completely. A barrier releases all members of the next wave, and the next barrier. Without the
 * second release, the next barrier would be ready too early if a failure blocks all members that it
 * counts. A wide wave has parts. Each part is a node that counts at most 32 members, and releases
 * the barrier of the wave. Barriers do not wait for `uncountedMembers`, which protection blocks.
 */
export function createBarriers(
  waves: readonly (readonly string[])[],
  uncountedMembers: ReadonlySet<string> = new Set(),
): Barriers {
  const nodes: PlanNode[] = []
  let previousReleases: string[] | undefined
  const nodeByMember = new Map<string, string>()
  const memberCounts = new Map<string, number>()
  const assignMembers = (members: readonly string[], node: string): void => {
    for (const member of members) nodeByMember.set(member, node)
    memberCounts.set(node, members.length)
  }
  waves.slice(0, -1).forEach((wave, index) => {
    const barrier = `wave:${index}`
    const countedMembers = wave.filter(member => !uncountedMembers.has(member))
    // A wave without counted members is blocked completely, and so are all later waves.
    if (countedMembers.length === 0) return
    previousReleases?.push(barrier)
    previousReleases = [...(waves[index + 1] ?? [])]
    nodes.push({ key: barrier, releases: previousReleases })
    // Besides the counted members, the barrier needs the barrier of the previous wave.
    if (countedMembers.length < edgesPerOperationMax) return assignMembers(countedMembers, barrier)
    for (let part = 0; part * edgesPerOperationMax < countedMembers.length; part++) {
      const key = `${barrier}:${part}`
      nodes.push({ key, releases: [barrier] })
      assignMembers(
        countedMembers.slice(part * edgesPerOperationMax, (part + 1) * edgesPerOperationMax),
        key,
      )
    }
  })
  return { nodes, nodeByMember, memberCounts }
}

/**
 * Splits a wave into narrower waves of at most `membersMax` counted members. Uncounted members go
 * into the first of these, because a wave without counted members has no barrier. Pure.
 */
export function sliceWave(
  wave: readonly string[],
  membersMax: number,
  uncountedMembers: ReadonlySet<string> = new Set(),
): readonly (readonly string[])[] {
  const countedMembers = wave.filter(member => !uncountedMembers.has(member))
  if (countedMembers.length <= membersMax) return [wave]
  const firstWave = [
    ...wave.filter(member => uncountedMembers.has(member)),
    ...countedMembers.slice(0, membersMax),
  ]
  const otherWaves: string[][] = []
  for (let start = membersMax; start < countedMembers.length; start += membersMax)
    otherWaves.push(countedMembers.slice(start, start + membersMax))
  return [firstWave, ...otherWaves]
}
