import type { OperationsPort } from '../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Urn } from '../../names/urn.ts'
import { isUnsent } from '../../records/operation.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { RecordedEnd } from './end-watcher.ts'
import { executedOperations, inBatches, type LogView } from './log-view.ts'
import { lastOperation, type Recorded, recordedOf } from './recorded.ts'
import type { Sealing } from './sealing.ts'

/** What earlier lives of a deployment left to the one that goes on with it. */
export interface LeftBehind {
  readonly recorded: Recorded
  /** Every end that stood when this life began, since the last pin. */
  readonly before: ReadonlyMap<OperationId, RecordedEnd>
  /** How many of those are joins and hooks, upon which nobody waits. */
  readonly joins: number
  /** How many had no end then. */
  readonly open: number
  /** The highest operation id so far. */
  readonly last: number
}

/** Reads what earlier lives left. */
export async function leftBehind(
  ports: { readonly operations: OperationsPort },
  deployment: DeploymentId,
  view: LogView,
): Promise<LeftBehind> {
  const before = new Map<OperationId, RecordedEnd>()
  const operations = operationsSincePin(view)
  const ids = operations.map(({ id }) => id)
  for (const batch of inBatches(ids, 500))
    for (const [id, end] of await ports.operations.ends(deployment, batch))
      if (end.head.end !== undefined) before.set(id, end)
  const open = ids.length - before.size
  const joins = operations.filter(one => isUnsent(one) && before.has(one.id)).length
  return { recorded: recordedOf(view), before, joins, open, last: lastOperation(view) }
}

/** The state of a provider that an earlier life made or changed, by its reference. */
export function providerIn(
  left: LeftBehind,
  sealing: Sealing,
): (urn: Urn, id: string) => ResourceState | undefined {
  return (urn, id) => {
    const last = left.recorded.of(urn).findLast(decision => decision.kind === 'settled')
    if (last?.kind !== 'settled' || last.state?.['id'] !== id) return undefined
    return sealing.open(last.state)
  }
}

/** The operations that executors run, decided since the last pin: those before it are folded. */
export function operationsSincePin(view: LogView): ReturnType<typeof executedOperations> {
  const since = view.pin === undefined ? 0 : view.decisions.lastIndexOf(view.pin) + 1
  return executedOperations({ ...view, decisions: view.decisions.slice(since) })
}
