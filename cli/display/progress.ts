import type {
  EngineEventPayload,
  StepMetadata,
  SummaryEvent,
} from '../../shared/engine/events/event.ts'
import { stackType } from '../../shared/names/urn.ts'
import type { StepOp } from '../../shared/records/operation.ts'
import {
  createInfoMessage,
  type Message,
  toMessage,
  displayNameOf,
  type MessageOptions,
} from './messages.ts'
import { removeControls } from './paint.ts'

/**
 * One step of a resource, as the events told it. States:
 * running → done | failed; a component's step is done when it begins, for no provider does
 * anything.
 */
export interface ResourceRow {
  readonly urn: string
  /** '' where the name is the whole URN, which has the type. */
  readonly type: string
  readonly name: string
  /** URN of the parent, '' for none. */
  readonly parent: string
  /** What is done; for a refresh that ended: what it came to. */
  readonly op: StepOp
  /** The id of the state that the step is about: two copies of a resource have one URN. */
  readonly id: string
  readonly custom: boolean
  readonly status: 'running' | 'done' | 'failed'
  readonly startedMs: number
  /** When it ended; undefined while it runs. */
  readonly endedMs: number | undefined
  /** Whether an earlier step in this deployment made its replacement. */
  readonly isReplaced: boolean
}

/** What an event changed, for a display that goes line by line. */
export type ProgressChange =
  | { readonly kind: 'ended'; readonly row: ResourceRow; readonly metadata: StepMetadata }
  | { readonly kind: 'message'; readonly message: Message }

/** All that the events of one deployment told so far. */
export interface Progress {
  /** Takes the next event in; `nowMs` is any clock that only goes forward. */
  readonly take: (event: EngineEventPayload, nowMs: number) => readonly ProgressChange[]
  /** The latest step of each resource, in order of first appearance. */
  readonly rows: () => readonly ResourceRow[]
  readonly messages: () => readonly Message[]
  readonly summary: () => SummaryEvent | undefined
  /** The stack's own latest step with outputs; undefined before. */
  readonly stack: () => StepMetadata | undefined
  /** Whether the last event came. */
  readonly isOver: () => boolean
}

/**
 * Collects events; keeps one row a resource, so that it grows with resources and not with events.
 */
export function createProgress(options: MessageOptions = {}): Progress {
  const rows = new Map<string, ResourceRow>()
  const messages: Message[] = []
  let summary: SummaryEvent | undefined
  let stack: StepMetadata | undefined
  let over = false
  const end = (
    metadata: StepMetadata,
    status: 'done' | 'failed',
    nowMs: number,
  ): ProgressChange[] => {
    const before = rows.get(metadata.urn)
    const row = endRow(before, metadata, { status, nowMs, options })
    rows.set(metadata.urn, row)
    // Outputs that a component registers tell of an end that was told before.
    const isReported =
      before !== undefined &&
      before.status === row.status &&
      before.op === row.op &&
      before.id === row.id
    return isReported ? [] : [{ kind: 'ended', row, metadata }]
  }
  const take: Progress['take'] = (event, nowMs) => {
    if ('resourcePreEvent' in event) {
      const { metadata } = event.resourcePreEvent
      const row = startRow(rows.get(metadata.urn), metadata, { nowMs, options })
      rows.set(row.urn, row)
      return row.status === 'done' ? [{ kind: 'ended', row, metadata }] : []
    }
    if ('resOutputsEvent' in event) {
      const { metadata } = event.resOutputsEvent
      if (metadata.type === stackType) stack = metadata
      return end(metadata, 'done', nowMs)
    }
    if ('resOpFailedEvent' in event) return end(event.resOpFailedEvent.metadata, 'failed', nowMs)
    if ('diagnosticEvent' in event || 'policyEvent' in event || 'policyRemediationEvent' in event) {
      const message = toMessage(event, options)
      if (message === undefined) return []
      if (!message.ephemeral) messages.push(message)
      return [{ kind: 'message', message }]
    }
    if ('startDebuggingEvent' in event) {
      const text = `waiting for a debugger: ${JSON.stringify(event.startDebuggingEvent.config)}`
      return [{ kind: 'message', message: createInfoMessage(text) }]
    }
    if ('summaryEvent' in event) summary = event.summaryEvent
    if ('cancelEvent' in event) over = true
    return []
  }
  return {
    take,
    rows: () => [...rows.values()],
    messages: () => messages,
    summary: () => summary,
    stack: () => stack,
    isOver: () => over,
  }
}

function startRow(
  before: ResourceRow | undefined,
  metadata: StepMetadata,
  { nowMs, options }: { readonly nowMs: number; readonly options: MessageOptions },
): ResourceRow {
  const state = metadata.new ?? metadata.old
  const custom = state?.custom ?? false
  const isLocal = !custom && metadata.op !== 'refresh' && metadata.op !== 'delete'
  return {
    urn: metadata.urn,
    type: options.urns === true ? '' : removeControls(metadata.type),
    name: displayNameOf(metadata.urn, options),
    parent: state?.parent ?? '',
    op: metadata.op,
    id: state?.id ?? '',
    custom,
    status: isLocal ? 'done' : 'running',
    // The replace that is told after its create took no time of its own.
    startedMs: before !== undefined && metadata.op === 'replace' ? before.startedMs : nowMs,
    endedMs: isLocal ? nowMs : undefined,
    isReplaced: before?.isReplaced === true || isReplacing(metadata.op),
  }
}

function endRow(
  before: ResourceRow | undefined,
  metadata: StepMetadata,
  end: {
    readonly status: 'done' | 'failed'
    readonly nowMs: number
    readonly options: MessageOptions
  },
): ResourceRow {
  const row = before ?? startRow(undefined, metadata, end)
  const isSecondEnd = before !== undefined && before.status !== 'running'
  return {
    ...row,
    op: end.status === 'failed' ? metadata.op : resultOpOf(metadata),
    status: end.status,
    endedMs: isSecondEnd ? row.endedMs : end.nowMs,
  }
}

function isReplacing(op: StepOp): boolean {
  return (
    op === 'replace' ||
    op === 'create-replacement' ||
    op === 'read-replacement' ||
    op === 'import-replacement'
  )
}

/**
 * A refresh before an update keeps its own name in the events; what it found says what it came to.
 */
function resultOpOf(metadata: StepMetadata): StepOp {
  if (metadata.op !== 'refresh') return metadata.op
  if (metadata.new === null) return 'delete'
  const found = JSON.stringify(metadata.new.outputs)
  return found === JSON.stringify(metadata.old?.outputs) ? 'same' : 'update'
}

/** Which rows are worth a line besides those that change something. */
export interface ListingOptions {
  /** What stays as it is. */
  readonly showSames?: boolean
  /** What is read and not managed. */
  readonly showReads?: boolean
}

/** Whether a row is worth a line: what changes something, what failed, and what is asked for. */
export function isListed(
  row: ResourceRow,
  { showSames = false, showReads = false }: ListingOptions,
): boolean {
  if (row.status === 'failed') return true
  if (row.op === 'same' || row.op === 'refresh') return showSames
  return showReads || !reads.has(row.op)
}

const reads: ReadonlySet<StepOp> = new Set([
  'read',
  'read-replacement',
  'discard',
  'discard-replaced',
])
