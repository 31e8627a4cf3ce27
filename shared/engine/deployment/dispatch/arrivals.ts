import type { OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'

/** An entry in the head of the operation `to`. It states that `to` no longer waits for `from`. */
export interface Arrival {
  readonly from: OperationId
  readonly to: OperationId
}

/**
 * Returns the arrivals of a success: at all operations that wait for the ended operation, and at
 * its barrier.
 */
export function arrivalsOf({ id, releases, barrier }: Operation): readonly Arrival[] {
  const waiterIds = barrier === undefined ? releases : [...releases, barrier]
  return waiterIds.map(to => ({ from: id, to }))
}

/**
 * Returns the arrivals of an end without success: at its barrier, and at the barriers of all
 * operations that it blocks. Blocked operations never end, so they cannot record their arrivals
 * themselves. Operations in `visitedIds` are skipped, and all visited operations are added to it.
 * Several walks with the same set thus visit each operation once.
 */
export async function findBarrierArrivals(
  endedOperation: Operation,
  find: (id: OperationId) => Promise<Operation | undefined>,
  visitedIds: Set<OperationId> = new Set(),
): Promise<readonly Arrival[]> {
  // An operation has no barrier if its plan has none, if no wave follows, or if protection blocks
  // it. In all these cases the walk would find nothing. A call with hooks has no barrier either:
  // its after hook has the barrier, and ends even if the call failed.
  if (endedOperation.barrier === undefined) return []
  const arrivals: Arrival[] = []
  const pendingOperations: Operation[] = [endedOperation]
  for (
    let current = pendingOperations.pop();
    current !== undefined;
    current = pendingOperations.pop()
  ) {
    if (visitedIds.has(current.id)) continue
    visitedIds.add(current.id)
    if (current.barrier !== undefined) arrivals.push({ from: current.id, to: current.barrier })
    for (const operation of await Promise.all(current.releases.map(find)))
      if (operation !== undefined) pendingOperations.push(operation)
  }
  return arrivals
}
