import type { DeleteEdges } from './delete-edges.ts'

/**
 * What is never deleted while `kept` stay: they themselves, and everything that can go only after
 * them. Linear in the edges.
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
