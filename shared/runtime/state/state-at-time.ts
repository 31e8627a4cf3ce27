import {
  readHistory,
  findPublishedVersion,
} from '../../engine/deployment/retention/read-history-and-versions.ts'
import { readSnapshotBlob } from '../../engine/deployment/state/read-snapshot-blob.ts'
import { createLogView } from '../../engine/deployment/log/log-view.ts'
import { createError, hasCode } from '../../errors/error.ts'
import { cutTimeline, type Instant, type TimedRecord } from '../../journal/timeline.ts'
import type { HistoryRecord, PendingOperationSummary, StackRecord } from '../../ports/catalog.ts'
import { deploymentPartsOf, type EpochMs } from '../../records/ids.ts'
import type { Verdict } from '../../records/head.ts'
import type { PointInTime } from '../../records/point-in-time.ts'
import { pendingOperationsOf } from '../../state/pending.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { type JournalPorts, foldWithEnds } from '../compaction/fold-and-publish.ts'
import {
  type DeploymentTimes,
  isEdit,
  readDeploymentTimes,
  requireStackDeployment,
  type StackDeployment,
} from './deployment-times.ts'

/**
 * Returns the state of a stack at a point in time, without writing. If a deployment ran at that
 * time, folds its records. Otherwise returns the last version that was published before, or
 * undefined before the first publication. Throws MOMENT_UNKNOWN for a point in time that the stack
 * does not have, and RECORDS_REMOVED when the required records or versions were removed.
 */
export async function readStateAt(
  ports: JournalPorts,
  stack: StackRecord,
  pointInTime: PointInTime,
  now: EpochMs,
): Promise<StoredDeployment | undefined> {
  if (pointInTime.kind === 'lamport')
    return readStateDuring(
      ports,
      await requireStackDeployment(ports, stack, pointInTime.deployment),
      pointInTime,
    )
  const { timeMs: atMs } = pointInTime
  if (atMs > now) throw createError('MOMENT_UNKNOWN', `${formatTime(atMs)} is in the future`)
  if (atMs < stack.createdAt)
    throw createError(
      'MOMENT_UNKNOWN',
      `the stack was created later, at ${formatTime(stack.createdAt)}`,
    )
  for await (const record of readHistory(ports.catalog, stack.id)) {
    const { startedAt, endedAt } = record
    if (startedAt > atMs) continue
    const stackDeployment = { stack, historyRecord: record }
    if (endedAt === undefined || endedAt > atMs)
      return readStateDuring(ports, stackDeployment, pointInTime)
    return readPublishedVersion(
      ports,
      stack,
      record.version || (await findVersionBefore(ports, stackDeployment)),
    )
  }
  return undefined
}

/**
 * Returns the published version before a deployment, or 0. Deployments that published no version
 * are skipped.
 */
async function findVersionBefore(
  { catalog }: JournalPorts,
  { stack, historyRecord }: StackDeployment,
): Promise<number> {
  const { number } = deploymentPartsOf(historyRecord.deployment)
  for await (const { version = 0 } of readHistory(catalog, stack.id, number))
    if (version > 0) return version
  return 0
}

async function readStateDuring(
  ports: JournalPorts,
  stackDeployment: StackDeployment,
  instant: Instant,
): Promise<StoredDeployment | undefined> {
  const { stack, historyRecord } = stackDeployment
  const { deployment } = historyRecord
  const { number } = deploymentPartsOf(deployment)
  const readStateBefore = async (): Promise<StoredDeployment | undefined> =>
    readPublishedVersion(ports, stack, await findVersionBefore(ports, stackDeployment))
  if (isEdit(historyRecord)) {
    if (instant.kind !== 'lamport' || instant.lamport === 0) return readStateBefore()
    throw createError(
      'MOMENT_UNKNOWN',
      `deployment ${number} is an edit of the state, which has no moments`,
    )
  }
  const { view, timeline, ends } = await readDeploymentTimes(ports, historyRecord)
  const lastLamport = Math.max(
    0,
    ...timeline.flatMap(timedRecord => [timedRecord.lamport, ...lamportsOf(timedRecord)]),
  )
  if (instant.kind === 'lamport' && instant.lamport > lastLamport)
    throw createError(
      'MOMENT_UNKNOWN',
      `the last moment of deployment ${number} is ${number}:${lastLamport}`,
    )
  const partialLog = cutTimeline(timeline, id => ends.get(id), instant)
  const partialView = createLogView(partialLog.records, view.pages)
  if (partialView.pin === undefined) return readStateBefore()
  return foldWithEnds(ports, { deployment, view: partialView }, partialLog.getEnd)
}

/**
 * A moment of a deployment: of a log record, or of the end of an operation. An operation
 * without an end has the time of its begin, and the verdict `open`. `what`: the kinds of the
 * record's decisions, or the kind of the step.
 */
export interface DeploymentMoment {
  /** The argument of `stack export --at`. */
  readonly moment: string
  readonly at: EpochMs
  readonly what: string
  readonly urn?: string
  readonly verdict?: Verdict | 'open'
}

/** The timeline of one deployment in the history. */
export interface DeploymentTimeline {
  readonly record: HistoryRecord
  /**
   * In the order of the log; the operations of one record in order of time. Absent when the records
   * of the deployment were removed.
   */
  readonly moments?: readonly DeploymentMoment[]
  /**
   * Pending operations of the previous state, or of the imported one, that the state after the
   * deployment lacks.
   */
  readonly resolved: readonly PendingOperationSummary[]
}

/**
 * Returns the timeline of one deployment of a stack. Throws MOMENT_UNKNOWN when the stack has no
 * such deployment.
 */
export async function readDeploymentTimeline(
  ports: JournalPorts,
  stack: StackRecord,
  number: number,
): Promise<DeploymentTimeline> {
  const stackDeployment = await requireStackDeployment(ports, stack, number)
  const { historyRecord } = stackDeployment
  const { dropped = [] } = historyRecord
  const droppedKeys = new Set(dropped.map(summaryKeyOf))
  const resolvedOperations = await findResolvedOperations(ports, stackDeployment)
  // `dropped` comes from an imported file. If the file was exported from this stack, both lists
  // have the same operations.
  const resolved = [
    ...dropped,
    ...resolvedOperations.filter(summary => !droppedKeys.has(summaryKeyOf(summary))),
  ]
  const times = await readDeploymentTimes(ports, historyRecord).catch((thrown: unknown) => {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return undefined
    throw thrown
  })
  if (times === undefined) return { record: historyRecord, resolved }
  const moments = times.timeline.flatMap(timedRecord => momentsOf(timedRecord, times, number))
  return { record: historyRecord, moments, resolved }
}

function momentsOf(
  { record, lamport, timeMs, operations }: TimedRecord,
  { ends }: DeploymentTimes,
  number: number,
): readonly DeploymentMoment[] {
  const decisionKinds = record.decisions.map(decision =>
    decision.kind === 'phase' ? decision.phase : decision.kind,
  )
  const decisionMoment = {
    moment: `${number}:${lamport}`,
    at: timeMs,
    what: [...new Set(decisionKinds)].join(', '),
  }
  const operationMoments = operations.map(timedOperation => ({
    moment: `${number}:${timedOperation.lamport}`,
    at: timedOperation.endedAt ?? timedOperation.beganAt,
    what: timedOperation.operation.op,
    urn: timedOperation.operation.urn,
    verdict: ends.get(timedOperation.operation.id)?.head.end?.verdict ?? ('open' as const),
  }))
  return [decisionMoment, ...operationMoments.toSorted((a, b) => (a.at === b.at ? 0 : a.at - b.at))]
}

/**
 * Returns the pending operations that the previous version has and the version of the deployment
 * lacks. Returns none when one of the versions was removed.
 */
async function findResolvedOperations(
  ports: JournalPorts,
  stackDeployment: StackDeployment,
): Promise<readonly PendingOperationSummary[]> {
  const { stack, historyRecord } = stackDeployment
  const versionAfter = historyRecord.version ?? 0
  if (versionAfter === 0) return []
  const versionBefore = await findVersionBefore(ports, stackDeployment)
  if (versionAfter === versionBefore) return []
  try {
    const stateBefore = await readPublishedVersion(ports, stack, versionBefore)
    const stateAfter = await readPublishedVersion(ports, stack, versionAfter)
    const remainingKeys = new Set(pendingSummariesOf(stateAfter).map(summaryKeyOf))
    return pendingSummariesOf(stateBefore).filter(
      summary => !remainingKeys.has(summaryKeyOf(summary)),
    )
  } catch (thrown) {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return []
    throw thrown
  }
}

function summaryKeyOf({ urn, type }: PendingOperationSummary): string {
  return `${type} ${urn}`
}

function pendingSummariesOf(
  state: StoredDeployment | undefined,
): readonly PendingOperationSummary[] {
  const pending = state === undefined ? [] : pendingOperationsOf(state)
  return pending.map(({ resource, type }) => ({ urn: resource.urn, type }))
}

function lamportsOf({ operations }: TimedRecord): readonly number[] {
  return operations.map(({ lamport }) => lamport)
}

async function readPublishedVersion(
  ports: JournalPorts,
  stack: StackRecord,
  version: number,
): Promise<StoredDeployment | undefined> {
  if (version === 0) return undefined
  const publishedVersion = await findPublishedVersion(ports.catalog, stack.id, version)
  if (publishedVersion === undefined)
    throw createError('RECORDS_REMOVED', `version ${version} of the stack was removed`)
  return readSnapshotBlob(ports.blobs, publishedVersion.snapshot)
}

function formatTime(timeMs: EpochMs): string {
  return new Date(timeMs).toISOString()
}
