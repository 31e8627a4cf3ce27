import { type PlanNode, widthMax } from './joins.ts'

/** Barriers between waves, as nodes of a plan. */
export interface Barriers {
  /** One node for each end of a wave, and one for each part of a wide wave. */
  readonly nodes: readonly PlanNode[]
  /** By member of a wave: the node that counts it. */
  readonly of: ReadonlyMap<string, string>
  /** By node: the number of members that it counts. */
  readonly counts: ReadonlyMap<string, number>
}

/**
 * Creates a barrier after each wave but the last. A barrier releases the whole next wave and the
 * next barrier. Without the latter, that barrier would open too early when nothing of its wave can
 * begin. A part counts at most 32 members, and the parts are nodes before the barrier. The members
 * in `uncounted` are not waited for.
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
    // Without counted members, nothing behind the barrier is ever deleted.
    if (counted.length === 0) return
    last?.push(barrier)
    last = [...(waves[at + 1] ?? [])]
    nodes.push({ key: barrier, releases: last })
    // The barrier of the previous wave needs one more place.
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
 * Splits a wave into parts of at most `width` counted members. Uncounted members go into the first
 * part, because a part without counted members would release nothing. Pure.
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
