import type { OperationRow, OperationState } from '../deployment/operation-row.ts'
import { createNewRow, type StateRow } from './state-resource.ts'

/** The state of a resource in an open deployment. */
export type LiveState = Exclude<OperationState, 'planned'>

/** The states in the order of a legend, with their words. */
export const liveStateLabels: readonly (readonly [LiveState, string])[] = [
  ['waiting', 'waiting'],
  ['running', 'running'],
  ['done', 'done'],
  ['failed', 'failed'],
]

/** Of several operations of a resource, the one whose state has the highest priority is shown. */
const priorities: Readonly<Record<LiveState, number>> = {
  done: 0,
  waiting: 1,
  running: 2,
  failed: 3,
}

/** Returns the states of the resources of a deployment by their URNs. Pure. */
export function combineLiveStates(
  operations: readonly Pick<OperationRow, 'urn' | 'state'>[],
): ReadonlyMap<string, LiveState> {
  const states = new Map<string, LiveState>()
  for (const { urn, state } of operations) {
    if (state === 'planned') continue
    const earlierState = states.get(urn)
    if (earlierState === undefined || priorities[state] > priorities[earlierState])
      states.set(urn, state)
  }
  return states
}

/** Returns a new row for each resource that operations name and the snapshot lacks. Pure. */
export function listNewRows(
  snapshotRows: readonly StateRow[],
  operations: readonly OperationRow[],
): readonly StateRow[] {
  const knownUrns = new Set(snapshotRows.map(({ urn }) => urn))
  return operations.flatMap(operation => {
    if (knownUrns.has(operation.urn)) return []
    knownUrns.add(operation.urn)
    return [createNewRow(operation)]
  })
}
