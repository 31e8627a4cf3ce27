import { historyLine, historyOf, publishedVersion } from '../../shared/engine/deployment/past.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/snapshot-blob.ts'
import {
  executedOperations,
  type LogView,
  viewLog,
  viewOf,
} from '../../shared/engine/deployment/log-view.ts'
import type { RecordedEnd } from '../../shared/engine/deployment/end-watcher.ts'
import { error, hasCode } from '../../shared/errors/error.ts'
import { cutAt, type Instant, type TimedRecord, timelineOf } from '../../shared/journal/timeline.ts'
import type { HistoryRecord, PendingNote, StackRecord } from '../../shared/ports/catalog.ts'
import {
  deploymentIdOf,
  deploymentPartsOf,
  type BlobHash,
  type DeploymentId,
  type EpochMs,
  type LogNumber,
  type OperationId,
} from '../../shared/records/ids.ts'
import type { Verdict } from '../../shared/records/head.ts'
import type { Moment } from '../../shared/records/moment.ts'
import { pendingOf } from '../../shared/state/pending.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { type CompactionPorts, endsOf, foldWith } from './handle.ts'

/**
 * The state of a stack at a moment, folded from the records of the deployment that ran then, or as
 * it was published before; undefined when nothing was published yet. Nothing is written. Throws
 * MOMENT_UNKNOWN for a moment that the stack never had, RECORDS_REMOVED.
 */
export async function stateAt(
  ports: CompactionPorts,
  stack: StackRecord,
  moment: Moment,
  now: EpochMs,
): Promise<StoredDeployment | undefined> {
  if (moment.kind === 'lamport')
    return during(ports, await placeOf(ports, stack, moment.deployment), moment)
  const { at } = moment
  if (at > now) throw error('MOMENT_UNKNOWN', `${timeText(at)} lies in the future`)
  if (at < stack.createdAt)
    throw error('MOMENT_UNKNOWN', `the stack was made at ${timeText(stack.createdAt)} only`)
  for await (const record of historyOf(ports.catalog, stack.id)) {
    const { startedAt, endedAt } = record
    if (startedAt > at) continue
    const place = { stack, record }
    if (endedAt === undefined || endedAt > at) return during(ports, place, moment)
    return published(ports, stack, record.version || (await versionBefore(ports, place)))
  }
  return undefined
}

/** A deployment in the history of its stack. */
interface Place {
  readonly stack: StackRecord
  readonly record: HistoryRecord
}

async function placeOf(
  { catalog }: CompactionPorts,
  stack: StackRecord,
  number: number,
): Promise<Place> {
  const record = await historyLine(catalog, deploymentIdOf(stack.id, number))
  if (record === undefined) throw error('MOMENT_UNKNOWN', `the stack has no deployment ${number}`)
  return { stack, record }
}

/** The version that a deployment found; one that decided nothing published none. */
async function versionBefore(
  { catalog }: CompactionPorts,
  { stack, record }: Place,
): Promise<number> {
  const { number } = deploymentPartsOf(record.deployment)
  for await (const { version = 0 } of historyOf(catalog, stack.id, number))
    if (version > 0) return version
  return 0
}

async function during(
  ports: CompactionPorts,
  place: Place,
  instant: Instant,
): Promise<StoredDeployment | undefined> {
  const { stack, record } = place
  const { deployment } = record
  const earlier = async (): Promise<StoredDeployment | undefined> =>
    published(ports, stack, await versionBefore(ports, place))
  if (isEdit(record)) return earlier()
  const { view, timeline, ends } = await timesOf(ports, record)
  const last = Math.max(0, ...timeline.flatMap(one => [one.lamport, ...lamportsOf(one)]))
  if (instant.kind === 'lamport' && instant.lamport > last)
    throw error(
      'MOMENT_UNKNOWN',
      `deployment ${deploymentPartsOf(deployment).number} ends at its moment ${last}`,
    )
  const cut = cutAt(timeline, id => ends.get(id), instant)
  const cutView = viewOf(cut.records, view.pages)
  if (cutView.pin === undefined) return earlier()
  return foldWith(ports, { deployment, view: cutView }, cut.end)
}

/** The records of a deployment with their times. */
interface Times {
  readonly view: LogView
  readonly ends: ReadonlyMap<OperationId, RecordedEnd>
  readonly timeline: readonly TimedRecord[]
}

/**
 * The records of a deployment in time. Throws RECORDS_REMOVED when they are gone, also when they go
 * while they are read.
 */
async function timesOf(ports: CompactionPorts, record: HistoryRecord): Promise<Times> {
  const { deployment, result } = record
  const view = await viewLog(ports, deployment)
  const ends = await endsOf(ports, deployment, executedOperations(view))
  const isOver = result !== undefined && !isEdit(record)
  if (isOver && (view.records.length === 0 || !(await stands(ports, deployment))))
    throw error(
      'RECORDS_REMOVED',
      `the records of deployment ${deploymentPartsOf(deployment).number} were removed`,
    )
  const page = (hash: BlobHash) => view.pages.get(hash) ?? []
  const timeline = timelineOf({ records: view.records, page, end: id => ends.get(id) })
  return { view, ends, timeline }
}

/** One moment of a deployment at which something was decided or ended. */
export interface DeploymentMoment {
  /** What `stack export --at` takes. */
  readonly moment: string
  readonly at: EpochMs
  readonly what: string
  readonly urn?: string
  readonly verdict?: Verdict | 'open'
}

/** What is known of one deployment of the history. */
export interface DeploymentStory {
  readonly record: HistoryRecord
  /** In order of Lamport time; absent when its records were removed. */
  readonly moments?: readonly DeploymentMoment[]
  /** Pending operations that it found or was given, and that are not in the state after it. */
  readonly settled: readonly PendingNote[]
}

/** Tells one deployment of a stack. Throws MOMENT_UNKNOWN when the stack has no such. */
export async function storyOf(
  ports: CompactionPorts,
  stack: StackRecord,
  number: number,
): Promise<DeploymentStory> {
  const place = await placeOf(ports, stack, number)
  const { record } = place
  const settled = [...(record.dropped ?? []), ...(await settledBy(ports, place))]
  const times = await timesOf(ports, record).catch((thrown: unknown) => {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return undefined
    throw thrown
  })
  if (times === undefined) return { record, settled }
  const moments = times.timeline.flatMap(one => momentsIn(one, times, number))
  return { record, moments, settled }
}

function momentsIn(
  { record, lamport, at, operations }: TimedRecord,
  { ends }: Times,
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

/** The pending operations of the version before a deployment that its own has not; none if gone. */
async function settledBy(ports: CompactionPorts, place: Place): Promise<readonly PendingNote[]> {
  const { stack, record } = place
  const after = record.version ?? 0
  if (after === 0) return []
  const before = await versionBefore(ports, place)
  if (after === before) return []
  try {
    const was = await published(ports, stack, before)
    const is = await published(ports, stack, after)
    const keyOf = ({ urn, type }: PendingNote): string => `${type} ${urn}`
    const left = new Set(notesOf(is).map(keyOf))
    return notesOf(was).filter(note => !left.has(keyOf(note)))
  } catch (thrown) {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return []
    throw thrown
  }
}

function notesOf(state: StoredDeployment | undefined): readonly PendingNote[] {
  const pending = state === undefined ? [] : pendingOf(state)
  return pending.map(({ resource, type }) => ({ urn: resource.urn, type }))
}

/** Removal begins with the first record; the last ones may go while others are read. */
async function stands(ports: CompactionPorts, deployment: DeploymentId): Promise<boolean> {
  return (await ports.log.read(deployment, 0 as LogNumber, 1)).length > 0
}

/** An import or edit of the state, or a rename, has no records: it is published or it is not. */
function isEdit({ command }: HistoryRecord): boolean {
  return ['stack import', 'stack rename', 'state'].includes(command)
}

function lamportsOf({ operations }: TimedRecord): readonly number[] {
  return operations.map(({ lamport }) => lamport)
}

async function published(
  ports: CompactionPorts,
  stack: StackRecord,
  version: number,
): Promise<StoredDeployment | undefined> {
  if (version === 0) return undefined
  const found = await publishedVersion(ports.catalog, stack.id, version)
  if (found === undefined)
    throw error('RECORDS_REMOVED', `version ${version} of the stack was removed`)
  return readSnapshotBlob(ports.blobs, found.snapshot)
}

function timeText(at: EpochMs): string {
  return new Date(at).toISOString()
}
