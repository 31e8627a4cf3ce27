import { limits } from '../../../config/limits.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import type { Urn } from '../../../names/urn.ts'
import { isJoinOrHook } from '../../../records/operation.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { RecordedEnd } from '../ends/end-watcher.ts'
import { listExecutedOperations, toIdBatches, type LogView } from './log-view.ts'
import { lastOperationIdOf, type DecisionIndex, createDecisionIndex } from './decision-index.ts'
import type { Sealing } from '../state/state-sealing.ts'

/** The results of a deployment's earlier generator runs. */
export interface EarlierRuns {
  readonly earlierDecisions: DecisionIndex
  /**
   * The ends of operations since the last pin that were recorded before this generator run began.
   */
  readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
  /** Number of ends in `earlierEnds` that belong to joins and hooks, which are never awaited. */
  readonly joinAndHookCount: number
  /** Number of operations since the last pin that had no end when this generator run began. */
  readonly unfinishedCount: number
  /** The operations that were running when this generator run began. */
  readonly runningIds: readonly OperationId[]
  /** The highest operation id in the log. 0 without operations. */
  readonly lastOperationId: number
}

/** Reads the results of earlier generator runs. */
export async function readEarlierRuns(
  ports: { readonly operations: OperationsPort },
  deployment: DeploymentId,
  view: LogView,
): Promise<EarlierRuns> {
  const earlierEnds = new Map<OperationId, RecordedEnd>()
  const runningIds: OperationId[] = []
  const operations = listOperationsSincePin(view)
  const ids = operations.map(({ id }) => id)
  for (const batch of toIdBatches(ids, limits.idsPerReadMax))
    for (const [id, end] of await ports.operations.getEnds(deployment, batch))
      if (end.head.end !== undefined) earlierEnds.set(id, end)
      else if (end.head.owner !== '') runningIds.push(id)
  const unfinishedCount = ids.length - earlierEnds.size
  const joinAndHookCount = operations.filter(
    operation => isJoinOrHook(operation) && earlierEnds.has(operation.id),
  ).length
  return {
    earlierDecisions: createDecisionIndex(view),
    earlierEnds,
    joinAndHookCount,
    unfinishedCount,
    runningIds,
    lastOperationId: lastOperationIdOf(view),
  }
}

/**
 * Returns a lookup of the provider states that earlier generator runs settled, by URN and id. Its
 * result is undefined if the last settled state of the URN has another id.
 */
export function createProviderLookup(
  earlierRuns: EarlierRuns,
  sealing: Sealing,
): (urn: Urn, id: string) => ResourceState | undefined {
  return (urn, id) => {
    const lastDecision = earlierRuns.earlierDecisions
      .decisionsOf(urn)
      .findLast(decision => decision.kind === 'settled')
    if (lastDecision?.kind !== 'settled' || lastDecision.state?.['id'] !== id) return undefined
    return sealing.open(lastDecision.state)
  }
}

/**
 * Returns the operations since the last pin that can have heads. The base has the results of
 * earlier operations.
 */
export function listOperationsSincePin(view: LogView): ReturnType<typeof listExecutedOperations> {
  const firstIndex = view.pin === undefined ? 0 : view.decisions.lastIndexOf(view.pin) + 1
  return listExecutedOperations({ ...view, decisions: view.decisions.slice(firstIndex) })
}
