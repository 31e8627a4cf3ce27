import { listExecutedOperations } from '../../engine/deployment/log/log-view.ts'
import {
  type DeadLetterPorts,
  listUndelivered,
} from '../../engine/deployment/recovery/list-undelivered.ts'
import { createWaitExplanation, type OperationWait } from '../../engine/forecast/explain-wait.ts'
import { listOperationTimes, type OperationTimes } from '../../engine/forecast/operation-times.ts'
import type { HistoryRecord } from '../../ports/catalog.ts'
import type { ControlPort } from '../../ports/records.ts'
import type { Head, Outcome } from '../../records/head.ts'
import type { DeploymentId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { CompactionPorts } from '../compaction/fold-and-publish.ts'
import { type DeploymentTimes, readDeploymentTimes } from '../state/deployment-times.ts'

/** The operations of a deployment, with the maximum number of concurrent provider calls. */
export interface RecordedOperations {
  readonly parallel: number
  readonly operations: readonly OperationTimes[]
}

/** Reads the operations of a deployment with their times. Throws RECORDS_REMOVED. */
export async function readOperations(
  ports: CompactionPorts,
  record: HistoryRecord,
): Promise<RecordedOperations> {
  return toRecordedOperations(await readDeploymentTimes(ports, record), record)
}

/** An attempt of an operation. `outcome`: absent while it runs, and if it was given back or lost. */
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

/** The ports that also explain why operations of an open deployment wait. */
export interface OperationRecordPorts extends CompactionPorts, DeadLetterPorts {
  readonly control: Pick<ControlPort, 'read'>
}

/** The last attempts of an operation that are read. Five is the usual maximum. */
const attemptsReadMax = 50

/** Reads the records of the operations of one resource. Throws RECORDS_REMOVED. */
export async function readOperationRecords(
  ports: OperationRecordPorts,
  record: HistoryRecord,
  urn: string,
): Promise<{ readonly parallel: number; readonly operations: readonly OperationRecords[] }> {
  const { deployment, result } = record
  const times = await readDeploymentTimes(ports, record)
  const { parallel, operations } = toRecordedOperations(times, record)
  const isOpen = result === undefined
  const control = isOpen ? await ports.control.read(deployment) : undefined
  const undeliveredIds = isOpen ? await listUndelivered(ports, deployment) : []
  const executed = listExecutedOperations(times.view)
  const explainWait = createWaitExplanation({
    operations: executed,
    getHead: id => times.ends.get(id)?.head,
    parallel,
    isStopped: control === undefined || control.stop !== 'none',
    deadLetterIds: new Set(undeliveredIds),
  })
  const timesById = new Map(operations.map(item => [item.operation.id, item]))
  const ofResource = executed.filter(operation => operation.urn === urn && operation.op !== 'join')
  const records = await Promise.all(
    ofResource.map(async (operation): Promise<OperationRecords> => {
      const head = times.ends.get(operation.id)?.head
      return {
        operation,
        head,
        times: timesById.get(operation.id),
        wait: explainWait(operation),
        attempts: await readAttempts(ports, deployment, {
          operation,
          attemptCount: head?.attempt ?? 0,
        }),
      }
    }),
  )
  return { parallel, operations: records }
}

function toRecordedOperations(
  { view, timeline, ends }: DeploymentTimes,
  record: HistoryRecord,
): RecordedOperations {
  const parallel = view.pin?.options.parallel ?? 1
  const operations = listOperationTimes({
    timeline,
    getEnd: id => ends.get(id),
    startedMs: record.startedAt,
    endedMs: record.endedAt ?? timeline.at(-1)?.timeMs ?? record.startedAt,
    parallel,
  })
  return { parallel, operations }
}

async function readAttempts(
  ports: Pick<CompactionPorts, 'operations'>,
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
