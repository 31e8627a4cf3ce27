import type { DeleteEdges } from './delete-edges.ts'

/**
 * Returns the indices of states that are never deleted while the states `keptIndices` stay. These
 * are the kept states, and every state whose delete waits for one of their deletes, directly or
 * through other deletes. Linear in the edges.
 */
export function findBlockedDeletes(
  keptIndices: readonly number[],
  edges: DeleteEdges,
): ReadonlySet<number> {
  const blockedIndices = new Set<number>()
  const visitedGroups = new Set<string>()
  const pendingIndices = [...keptIndices]
  for (let index = pendingIndices.pop(); index !== undefined; index = pendingIndices.pop()) {
    if (blockedIndices.has(index)) continue
    blockedIndices.add(index)
    const releases = edges.releases.get(index)
    pendingIndices.push(...(releases?.states ?? []))
    const pendingGroups = [...(releases?.groups ?? [])]
    for (let key = pendingGroups.pop(); key !== undefined; key = pendingGroups.pop()) {
      if (visitedGroups.has(key)) continue
      visitedGroups.add(key)
      const group = edges.groups.get(key)
      pendingIndices.push(...(group?.states ?? []))
      pendingGroups.push(...(group?.groups ?? []))
    }
  }
  return blockedIndices
}
