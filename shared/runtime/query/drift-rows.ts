import * as z from 'zod'
import { queryLimits } from '../../config/query-limits.ts'
import { readFirstPin } from '../../engine/deployment/log/supported-rules.ts'
import { hasCode } from '../../errors/error.ts'
import type { HistoryRecord } from '../../ports/catalog.ts'
import type { DocumentsPort, StoredDocument } from '../../ports/documents.ts'
import type { DecisionLogPort, EventsPort } from '../../ports/records.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import {
  type DeploymentId,
  deploymentPartsOf,
  type EpochMs,
  previewIdOf,
  type StackId,
} from '../../records/ids.ts'
import { listSchedulesOf, readRunsOfSchedule } from './scheduled-drift.ts'
import type { QueryValue } from './query-schema.ts'
import { parseForm } from '../../values/parse-form.ts'
import { createRecordForm } from '../../values/record-form.ts'

/** The ports that the table `drift` needs. */
export interface DriftPorts {
  readonly events: Pick<EventsPort, 'read'>
  readonly requests: Pick<RequestsPort, 'find'>
  readonly documents: Pick<DocumentsPort, 'list'>
  readonly decisionLog: DecisionLogPort
}

/** The values of a row after project and stack: deployment, request, time, URN, kind, paths. */
type DriftColumns = readonly [number | null, string | null, string, string, ...QueryValue[]]

const eventForm = z.looseObject({
  resOutputsEvent: z.looseObject({
    metadata: z.looseObject({
      op: z.string(),
      urn: z.string(),
      new: z.unknown().optional(),
      diffs: z.array(z.string()).nullish(),
      detailedDiff: createRecordForm(z.unknown()).nullish(),
    }),
  }),
})

/** Results of a refresh step for an object that equals its recorded state. */
const unchangedOps: ReadonlySet<string> = new Set(['same', 'read', 'refresh'])
/** Maximum number of events that one read returns. */
const eventsPerRead = 1_000

/**
 * Yields the drift that a deployment recorded. The deployment is a refresh, or an update or destroy
 * that refreshed first.
 */
export async function* readDriftOfDeployment(
  ports: Pick<DriftPorts, 'events' | 'decisionLog'>,
  { deployment, command, startedAt, endedAt }: HistoryRecord,
): AsyncGenerator<DriftColumns> {
  const { number } = deploymentPartsOf(deployment)
  const isRefresh = command === 'refresh'
  if (!isRefresh && !(await hasRefreshedFirst(ports, deployment))) return
  const drift = await readDriftEvents(ports, deployment, isRefresh ? stepChangeOf : refreshChangeOf)
  const time = formatTime(endedAt ?? startedAt)
  for (const [urn, change] of drift) yield [number, null, time, urn, ...change]
}

/**
 * Reports whether a deployment refreshed before its own steps. Returns false if its records were
 * removed.
 */
async function hasRefreshedFirst(
  ports: Pick<DriftPorts, 'decisionLog'>,
  deployment: DeploymentId,
): Promise<boolean> {
  try {
    return (await readFirstPin(ports, deployment))?.options.refresh === true
  } catch (thrown) {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return false
    throw thrown
  }
}

/**
 * Yields the drift that the newest runs of the schedules of a stack found. Such a run is a preview,
 * so its events are its only record of the properties.
 */
export async function* readDriftOfSchedules(
  ports: DriftPorts,
  stack: StackId,
): AsyncGenerator<DriftColumns> {
  for (const stored of await listSchedulesOf(ports, stack))
    yield* readDriftOfSchedule(ports, stack, stored)
}

async function* readDriftOfSchedule(
  ports: DriftPorts,
  stack: StackId,
  stored: StoredDocument,
): AsyncGenerator<DriftColumns> {
  for await (const { request, end } of readRunsOfSchedule(ports, stack, stored)) {
    if (end?.kind !== 'previewed') continue
    const { key } = request
    const time = formatTime(request.at)
    const drift = await readDriftEvents(ports, previewIdOf(stack, key), stepChangeOf)
    for (const [urn, change] of drift) yield [null, key, time, urn, ...change]
    // The end of the request names some drifted resources, even after the events were removed.
    if (drift.size === 0) for (const urn of end.urns ?? []) yield [null, key, time, urn, null, '[]']
  }
}

/** The kind of a change, and the JSON of its property paths. */
type DriftChange = readonly [string, string]

type EventMetadata = z.infer<typeof eventForm>['resOutputsEvent']['metadata']

/**
 * Returns the drift that a step of a refresh found, or undefined for none. The kind of the drift is
 * the result of the step.
 */
function stepChangeOf(metadata: EventMetadata): DriftChange | undefined {
  return unchangedOps.has(metadata.op) ? undefined : [metadata.op, pathsOf(metadata)]
}

/**
 * Returns the drift that a step of another command found, or undefined for none. Only the refresh
 * steps of such a command find drift.
 */
function refreshChangeOf(metadata: EventMetadata): DriftChange | undefined {
  if (metadata.op !== 'refresh') return undefined
  if (metadata.new == null) return ['delete', '[]']
  const paths = pathsOf(metadata)
  return paths === '[]' ? undefined : ['update', paths]
}

function pathsOf({ diffs, detailedDiff }: EventMetadata): string {
  const paths = Object.keys(detailedDiff ?? {})
  return JSON.stringify(paths.length > 0 ? paths : (diffs ?? []))
}

/**
 * Reads the drifted resources of a run from its events. If several events of a resource report
 * drift, the last one counts.
 */
async function readDriftEvents(
  { events }: Pick<DriftPorts, 'events'>,
  run: DeploymentId,
  changeOf: (metadata: EventMetadata) => DriftChange | undefined,
): Promise<ReadonlyMap<string, DriftChange>> {
  const drift = new Map<string, DriftChange>()
  for (let cursor = 0, count = 0; count < queryLimits.driftEventsPerRun; ) {
    const page = await events.read(run, cursor, eventsPerRead)
    for (const line of page.events) {
      if (!line.includes('"resOutputsEvent"')) continue
      const metadata = parseForm(eventForm, JSON.parse(line)).data?.resOutputsEvent.metadata
      const change = metadata === undefined ? undefined : changeOf(metadata)
      if (metadata !== undefined && change !== undefined) drift.set(metadata.urn, change)
    }
    if (!page.hasMore) return drift
    cursor = page.cursor
    count += page.events.length
  }
  return drift
}

function formatTime(timeMs: EpochMs): string {
  return new Date(timeMs).toISOString()
}
