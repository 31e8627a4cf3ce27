import { removeColorDirectives } from '../../shared/engine/events/color-directives.ts'
import {
  type EventRecord,
  eventFieldsOf,
  eventTextOf,
} from '../../shared/engine/events/event-record.ts'
import { isUrn, nameOf, typeOf } from '../../shared/names/urn.ts'
import { formatElapsed } from './format-elapsed.ts'
import { removeControls } from './paint.ts'
import { formatTable } from './table.ts'

/** A resource on which an operation acted. Its fields are in print order. */
interface SummaryResource {
  readonly urn: string
  readonly type: string
  readonly name: string
  readonly op: string
  /** The URN of the parent. Absent for none. */
  readonly parent?: string
  failed?: true
}

/** A message in the summary of a stored operation. */
interface SummaryMessage {
  readonly severity: string
  readonly urn?: string
  readonly message: string
}

/** The summary of an operation, in the form and order in which Pulumi prints it. */
export interface StoredOperationSummary {
  readonly result: string
  /** In nanoseconds. */
  readonly duration: number
  /** Number of counted steps by kind. */
  readonly summary?: Readonly<Record<string, number>>
  readonly resources?: readonly SummaryResource[]
  readonly diagnostics?: readonly SummaryMessage[]
}

/** A collector of events, which summarizes one operation. */
interface SummaryCollector {
  readonly add: (event: EventRecord) => void
  readonly read: () => StoredOperationSummary
}

/**
 * Creates the collector of a running operation. `showSames`: include unchanged resources. Source:
 * `tapSummaryJSON` in pkg/backend/display/summary_json.go of Pulumi 3.274.1.
 */
export function createLiveSummary(options: { readonly showSames: boolean }): SummaryCollector {
  const resources: SummaryResource[] = []
  let end: EventRecord = {}
  return {
    add(event) {
      if ('summaryEvent' in event) end = eventFieldsOf(event['summaryEvent'])
      const metadata = metadataOf(event, 'resourcePreEvent')
      if (metadata !== undefined && (options.showSames || metadata['op'] !== 'same'))
        resources.push(toResource(metadata))
    },
    read: () => ({
      result: eventTextOf(end['result']),
      ...readEnd(end),
      ...listField('resources', resources),
    }),
  }
}

/**
 * Summarizes the stored events of an operation, with its failed resources and error messages.
 * Source: `buildUpdateSummary` in pkg/cmd/pulumi/stack/stack_history_events_summary.go of Pulumi
 * 3.274.1.
 */
export function summarizeEvents(events: readonly EventRecord[]): StoredOperationSummary {
  const resources: SummaryResource[] = []
  const messages: SummaryMessage[] = []
  let end: EventRecord | undefined
  for (const event of events) {
    if ('summaryEvent' in event) end = eventFieldsOf(event['summaryEvent'])
    const begunStep = metadataOf(event, 'resourcePreEvent')
    if (begunStep !== undefined && begunStep['op'] !== 'same') resources.push(toResource(begunStep))
    const failedStep = metadataOf(event, 'resOpFailedEvent')
    if (failedStep !== undefined) markFailed(resources, toResource(failedStep))
    if ('diagnosticEvent' in event)
      messages.push(...toMessages(eventFieldsOf(event['diagnosticEvent'])))
  }
  const hasFailed =
    resources.some(({ failed }) => failed === true) ||
    messages.some(({ severity }) => severity === 'error')
  const { duration, ...counts } = readEnd(end ?? {})
  return {
    result: eventTextOf(end?.['result']) || (hasFailed ? 'failed' : end ? 'succeeded' : 'unknown'),
    duration: duration > 0 ? duration : durationOf(events),
    ...counts,
    ...listField('resources', resources),
    ...listField('diagnostics', messages),
  }
}

/** Formats the summary of a stored operation for people. */
export function formatSummary(summary: StoredOperationSummary): readonly string[] {
  const { result, duration, summary: counts = {}, resources = [], diagnostics = [] } = summary
  const changes = Object.entries(counts).map(([op, count]) => `${count} ${op}`)
  const rows = resources.map(({ name, type, op, failed }) => [
    name,
    type,
    failed === true ? `${op} (failed)` : op,
  ])
  const messages = diagnostics.map(
    ({ severity, urn, message }) =>
      `  ${removeControls([severity, ...(urn === undefined ? [] : [urn]), message].join(': '))}`,
  )
  return [
    `Result:   ${removeControls(result)}`,
    ...(duration > 0 ? [`Duration: ${formatElapsed(duration / nsPerMs)}`] : []),
    ...(changes.length > 0 ? [`Changes:  ${removeControls(changes.join(', '))}`] : []),
    ...(rows.length > 0 ? ['', ...formatTable(['NAME', 'TYPE', 'OP'], rows)] : []),
    ...(messages.length > 0 ? ['', 'Diagnostics:', ...messages] : []),
  ]
}

const nsPerMs = 1_000_000
const nsPerSecond = 1_000 * nsPerMs

/** Returns the duration and the counts in the last event of an operation. */
function readEnd(end: EventRecord): Pick<StoredOperationSummary, 'duration' | 'summary'> {
  const counts = Object.entries(eventFieldsOf(end['resourceChanges']))
    .map(([op, count]) => [op, Number(count)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const duration = Number(end['durationSeconds'] ?? 0) * nsPerSecond
  return { duration, ...(counts.length > 0 ? { summary: Object.fromEntries(counts) } : {}) }
}

/** Returns the time between the first and the last event. */
function durationOf(events: readonly EventRecord[]): number {
  const seconds = events.map(({ timestamp }) => Number(timestamp ?? 0)).filter(time => time > 0)
  const [first = 0, last = first] = [seconds.at(0), seconds.at(-1)]
  return Math.max(0, last - first) * nsPerSecond
}

function metadataOf(event: EventRecord, kind: string): EventRecord | undefined {
  return kind in event ? eventFieldsOf(eventFieldsOf(event[kind])['metadata']) : undefined
}

function toResource(metadata: EventRecord): SummaryResource {
  const urn = eventTextOf(metadata['urn'])
  const parent = eventTextOf(eventFieldsOf(metadata['new'] ?? metadata['old'])['parent'])
  return {
    urn,
    type: isUrn(urn) ? typeOf(urn) : eventTextOf(metadata['type']),
    name: isUrn(urn) ? nameOf(urn) : urn,
    op: eventTextOf(metadata['op']),
    ...(parent === '' ? {} : { parent }),
  }
}

/** Marks the last step of the failed resource, or adds the failed step. */
function markFailed(resources: SummaryResource[], failed: SummaryResource): void {
  const lastStep = resources.findLast(({ urn }) => urn === failed.urn)
  if (lastStep === undefined) resources.push({ ...failed, failed: true })
  else lastStep.failed = true
}

/** Returns the message of an error, or of a program's standard error. Others are omitted. */
function toMessages(diagnostic: EventRecord): readonly SummaryMessage[] {
  const { severity, urn, message, ephemeral } = diagnostic
  if (ephemeral === true || (severity !== 'error' && severity !== 'info#err')) return []
  const urnText = eventTextOf(urn)
  return [
    {
      severity,
      ...(urnText === '' ? {} : { urn: urnText }),
      message: removeColorDirectives(eventTextOf(message)).trimEnd(),
    },
  ]
}

function listField<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
): Partial<Record<Name, readonly Item[]>> {
  return items.length > 0 ? ({ [name]: items } as Record<Name, readonly Item[]>) : {}
}
