import type { DeleteEdges } from './delete-edges.ts'

/**
 * Returns the states that are never deleted while `kept` stay: the kept ones, and all whose deletes
 * must come after theirs. Linear in the edges.
 */
export function findBlockedDeletes(
  kept: readonly number[],
  edges: DeleteEdges,
): ReadonlySet<number> {
  const blocked = new Set<number>()
  const groups = new Set<string>()
  const open = [...kept]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (blocked.has(index)) continue
    blocked.add(index)
    const released = edges.releases.get(index)
    open.push(...(released?.states ?? []))
    for (const key of released?.groups ?? []) {
      if (groups.has(key)) continue
      groups.add(key)
      open.push(...(edges.groups.get(key) ?? []))
    }
  }
  return blocked
}
