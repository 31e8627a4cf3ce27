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
 * A barrier after each wave but the last: it releases the whole next wave, and the next barrier,
 * which else would open too early where nothing of its wave can begin. Members count for a part of
 * at most 32, and the parts are nodes that precede the barrier; those of `uncounted` are not waited
 * for.
 */
export function createBarriers(
  waves: readonly (readonly string[])[],
  uncounted: ReadonlySet<string> = new Set(),
): Barriers {
  const nodes: PlanNode[] = []
  let last: string[] | undefined
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
    last?.push(barrier)
    last = [...(waves[at + 1] ?? [])]
    nodes.push({ key: barrier, releases: last })
    // One more for the barrier before.
    if (counted.length < widthMax) return count(counted, barrier)
    for (let part = 0; part * widthMax < counted.length; part++) {
      const key = `${barrier}:${part}`
      nodes.push({ key, releases: [barrier] })
      count(counted.slice(part * widthMax, (part + 1) * widthMax), key)
    }
  })
  return { nodes, of, counts }
}

/**
 * A wave in parts of at most `width` members that are waited for; those that are not go with the
 * first, for a part without any other would open nothing. Pure.
 */
export function sliceWave(
  wave: readonly string[],
  width: number,
  uncounted: ReadonlySet<string> = new Set(),
): readonly (readonly string[])[] {
  const counted = wave.filter(member => !uncounted.has(member))
  if (counted.length <= width) return [wave]
  const first = [...wave.filter(member => uncounted.has(member)), ...counted.slice(0, width)]
  const others: string[][] = []
  for (let at = width; at < counted.length; at += width) others.push(counted.slice(at, at + width))
  return [first, ...others]
}
