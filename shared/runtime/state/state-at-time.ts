import {
  readHistoryLine,
  readHistory,
  findPublishedVersion,
} from '../../engine/deployment/retention/stack-history.ts'
import { readSnapshotBlob } from '../../engine/deployment/state/snapshot-blob.ts'
import {
  listExecutedOperations,
  type LogView,
  readLogView,
  createLogView,
} from '../../engine/deployment/log/log-view.ts'
import type { RecordedEnd } from '../../engine/deployment/ends/end-watcher.ts'
import { error, hasCode } from '../../errors/error.ts'
import { cutTimeline, type Instant, type TimedRecord, timelineOf } from '../../journal/timeline.ts'
import type { HistoryRecord, PendingNote, StackRecord } from '../../ports/catalog.ts'
import {
  deploymentIdOf,
  deploymentPartsOf,
  type BlobHash,
  type DeploymentId,
  type EpochMs,
  type LogNumber,
  type OperationId,
} from '../../records/ids.ts'
import type { Verdict } from '../../records/head.ts'
import type { PointInTime } from '../../records/point-in-time.ts'
import { pendingOf } from '../../state/pending.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { type CompactionPorts, readEnds, foldWithEnds } from '../compaction/fold-and-publish.ts'

/**
 * Returns the state of a stack at a point in time, without writing. It is folded from the records
 * of the deployment that ran then, or else is the version published before. Undefined before the
 * first publication. Throws MOMENT_UNKNOWN for a point in time that the stack does not have, and
 * RECORDS_REMOVED.
 */
export async function readStateAt(
  ports: CompactionPorts,
  stack: StackRecord,
  moment: PointInTime,
  now: EpochMs,
): Promise<StoredDeployment | undefined> {
  if (moment.kind === 'lamport')
    return readStateDuring(
      ports,
      await requireHistoryPlace(ports, stack, moment.deployment),
      moment,
    )
  const { at } = moment
  if (at > now) throw error('MOMENT_UNKNOWN', `${formatTime(at)} is in the future`)
  if (at < stack.createdAt)
    throw error('MOMENT_UNKNOWN', `the stack was created later, at ${formatTime(stack.createdAt)}`)
  for await (const record of readHistory(ports.catalog, stack.id)) {
    const { startedAt, endedAt } = record
    if (startedAt > at) continue
    const place = { stack, record }
    if (endedAt === undefined || endedAt > at) return readStateDuring(ports, place, moment)
    return readPublishedVersion(
      ports,
      stack,
      record.version || (await findVersionBefore(ports, place)),
    )
  }
  return undefined
}

/** A deployment in the history of its stack. */
interface HistoryPlace {
  readonly stack: StackRecord
  readonly record: HistoryRecord
}

async function requireHistoryPlace(
  { catalog }: CompactionPorts,
  stack: StackRecord,
  number: number,
): Promise<HistoryPlace> {
  const record = await readHistoryLine(catalog, deploymentIdOf(stack.id, number))
  if (record === undefined) throw error('MOMENT_UNKNOWN', `the stack has no deployment ${number}`)
  return { stack, record }
}

/** Returns the version before a deployment. A deployment without decisions published none. */
async function findVersionBefore(
  { catalog }: CompactionPorts,
  { stack, record }: HistoryPlace,
): Promise<number> {
  const { number } = deploymentPartsOf(record.deployment)
  for await (const { version = 0 } of readHistory(catalog, stack.id, number))
    if (version > 0) return version
  return 0
}

async function readStateDuring(
  ports: CompactionPorts,
  place: HistoryPlace,
  instant: Instant,
): Promise<StoredDeployment | undefined> {
  const { stack, record } = place
  const { deployment } = record
  const readEarlier = async (): Promise<StoredDeployment | undefined> =>
    readPublishedVersion(ports, stack, await findVersionBefore(ports, place))
  if (isEdit(record)) return readEarlier()
  const { view, timeline, ends } = await readTimes(ports, record)
  const last = Math.max(0, ...timeline.flatMap(one => [one.lamport, ...lamportsOf(one)]))
  if (instant.kind === 'lamport' && instant.lamport > last)
    throw error(
      'MOMENT_UNKNOWN',
      `the last point in time of deployment ${deploymentPartsOf(deployment).number} is ${last}`,
    )
  const cut = cutTimeline(timeline, id => ends.get(id), instant)
  const cutView = createLogView(cut.records, view.pages)
  if (cutView.pin === undefined) return readEarlier()
  return foldWithEnds(ports, { deployment, view: cutView }, cut.getEnd)
}

/** The records of a deployment with their times. */
interface DeploymentTimes {
  readonly view: LogView
  readonly ends: ReadonlyMap<OperationId, RecordedEnd>
  readonly timeline: readonly TimedRecord[]
}

/**
 * Returns the records of a deployment with their times. Throws RECORDS_REMOVED, also when retention
 * removes them during the read.
 */
async function readTimes(ports: CompactionPorts, record: HistoryRecord): Promise<DeploymentTimes> {
  const { deployment, result } = record
  const view = await readLogView(ports, deployment)
  const ends = await readEnds(ports, deployment, listExecutedOperations(view))
  const isOver = result !== undefined && !isEdit(record)
  if (isOver && (view.records.length === 0 || !(await hasRecords(ports, deployment))))
    throw error(
      'RECORDS_REMOVED',
      `the records of deployment ${deploymentPartsOf(deployment).number} were removed`,
    )
  const operationsOf = (hash: BlobHash) => view.pages.get(hash) ?? []
  const timeline = timelineOf({
    records: view.records,
    getPage: operationsOf,
    getEnd: id => ends.get(id),
  })
  return { view, ends, timeline }
}

/** A point in time of a deployment, at which a decision was made or an operation ended. */
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
  /** In order of Lamport time. Absent when its records were removed. */
  readonly moments?: readonly DeploymentMoment[]
  /**
   * Pending operations of the previous or the imported state that are not in the state after it.
   */
  readonly settled: readonly PendingNote[]
}

/**
 * Returns the timeline of one deployment of a stack. Throws MOMENT_UNKNOWN when the stack has no
 * such deployment.
 */
export async function readDeploymentTimeline(
  ports: CompactionPorts,
  stack: StackRecord,
  number: number,
): Promise<DeploymentTimeline> {
  const place = await requireHistoryPlace(ports, stack, number)
  const { record } = place
  const settled = [...(record.dropped ?? []), ...(await findSettledPending(ports, place))]
  const times = await readTimes(ports, record).catch((thrown: unknown) => {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return undefined
    throw thrown
  })
  if (times === undefined) return { record, settled }
  const moments = times.timeline.flatMap(one => momentsOf(one, times, number))
  return { record, moments, settled }
}

function momentsOf(
  { record, lamport, at, operations }: TimedRecord,
  { ends }: DeploymentTimes,
  number: number,
): readonly DeploymentMoment[] {
  const what = record.decisions.map(decision =>
    decision.kind === 'phase' ? decision.phase : decision.kind,
  )
  const decided = { moment: `${number}:${lamport}`, at, what: [...new Set(what)].join(', ') }
  const done = operations.map(one => ({
    moment: `${number}:${one.lamport}`,
    at: one.endedAt ?? one.beganAt,
    what: one.operation.op,
    urn: one.operation.urn,
    verdict: ends.get(one.operation.id)?.head.end?.verdict ?? ('open' as const),
  }))
  return [decided, ...done.toSorted((a, b) => (a.at === b.at ? 0 : a.at - b.at))]
}

/**
 * Returns the pending operations that the previous version has and the deployment's own version
 * lacks; none when a version was removed.
 */
async function findSettledPending(
  ports: CompactionPorts,
  place: HistoryPlace,
): Promise<readonly PendingNote[]> {
  const { stack, record } = place
  const after = record.version ?? 0
  if (after === 0) return []
  const before = await findVersionBefore(ports, place)
  if (after === before) return []
  try {
    const stateBefore = await readPublishedVersion(ports, stack, before)
    const stateAfter = await readPublishedVersion(ports, stack, after)
    const noteKeyOf = ({ urn, type }: PendingNote): string => `${type} ${urn}`
    const remaining = new Set(notesOf(stateAfter).map(noteKeyOf))
    return notesOf(stateBefore).filter(note => !remaining.has(noteKeyOf(note)))
  } catch (thrown) {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return []
    throw thrown
  }
}

function notesOf(state: StoredDeployment | undefined): readonly PendingNote[] {
  const pending = state === undefined ? [] : pendingOf(state)
  return pending.map(({ resource, type }) => ({ urn: resource.urn, type }))
}

/** Retention begins with the first record, and later ones may be removed during a read. */
async function hasRecords(ports: CompactionPorts, deployment: DeploymentId): Promise<boolean> {
  return (await ports.decisionLog.read(deployment, 0 as LogNumber, 1)).length > 0
}

/**
 * Reports whether an entry is an import or edit of the state, or a rename. These have no records,
 * only a published version.
 */
function isEdit({ command }: HistoryRecord): boolean {
  return ['stack import', 'stack rename', 'state'].includes(command)
}

function lamportsOf({ operations }: TimedRecord): readonly number[] {
  return operations.map(({ lamport }) => lamport)
}

async function readPublishedVersion(
  ports: CompactionPorts,
  stack: StackRecord,
  version: number,
): Promise<StoredDeployment | undefined> {
  if (version === 0) return undefined
  const found = await findPublishedVersion(ports.catalog, stack.id, version)
  if (found === undefined)
    throw error('RECORDS_REMOVED', `version ${version} of the stack was removed`)
  return readSnapshotBlob(ports.blobs, found.snapshot)
}

function formatTime(at: EpochMs): string {
  return new Date(at).toISOString()
}
