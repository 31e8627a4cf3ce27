import { apiLimits } from '../../config/api-limits.ts'
import {
  type DecidedOperation,
  type OperationTimes,
  timeOperation,
} from '../../engine/forecast/operation-times.ts'
import type { HistoryRecord } from '../../ports/catalog.ts'
import type { OperationId } from '../../records/ids.ts'
import { isJoinOrHook } from '../../records/operation.ts'
import type { JournalPorts } from '../compaction/fold-and-publish.ts'
import { requireLogRecords } from '../state/deployment-times.ts'
import { readRememberedOperations, type RememberedOperations } from './operation-cache.ts'

/** The operations that a reader knows, and those of them that have changed. */
export interface KnownToReader {
  /** The number of operations that the reader knows, in the order of the log. */
  readonly count: number
  /** The operations whose events report another stage than the one that the reader knows. */
  readonly ids: readonly OperationId[]
}

/** The operations that are new or may have changed, with the maximum number of concurrent calls. */
export interface ChangedOperations {
  readonly parallel: number
  readonly operations: readonly OperationTimes[]
  /** The number of operations that the reader knows with this response. */
  readonly count: number
  /** Whether there are further new operations. */
  readonly hasMore: boolean
}

/**
 * Reads four groups of operations of a deployment:
 * - those that were decided since the previous call of the reader,
 * - those whose change the reader noticed (`ids`),
 * - those that the second group released,
 * - those of default providers that are not known to have ended, because no event reports them.
 *
 * The first call for a deployment in a process reads the whole log and all heads. Later calls read
 * only new log records and the heads of these operations. Throws RECORDS_REMOVED.
 */
export async function readChangedOperations(
  ports: JournalPorts,
  record: HistoryRecord,
  { count, ids }: KnownToReader,
): Promise<ChangedOperations> {
  await requireLogRecords(ports, record)
  const known = await readRememberedOperations(ports, record)
  await known.readAllEnds({ isOver: record.result !== undefined, isRepeated: false })
  const nextCount = Math.min(known.stepIds.length, count + apiLimits.changesPerPageMax)
  const changedIds = await readWithReleased(known, ids, [
    ...known.stepIds.slice(count, nextCount),
    ...known.unreportedIds.filter(id => isOpen(known, id)),
  ])
  const summary = known.getSummary()
  const operations = [...changedIds].flatMap(id => {
    const item = known.decidedOperations.get(id)
    if (item === undefined || isJoinOrHook(item.operation)) return []
    return [timeOperation(item, known, summary)]
  })
  const hasMore = nextCount < known.stepIds.length
  return { operations, count: nextCount, hasMore, parallel: known.getParallel() }
}

/**
 * Reads the heads of `ids` and `otherIds`. Also reads the heads of the operations that `ids` have
 * released by their ends, directly or through ended joins and hooks. Stops at an open join, which
 * has released nothing yet: all later operations of the plan may wait for it. Returns the ids of
 * all these operations.
 */
async function readWithReleased(
  known: RememberedOperations,
  ids: readonly OperationId[],
  otherIds: readonly OperationId[],
): Promise<ReadonlySet<OperationId>> {
  const changedIds = new Set([...ids, ...otherIds])
  await known.readEnds(changedIds)
  let uncheckedIds = ids
  while (uncheckedIds.length > 0) {
    const endedIds = uncheckedIds.filter(id => !isOpen(known, id))
    const releasedIds = endedIds.flatMap(id => releasedIdsOf(known.decidedOperations.get(id)))
    const newIds = new Set(releasedIds.filter(id => !changedIds.has(id)))
    for (const id of newIds) changedIds.add(id)
    await known.readEnds(newIds)
    uncheckedIds = [...newIds].filter(id => isJoinOrHookId(known, id))
  }
  return changedIds
}

function isJoinOrHookId(
  { decidedOperations }: Pick<RememberedOperations, 'decidedOperations'>,
  id: OperationId,
) {
  const item = decidedOperations.get(id)
  return item !== undefined && isJoinOrHook(item.operation)
}

function releasedIdsOf(item: DecidedOperation | undefined): readonly OperationId[] {
  if (item === undefined) return []
  const { releases, barrier } = item.operation
  return barrier === undefined ? releases : [...releases, barrier]
}

function isOpen({ ends }: Pick<RememberedOperations, 'ends'>, id: OperationId): boolean {
  return ends.get(id)?.head.end === undefined
}
