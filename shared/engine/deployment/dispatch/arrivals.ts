import type { OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'

/** A record that one operation no longer keeps another one waiting. */
export interface Arrival {
  readonly from: OperationId
  readonly to: OperationId
}

/** Returns the arrivals of a success: at all operations that wait for it, and at its barrier. */
export function arrivalsOf({ id, releases, barrier }: Operation): readonly Arrival[] {
  const to = barrier === undefined ? releases : [...releases, barrier]
  return to.map(waiter => ({ from: id, to: waiter }))
}

/**
 * Returns the arrivals of an end without success: at its barrier, and at the barriers of all
 * operations that it blocks. Blocked operations never end, so nothing else would record their
 * arrivals. Operations in `seen` are skipped and added, which keeps walks that share the set linear
 * together.
 */
export async function findBlockedArrivals(
  ended: Operation,
  find: (id: OperationId) => Promise<Operation | undefined>,
  seen: Set<OperationId> = new Set(),
): Promise<readonly Arrival[]> {
  // Apart from joins, either all operations of a plan have a barrier or none has. Without barriers
  // the walk finds nothing.
  if (ended.barrier === undefined) return []
  const arrivals: Arrival[] = []
  const open: Operation[] = [ended]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next.id)) continue
    seen.add(next.id)
    if (next.barrier !== undefined) arrivals.push({ from: next.id, to: next.barrier })
    for (const operation of await Promise.all(next.releases.map(find)))
      if (operation !== undefined) open.push(operation)
  }
  return arrivals
}
