import {
  listExecutedOperations,
  type LogView,
  readLogView,
} from '../../engine/deployment/log/log-view.ts'
import { readHistoryRecord } from '../../engine/deployment/retention/read-history-and-versions.ts'
import type { RecordedEnd } from '../../engine/deployment/ends/end-watcher.ts'
import { createError } from '../../errors/error.ts'
import { type TimedRecord, timelineOf } from '../../journal/timeline.ts'
import type { HistoryRecord, StackRecord } from '../../ports/catalog.ts'
import {
  deploymentIdOf,
  deploymentPartsOf,
  type BlobHash,
  type DeploymentId,
  type LogNumber,
  type OperationId,
} from '../../records/ids.ts'
import { type JournalPorts, readEnds } from '../compaction/fold-and-publish.ts'

/** A deployment in the history of its stack. */
export interface StackDeployment {
  readonly stack: StackRecord
  readonly historyRecord: HistoryRecord
}

/** Returns a deployment in the history of a stack. Throws MOMENT_UNKNOWN. */
export async function requireStackDeployment(
  { catalog }: JournalPorts,
  stack: StackRecord,
  number: number,
): Promise<StackDeployment> {
  const historyRecord = await readHistoryRecord(catalog, deploymentIdOf(stack.id, number))
  if (historyRecord === undefined)
    throw createError('MOMENT_UNKNOWN', `the stack has no deployment ${number}`)
  return { stack, historyRecord }
}

/** The records of a deployment with their times. */
export interface DeploymentTimes {
  readonly view: LogView
  readonly ends: ReadonlyMap<OperationId, RecordedEnd>
  readonly timeline: readonly TimedRecord[]
}

/**
 * Returns the records of a deployment with their times. Throws RECORDS_REMOVED, also when retention
 * removes them during the read.
 */
export async function readDeploymentTimes(
  ports: JournalPorts,
  historyRecord: HistoryRecord,
): Promise<DeploymentTimes> {
  const { deployment } = historyRecord
  const view = await readLogView(ports, deployment)
  const ends = await readEnds(ports, deployment, listExecutedOperations(view))
  await requireLogRecords(ports, historyRecord)
  const getPage = (hash: BlobHash) => view.pages.get(hash) ?? []
  const timeline = timelineOf({
    records: view.records,
    getPage,
    getEnd: id => ends.get(id),
  })
  return { view, ends, timeline }
}

/**
 * Requires that the log of an ended deployment still exists. An open deployment may have no
 * log, and an edit (`isEdit`) has none. Throws RECORDS_REMOVED.
 */
export async function requireLogRecords(
  ports: Pick<JournalPorts, 'decisionLog'>,
  historyRecord: HistoryRecord,
): Promise<void> {
  const { deployment, result } = historyRecord
  if (result === undefined || isEdit(historyRecord)) return
  if (await hasLogRecords(ports, deployment)) return
  throw createRemovedError(deployment)
}

function createRemovedError(deployment: DeploymentId): Error {
  const { number } = deploymentPartsOf(deployment)
  return createError('RECORDS_REMOVED', `the records of deployment ${number} were removed`)
}

/**
 * Reports whether the log of a deployment still exists. Reads only the first record, because
 * retention removes it before the others.
 */
async function hasLogRecords(
  ports: Pick<JournalPorts, 'decisionLog'>,
  deployment: DeploymentId,
): Promise<boolean> {
  return (await ports.decisionLog.read(deployment, 0 as LogNumber, 1)).length > 0
}

/**
 * Reports whether an entry of the history is an import or edit of the state, or a rename. Such a
 * deployment has no decision log, only a published version.
 */
export function isEdit({ command }: HistoryRecord): boolean {
  return ['stack import', 'stack rename', 'state'].includes(command)
}
