import {
  type DeadLetterPorts,
  listUndelivered,
} from '../../engine/deployment/recovery/list-undelivered.ts'
import {
  explainWait,
  listMissingNeeds,
  type OperationWait,
  type WaitInput,
} from '../../engine/forecast/explain-wait.ts'
import {
  findCriticalIds,
  type OperationTimes,
  stageOf,
  timeOperation,
} from '../../engine/forecast/operation-times.ts'
import type { HistoryRecord } from '../../ports/catalog.ts'
import type { ControlPort } from '../../ports/records.ts'
import type { Head, Outcome } from '../../records/head.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import { isJoinOrHook, type Operation } from '../../records/operation.ts'
import type { JournalPorts } from '../compaction/fold-and-publish.ts'
import { requireLogRecords } from '../state/deployment-times.ts'
import { readRememberedOperations, type RememberedOperations } from './operation-cache.ts'

/** A page of the operations of a deployment, with the maximum number of concurrent calls. */
export interface RecordedOperations {
  readonly parallel: number
  readonly operations: readonly OperationTimes[]
  /** The number of all operations. */
  readonly count: number
}

/**
 * Reads operations of a deployment with their times, in the order of the log. The first page reads
 * the heads of all operations that are not known to have ended. Later pages show the heads that the
 * first page read. Throws RECORDS_REMOVED.
 */
export async function readOperations(
  ports: JournalPorts,
  record: HistoryRecord,
  page: { readonly start: number; readonly limit: number },
): Promise<RecordedOperations> {
  await requireLogRecords(ports, record)
  const known = await readRememberedOperations(ports, record)
  const isFirst = page.start === 0
  await known.readAllEnds({ isOver: record.result !== undefined, isRepeated: isFirst })
  const summary = known.getSummary({ isExact: isFirst })
  const criticalIds = findCriticalIds(known, summary)
  const ids = known.stepIds.slice(page.start, page.start + page.limit)
  const operations = ids.flatMap(id => {
    const item = known.decidedOperations.get(id)
    if (item === undefined) return []
    return [{ ...timeOperation(item, known, summary), isCritical: criticalIds.has(id) }]
  })
  return { parallel: known.getParallel(), operations, count: known.stepIds.length }
}

/**
 * An attempt of an operation. `outcome`: absent while the attempt runs, and if the attempt was
 * given back or lost.
 */
export interface RecordedAttempt {
  readonly attempt: number
  readonly outcome?: Outcome
}

/** The records of one operation. `times`: absent for a hook. */
export interface OperationRecords {
  readonly operation: Operation
  readonly head: Head | undefined
  readonly times: OperationTimes | undefined
  readonly wait: OperationWait
  readonly attempts: readonly RecordedAttempt[]
}

/** The ports that read operations, and explain why those of an open deployment wait. */
export interface OperationRecordPorts extends JournalPorts, DeadLetterPorts {
  readonly control: Pick<ControlPort, 'read'>
}

/**
 * Maximum number of attempts of an operation that are read, from the last one back. Operations
 * usually have at most five.
 */
const attemptsReadMax = 50

/**
 * Reads the records of the operations of one resource. The first call for a deployment in a process
 * reads all heads. Later calls read the heads of these operations, of the operations for which they
 * wait, and of running operations. Throws RECORDS_REMOVED.
 */
export async function readOperationRecords(
  ports: OperationRecordPorts,
  record: HistoryRecord,
  urn: string,
): Promise<{ readonly parallel: number; readonly operations: readonly OperationRecords[] }> {
  const { deployment, result } = record
  await requireLogRecords(ports, record)
  const known = await readRememberedOperations(ports, record)
  const { decidedOperations, ends } = known
  const isOpen = result === undefined
  await known.readAllEnds({ isOver: !isOpen, isRepeated: false })
  const resourceOperations = (known.idsByUrn.get(urn) ?? [])
    .flatMap(id => decidedOperations.get(id) ?? [])
    .filter(({ operation }) => operation.op !== 'join')
  const runningIds = [...ends].flatMap(([id, { head }]) => (isRunning(head) ? [id] : []))
  await known.readEnds([...resourceOperations.map(({ operation }) => operation.id), ...runningIds])
  const needs = {
    getHead: (id: OperationId) => ends.get(id)?.head,
    needsOf: createNeedsOf(decidedOperations),
  }
  for (const { operation } of resourceOperations) await readMissingNeeds(known, operation, needs)
  const control = isOpen ? await ports.control.read(deployment) : undefined
  const parallel = known.getParallel()
  const input: WaitInput = {
    ...needs,
    parallel,
    running: runningIds.filter(id => isRunning(ends.get(id)?.head)).length,
    isStopped: control === undefined || control.stop !== 'none',
    deadLetterIds: new Set(isOpen ? await listUndelivered(ports, deployment) : []),
  }
  const operations = await Promise.all(
    resourceOperations.map(async (item): Promise<OperationRecords> => {
      const { operation } = item
      const head = ends.get(operation.id)?.head
      const attemptCount = head?.attempt ?? 0
      return {
        operation,
        head,
        times: isJoinOrHook(operation) ? undefined : timeOperation(item, known, known.getSummary()),
        wait: explainWait(operation, input),
        attempts: await readAttempts(ports, deployment, { operation, attemptCount }),
      }
    }),
  )
  return { parallel, operations }
}

/** Reads the heads of the operations for which an operation waits, through all joins. */
async function readMissingNeeds(
  known: RememberedOperations,
  operation: Operation,
  needs: Pick<WaitInput, 'getHead' | 'needsOf'>,
): Promise<void> {
  if (stageOf(operation, needs.getHead(operation.id)) !== 'waiting') return
  await known.readEnds(listMissingNeeds(operation, needs).map(({ id }) => id))
}

function isRunning(head: Head | undefined): boolean {
  return head !== undefined && head.owner !== '' && head.end === undefined
}

/** Creates the function that returns the operations which release an operation. */
function createNeedsOf(
  operations: RememberedOperations['decidedOperations'],
): WaitInput['needsOf'] {
  return id =>
    (operations.get(id)?.needIds ?? []).flatMap(need => operations.get(need)?.operation ?? [])
}

async function readAttempts(
  ports: Pick<JournalPorts, 'operations'>,
  deployment: DeploymentId,
  { operation, attemptCount }: { readonly operation: Operation; readonly attemptCount: number },
): Promise<readonly RecordedAttempt[]> {
  const attempts: RecordedAttempt[] = []
  const firstAttempt = Math.max(1, attemptCount - attemptsReadMax + 1)
  for (let attempt = firstAttempt; attempt <= attemptCount; attempt += 1) {
    const outcome = await ports.operations.getOutcome(deployment, operation.id, attempt)
    attempts.push({ attempt, ...(outcome === undefined ? {} : { outcome }) })
  }
  return attempts
}
