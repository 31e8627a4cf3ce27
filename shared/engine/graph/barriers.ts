import { type PlanNode, widthMax } from './joins.ts'

/** Barriers between waves, as nodes of a plan. */
export interface Barriers {
  /** One for each end of a wave, and its parts where the wave is wide. */
  readonly nodes: readonly PlanNode[]
  /** By member of a wave: the node that it counts for. */
  readonly of: ReadonlyMap<string, string>
  /** By node: how many members count for it. */
  readonly counts: ReadonlyMap<string, number>
}

/** One place is left for the barrier before. */
const partMax = widthMax - 1

/**
 * A barrier after each wave but the last: it releases the whole next wave, and the barrier after
 * that one, so that no wave is over before the one in front of it. Members count for a part of at
 * most 31, and the parts are nodes that precede the barrier.
 */
export function barriersBetween(waves: readonly (readonly string[])[]): Barriers {
  const nodes: PlanNode[] = []
  const of = new Map<string, string>()
  const counts = new Map<string, number>()
  const count = (members: readonly string[], node: string): void => {
    for (const member of members) of.set(member, node)
    counts.set(node, members.length)
  }
  waves.slice(0, -1).forEach((wave, at) => {
    const barrier = `wave:${at}`
    const isLast = at === waves.length - 2
    const releases = [...(waves[at + 1] ?? []), ...(isLast ? [] : [`wave:${at + 1}`])]
    nodes.push({ key: barrier, releases })
    if (wave.length <= partMax) return count(wave, barrier)
    for (let part = 0; part * partMax < wave.length; part++) {
      const key = `${barrier}:${part}`
      nodes.push({ key, releases: [barrier] })
      count(wave.slice(part * partMax, (part + 1) * partMax), key)
    }
  })
  return { nodes, of, counts }
}
