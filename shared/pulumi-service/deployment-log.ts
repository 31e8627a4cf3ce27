import * as z from 'zod'
import { removeColorDirectives } from '../engine/events/color-directives.ts'
import { toPrintableLines } from '../triggers/printable.ts'
import type { EpochMs } from '../records/ids.ts'
import type { DeploymentProgress, ProgressUpdate } from './deployment-progress.ts'
import { isoTimeOf } from './deployment-view.ts'
import { parseInput } from '../api/define-route.ts'
import { readEventPage } from './event-pages.ts'
import type { PulumiDeployment } from './pulumi-deployment.ts'
import { operationRequests } from './pulumi-operations.ts'
import type { ServicePorts } from './service-route.ts'

/** A line of a log. A line with a header begins a step. */
interface LogLine {
  readonly header?: string
  readonly timestamp: string
  readonly line?: string
}

/** A part of a log. `nextToken` is absent at the end of the log. */
export interface LogPart {
  readonly lines: readonly LogLine[]
  readonly nextToken?: string
}

/** The token of a log whose deployment has not begun. */
const waitingToken = 'w'
/** Maximum number of lines in the text of one event. */
const linesMax = 50
/** Maximum number of characters in the text of one event. */
const charsMax = 1_000

/** Reads the part of a deployment's log after a token. The token '' requests the first part. */
export async function readDeploymentLog(
  ports: Pick<ServicePorts, 'events' | 'clock'>,
  deployment: PulumiDeployment,
  { progress, token }: { readonly progress: DeploymentProgress; readonly token: string },
): Promise<LogPart> {
  const { update, reason = [], status } = progress
  const { request, operation } = deployment
  if (update === undefined) {
    if (status === 'accepted') return { lines: [], nextToken: waitingToken }
    return { lines: reason.map(text => lineOf(text, request.at)) }
  }
  const isStart = token === '' || token === waitingToken
  const header = { header: operationRequests[operation].title }
  const start = isStart ? [{ ...header, timestamp: isoTimeOf(update.startedAt) }] : []
  const isOver = status !== 'running'
  const events = { id: update.eventsId, isOver, endedAt: update.endedAt }
  const page = await readEventPage(ports, events, isStart ? '0' : token)
  const lines = [...start, ...page.events.flatMap(event => linesOfEvent(event, update))]
  return { lines, ...(page.next === undefined ? {} : { nextToken: page.next }) }
}

/** Numbers of lines that a reader of a step may request: the default, and the maximum. */
const stepLines = { default: 100, max: 499 }
/** Maximum number of pages of events that one call reads. */
const stepPagesMax = 20

/** The step of a job, and the lines of its log that a reader requests. */
const stepQuery = z.object({
  job: z.coerce.number(),
  step: z.coerce.number().default(0),
  offset: z.coerce.number().int().nonnegative().default(0),
  count: z.coerce.number().int().min(1).max(stepLines.max).default(stepLines.default),
})

/**
 * Reads lines of a step of a job. A deployment has one job with one step, so any other step has no
 * lines. Throws API_INPUT_INVALID.
 */
export async function readStepLog(
  ports: Pick<ServicePorts, 'events' | 'clock'>,
  deployment: PulumiDeployment,
  { progress, query }: { readonly progress: DeploymentProgress; readonly query: unknown },
): Promise<LogPart> {
  const { job, step, offset, count } = parseInput(stepQuery, query, 'query')
  if (job !== 0 || step !== 0) return { lines: [] }
  const lines: LogLine[] = []
  let token: string | undefined = ''
  for (let page = 0; page < stepPagesMax && token !== undefined; page += 1) {
    const part: LogPart = await readDeploymentLog(ports, deployment, { progress, token })
    lines.push(...part.lines.filter(({ header }) => header === undefined))
    if (lines.length >= offset + count || part.nextToken === token) break
    token = part.nextToken === waitingToken ? undefined : part.nextToken
  }
  return { lines: lines.slice(offset, offset + count) }
}

/** Returns a line of a log without control characters, because clients print it as it is. */
function lineOf(text: string, at: EpochMs): LogLine {
  return { timestamp: isoTimeOf(at), line: `${toPrintableLines(text, { linesMax, charsMax })}\n` }
}

interface LoggedEvent {
  readonly timestamp?: unknown
  readonly diagnosticEvent?: { readonly severity?: string; readonly message?: string }
  readonly stdoutEvent?: { readonly message?: string }
  readonly resOutputsEvent?: { readonly metadata?: { readonly op?: string; readonly urn?: string } }
  readonly resOpFailedEvent?: LoggedEvent['resOutputsEvent']
  readonly summaryEvent?: {
    readonly result?: string
    readonly resourceChanges?: Readonly<Record<string, number>>
  }
}

/** Returns the lines of an engine event. Unchanged resources have none. */
function linesOfEvent(event: LoggedEvent, { startedAt }: ProgressUpdate): readonly LogLine[] {
  const { timestamp } = event
  const at = typeof timestamp === 'number' ? ((timestamp * 1_000) as EpochMs) : startedAt
  const text = textOfEvent(event)
  return text === undefined ? [] : [lineOf(text, at)]
}

function textOfEvent(event: LoggedEvent): string | undefined {
  const { diagnosticEvent, stdoutEvent, resOutputsEvent, resOpFailedEvent, summaryEvent } = event
  if (stdoutEvent !== undefined) return cleanTextOf(stdoutEvent.message)
  if (diagnosticEvent !== undefined) {
    const { severity = 'info', message } = diagnosticEvent
    return severity === 'debug' ? undefined : `${severity}: ${cleanTextOf(message)}`
  }
  if (resOutputsEvent !== undefined) {
    const { op = '', urn = '' } = resOutputsEvent.metadata ?? {}
    return op === 'same' ? undefined : `${op} ${urn}`
  }
  if (resOpFailedEvent !== undefined) {
    const { op = '', urn = '' } = resOpFailedEvent.metadata ?? {}
    return `${op} failed ${urn}`
  }
  if (summaryEvent === undefined) return undefined
  const changes = Object.entries(summaryEvent.resourceChanges ?? {})
  const counts = changes.map(([op, count]) => `${count} ${op}`).join(', ')
  return `${summaryEvent.result ?? 'over'}: ${counts === '' ? 'no resources' : counts}`
}

function cleanTextOf(message = ''): string {
  return removeColorDirectives(message).trimEnd()
}
