import type { OperationsPort } from '../../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import type { Urn } from '../../../names/urn.ts'
import { isUnsent } from '../../../records/operation.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { RecordedEnd } from '../ends/end-watcher.ts'
import { listExecutedOperations, toIdBatches, type LogView } from './log-view.ts'
import { lastOperationIdOf, type DecisionIndex, createDecisionIndex } from './decision-index.ts'
import type { Sealing } from '../state/state-sealing.ts'

/** What earlier lives of a deployment left to the one that goes on with it. */
export interface EarlierRuns {
  readonly recorded: DecisionIndex
  /** Every end that stood when this life began, since the last pin. */
  readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
  /** How many of those are joins and hooks, upon which nobody waits. */
  readonly joinCount: number
  /** How many had no end then. */
  readonly openCount: number
  /** The highest operation id so far. */
  readonly lastOperationId: number
}

/** Reads what earlier lives left. */
export async function readEarlierRuns(
  ports: { readonly operations: OperationsPort },
  deployment: DeploymentId,
  view: LogView,
): Promise<EarlierRuns> {
  const earlierEnds = new Map<OperationId, RecordedEnd>()
  const operations = listOperationsSincePin(view)
  const ids = operations.map(({ id }) => id)
  for (const batch of toIdBatches(ids, 500))
    for (const [id, end] of await ports.operations.getEnds(deployment, batch))
      if (end.head.end !== undefined) earlierEnds.set(id, end)
  const openCount = ids.length - earlierEnds.size
  const joinCount = operations.filter(one => isUnsent(one) && earlierEnds.has(one.id)).length
  return {
    recorded: createDecisionIndex(view),
    earlierEnds,
    joinCount,
    openCount,
    lastOperationId: lastOperationIdOf(view),
  }
}

/** The state of a provider that an earlier life made or changed, by its reference. */
export function createProviderLookup(
  earlier: EarlierRuns,
  sealing: Sealing,
): (urn: Urn, id: string) => ResourceState | undefined {
  return (urn, id) => {
    const last = earlier.recorded.decisionsOf(urn).findLast(decision => decision.kind === 'settled')
    if (last?.kind !== 'settled' || last.state?.['id'] !== id) return undefined
    return sealing.open(last.state)
  }
}

/** The operations that executors run, decided since the last pin: those before it are folded. */
export function listOperationsSincePin(view: LogView): ReturnType<typeof listExecutedOperations> {
  const since = view.pin === undefined ? 0 : view.decisions.lastIndexOf(view.pin) + 1
  return listExecutedOperations({ ...view, decisions: view.decisions.slice(since) })
}
