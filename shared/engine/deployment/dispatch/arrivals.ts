import type { OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'

/** That an operation no longer keeps another one waiting. */
export interface Arrival {
  readonly from: OperationId
  readonly to: OperationId
}

/** What a success arrives at: all that wait for it, and its barrier. */
export function arrivalsOf({ id, releases, barrier }: Operation): readonly Arrival[] {
  const to = barrier === undefined ? releases : [...releases, barrier]
  return to.map(waiter => ({ from: id, to: waiter }))
}

/**
 * What an end without success arrives at: its barrier, and for all that can no longer begin because
 * of it theirs, since nobody else will say so. Whoever needs it waits for ever. Operations in
 * `seen` are passed over, and added: walks that share it are linear together.
 */
export async function findBlockedArrivals(
  ended: Operation,
  find: (id: OperationId) => Promise<Operation | undefined>,
  seen: Set<OperationId> = new Set(),
): Promise<readonly Arrival[]> {
  // A plan has barriers everywhere, joins apart, or nowhere: then the walk is for nothing.
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
