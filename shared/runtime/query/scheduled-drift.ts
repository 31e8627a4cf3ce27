import type { DocumentsPort, StoredDocument } from '../../ports/documents.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import type { EpochMs, StackId } from '../../records/ids.ts'
import {
  type DeploymentRequest,
  isEditRequest,
  type RequestEnd,
  type StackRequest,
} from '../../records/stack-request.ts'
import { readDocumentsOf } from '../../triggers/read-documents.ts'
import { scheduleDocument } from '../../triggers/schedules/due-schedule.ts'
import {
  scheduleRequestKeyOf,
  sharedScheduleRequestKeyOf,
} from '../../triggers/trigger-requests.ts'
import { parseForm } from '../../values/parse-form.ts'

/** The ports from which the runs of schedules are read. */
export interface ScheduledDriftPorts {
  readonly documents: Pick<DocumentsPort, 'list'>
  readonly requests: Pick<RequestsPort, 'find'>
}

/** A run of a schedule that detects drift. */
export interface ScheduledDriftRun {
  /** The name of the schedule. */
  readonly name: string
  readonly isShared: boolean
  readonly dueAt: EpochMs
  readonly request: DeploymentRequest
  readonly end: RequestEnd | undefined
}

/** Returns the schedules of a stack, and the shared ones after them. */
export async function listSchedulesOf(
  { documents }: Pick<ScheduledDriftPorts, 'documents'>,
  stack: StackId,
): Promise<readonly StoredDocument[]> {
  const schedules: StoredDocument[] = []
  for (const scope of [stack, '*'] as const)
    for await (const stored of readDocumentsOf(documents, 'schedule', scope)) schedules.push(stored)
  return schedules
}

/** Yields the recorded runs of a schedule that detect drift on a stack, in the order `order`. */
export async function* readRunsOfSchedule(
  { requests }: Pick<ScheduledDriftPorts, 'requests'>,
  stack: StackId,
  stored: StoredDocument,
  order: 'oldest first' | 'newest first' = 'oldest first',
): AsyncGenerator<ScheduledDriftRun> {
  const { name, scope } = stored.key
  const isShared = scope === '*'
  const dueTimes = parseForm(scheduleDocument, stored.value).data?.recentRuns ?? []
  for (const dueAt of order === 'oldest first' ? dueTimes : dueTimes.toReversed()) {
    const key = isShared
      ? sharedScheduleRequestKeyOf(name, dueAt)
      : scheduleRequestKeyOf(name, dueAt)
    const record = await requests.find(stack, key)
    if (record === undefined || !isDriftRequest(record.request)) continue
    yield { name, isShared, dueAt, request: record.request, end: record.end }
  }
}

/** Reports whether a request detects drift: a refresh that is a preview. */
function isDriftRequest(request: StackRequest): request is DeploymentRequest {
  return !isEditRequest(request) && request.dryRun && request.options.command === 'refresh'
}

/** `latest`: the newest run of a stack's schedules. `latestRead`: the newest one that succeeded. */
export interface LatestDriftRuns {
  readonly latest?: ScheduledDriftRun
  readonly latestRead?: ScheduledDriftRun & { readonly end: PreviewEnd }
}
type PreviewEnd = Extract<RequestEnd, { readonly kind: 'previewed' }>

/** Returns the time at which a run began to read the resources of its stack. */
export function readTimeOf({ request, end }: NonNullable<LatestDriftRuns['latestRead']>): EpochMs {
  return end.startedAt ?? request.at
}

/** Returns the newest runs of some schedules on a stack. */
export async function findLatestDriftRuns(
  ports: Pick<ScheduledDriftPorts, 'requests'>,
  stack: StackId,
  schedules: readonly StoredDocument[],
): Promise<LatestDriftRuns> {
  let { latest, latestRead }: LatestDriftRuns = {}
  for (const stored of schedules)
    for await (const run of readRunsOfSchedule(ports, stack, stored, 'newest first')) {
      if (latest === undefined || run.request.at > latest.request.at) latest = run
      const { end } = run
      if (end?.kind !== 'previewed' || end.result !== 'succeeded') continue
      if (latestRead === undefined || run.request.at > latestRead.request.at)
        latestRead = { ...run, end }
      // The other runs of this schedule are older.
      break
    }
  return {
    ...(latest === undefined ? {} : { latest }),
    ...(latestRead === undefined ? {} : { latestRead }),
  }
}
