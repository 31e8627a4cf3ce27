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

/**
 * A barrier after each wave but the last: it releases the whole next wave. Members count for a part
 * of at most 32, and the parts are nodes that precede the barrier; those of `uncounted` are not
 * waited for. No barrier opens before the one
 * in front of it: whatever is in a wave has a dependent in the one before, so that a wave of which
 * nothing can begin has only such waves after it.
 */
export function barriersBetween(
  waves: readonly (readonly string[])[],
  uncounted: ReadonlySet<string> = new Set(),
): Barriers {
  const nodes: PlanNode[] = []
  const of = new Map<string, string>()
  const counts = new Map<string, number>()
  const count = (members: readonly string[], node: string): void => {
    for (const member of members) of.set(member, node)
    counts.set(node, members.length)
  }
  waves.slice(0, -1).forEach((wave, at) => {
    const barrier = `wave:${at}`
    const counted = wave.filter(member => !uncounted.has(member))
    // Then nothing behind it is ever deleted.
    if (counted.length === 0) return
    nodes.push({ key: barrier, releases: waves[at + 1] ?? [] })
    if (counted.length <= widthMax) return count(counted, barrier)
    for (let part = 0; part * widthMax < counted.length; part++) {
      const key = `${barrier}:${part}`
      nodes.push({ key, releases: [barrier] })
      count(counted.slice(part * widthMax, (part + 1) * widthMax), key)
    }
  })
  return { nodes, of, counts }
}
