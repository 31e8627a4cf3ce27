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

/** More than any history has: moments may lie in its first deployment. */
const allOfIt = 1_000_000_000

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
  const history = await ports.catalog.history(stack.id, allOfIt)
  if (moment.kind === 'lamport') return stateAtLamport(ports, history, stack, moment)
  const { at } = moment
  if (at > now) throw error('MOMENT_UNKNOWN', `${timeText(at)} lies in the future`)
  if (at < stack.createdAt)
    throw error('MOMENT_UNKNOWN', `the stack was made at ${timeText(stack.createdAt)} only`)
  const place = history.findIndex(({ startedAt }) => startedAt <= at)
  const found = history[place]
  if (found === undefined) return undefined
  if (found.endedAt !== undefined && found.endedAt <= at)
    return published(ports, stack, versionOf(history.slice(place)))
  return during(ports, { stack, record: found, before: history.slice(place + 1) }, moment)
}

async function stateAtLamport(
  ports: CompactionPorts,
  history: readonly HistoryRecord[],
  stack: StackRecord,
  moment: Moment & { readonly kind: 'lamport' },
): Promise<StoredDeployment | undefined> {
  return during(ports, placeOf(history, stack, moment.deployment), moment)
}

/** A deployment in the history of its stack. */
interface Place {
  readonly stack: StackRecord
  readonly record: HistoryRecord
  /** What was before it, newest first. */
  readonly before: readonly HistoryRecord[]
}

function placeOf(history: readonly HistoryRecord[], stack: StackRecord, number: number): Place {
  const id = deploymentIdOf(stack.id, number)
  const place = history.findIndex(({ deployment }) => deployment === id)
  const record = history[place]
  if (record === undefined) throw error('MOMENT_UNKNOWN', `the stack has no deployment ${number}`)
  return { stack, record, before: history.slice(place + 1) }
}

/** The version that the newest of some records left; one that decided nothing published none. */
function versionOf(history: readonly HistoryRecord[]): number {
  return history.find(({ version = 0 }) => version > 0)?.version ?? 0
}

async function during(
  ports: CompactionPorts,
  { stack, record, before }: Place,
  instant: Instant,
): Promise<StoredDeployment | undefined> {
  const { deployment } = record
  const earlier = (): Promise<StoredDeployment | undefined> =>
    published(ports, stack, versionOf(before))
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
  const history = await ports.catalog.history(stack.id, allOfIt)
  const place = placeOf(history, stack, number)
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
async function settledBy(
  ports: CompactionPorts,
  { stack, record, before }: Place,
): Promise<readonly PendingNote[]> {
  const after = record.version ?? 0
  if (after === 0 || after === versionOf(before)) return []
  try {
    const was = await published(ports, stack, versionOf(before))
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
  const versions = await ports.catalog.versions(stack.id, allOfIt)
  const found = versions.find(entry => entry.version === version)
  if (found === undefined)
    throw error('RECORDS_REMOVED', `version ${version} of the stack was removed`)
  return readSnapshotBlob(ports.blobs, found.snapshot)
}

function timeText(at: EpochMs): string {
  return new Date(at).toISOString()
}
