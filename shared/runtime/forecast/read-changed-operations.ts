import { apiLimits } from '../../config/api-limits.ts'
import {
  type DecidedOperation,
  type OperationTimes,
  timeOperation,
} from '../../engine/forecast/operation-times.ts'
import type { HistoryRecord } from '../../ports/catalog.ts'
import type { OperationId } from '../../records/ids.ts'
import { isJoinOrHook } from '../../records/operation.ts'
import type { CompactionPorts } from '../compaction/fold-and-publish.ts'
import { requireRecords } from '../state/deployment-times.ts'
import { readRememberedOperations, type RememberedOperations } from './operation-cache.ts'

/** The operations that a reader knows, and those of them that have changed. */
export interface KnownToReader {
  /** The number of operations that the reader knows, in the order of the log. */
  readonly count: number
  /** The operations that events report in another stage than the reader knows. */
  readonly ids: readonly OperationId[]
}

/** The operations that are new or may have changed. */
export interface ChangedOperations {
  readonly parallel: number
  readonly operations: readonly OperationTimes[]
  /** The number of operations that the reader knows with this response. */
  readonly count: number
  /** Whether there are further new operations. */
  readonly hasMore: boolean
}

/**
 * Reads the operations of a deployment that were decided since a reader read them, those whose
 * change it noticed, and those that they released. Apart from the first call for a deployment in a
 * process, it reads only new log records and the heads of these operations. Throws RECORDS_REMOVED.
 */
export async function readChangedOperations(
  ports: CompactionPorts,
  record: HistoryRecord,
  { count, ids }: KnownToReader,
): Promise<ChangedOperations> {
  await requireRecords(ports, record)
  const known = await readRememberedOperations(ports, record)
  await known.readAllEnds({ isOver: record.result !== undefined, isRepeated: false })
  const nextCount = Math.min(known.stepIds.length, count + apiLimits.changesPerPageMax)
  const changedIds = new Set(known.stepIds.slice(count, nextCount))
  for (const id of ids) addWithReleased(known, id, changedIds)
  for (const id of known.silentIds) if (isOpen(known, id)) changedIds.add(id)
  await known.readEnds(changedIds)
  const summary = known.getSummary()
  const operations = [...changedIds].flatMap(id => {
    const item = known.decided.get(id)
    if (item === undefined || isJoinOrHook(item.operation)) return []
    return [timeOperation(item, known, summary)]
  })
  const hasMore = nextCount < known.stepIds.length
  return { operations, count: nextCount, hasMore, parallel: known.getParallel() }
}

/** Adds an operation and those that it releases, also through joins. */
function addWithReleased(
  { decided }: Pick<RememberedOperations, 'decided'>,
  firstId: OperationId,
  ids: Set<OperationId>,
): void {
  ids.add(firstId)
  const waiting = [...releasedIdsOf(decided.get(firstId))]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (ids.has(id)) continue
    ids.add(id)
    const item = decided.get(id)
    if (item !== undefined && isJoinOrHook(item.operation)) waiting.push(...releasedIdsOf(item))
  }
}

function releasedIdsOf(item: DecidedOperation | undefined): readonly OperationId[] {
  if (item === undefined) return []
  const { releases, barrier } = item.operation
  return barrier === undefined ? releases : [...releases, barrier]
}

function isOpen({ ends }: Pick<RememberedOperations, 'ends'>, id: OperationId): boolean {
  return ends.get(id)?.head.end === undefined
}
