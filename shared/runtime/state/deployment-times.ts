import {
  listExecutedOperations,
  type LogView,
  readLogView,
} from '../../engine/deployment/log/log-view.ts'
import { readHistoryRecord } from '../../engine/deployment/retention/history-and-versions.ts'
import type { RecordedEnd } from '../../engine/deployment/ends/end-watcher.ts'
import { error } from '../../errors/error.ts'
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
import { type CompactionPorts, readEnds } from '../compaction/fold-and-publish.ts'

/** A deployment in the history of its stack. */
export interface StackDeployment {
  readonly stack: StackRecord
  readonly record: HistoryRecord
}

/** Returns a deployment in the history of a stack. Throws MOMENT_UNKNOWN. */
export async function requireStackDeployment(
  { catalog }: CompactionPorts,
  stack: StackRecord,
  number: number,
): Promise<StackDeployment> {
  const record = await readHistoryRecord(catalog, deploymentIdOf(stack.id, number))
  if (record === undefined) throw error('MOMENT_UNKNOWN', `the stack has no deployment ${number}`)
  return { stack, record }
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
  ports: CompactionPorts,
  record: HistoryRecord,
): Promise<DeploymentTimes> {
  const { deployment } = record
  const view = await readLogView(ports, deployment)
  const ends = await readEnds(ports, deployment, listExecutedOperations(view))
  await requireRecords(ports, record)
  const getPage = (hash: BlobHash) => view.pages.get(hash) ?? []
  const timeline = timelineOf({
    records: view.records,
    getPage,
    getEnd: id => ends.get(id),
  })
  return { view, ends, timeline }
}

/**
 * Requires that the records of an ended deployment still exist. An open deployment, an import and
 * an edit may have none. Throws RECORDS_REMOVED.
 */
export async function requireRecords(
  ports: Pick<CompactionPorts, 'decisionLog'>,
  record: HistoryRecord,
): Promise<void> {
  const { deployment, result } = record
  if (result === undefined || isEdit(record) || (await hasRecords(ports, deployment))) return
  throw createRemovedError(deployment)
}

function createRemovedError(deployment: DeploymentId): Error {
  const { number } = deploymentPartsOf(deployment)
  return error('RECORDS_REMOVED', `the records of deployment ${number} were removed`)
}

/**
 * Reports whether the records of a deployment still exist. Reads only the first record, because
 * retention removes it before the others.
 */
async function hasRecords(
  ports: Pick<CompactionPorts, 'decisionLog'>,
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
