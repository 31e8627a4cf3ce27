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
 * The latest step of a resource, according to the events. The status `running` changes to `done` or
 * `failed`. A step of a component is done when it begins, unless it is a refresh or a delete.
 */
export interface ResourceRow {
  readonly urn: string
  /** '' when the name is the whole URN, which contains the type. */
  readonly type: string
  readonly name: string
  /** URN of the parent, '' for none. */
  readonly parent: string
  /** The kind of step; for a refresh that ended, the kind of its result. */
  readonly op: StepOp
  /** The resource id in the step's state. It tells apart two copies, which have the same URN. */
  readonly id: string
  readonly custom: boolean
  readonly status: 'running' | 'done' | 'failed'
  readonly startedMs: number
  /** The end time, undefined while the step runs. */
  readonly endedMs: number | undefined
  /** Whether this step, or an earlier one of this deployment, replaces the resource. */
  readonly isReplaced: boolean
  /** The names of the properties that an update or a replacement changes. */
  readonly changedKeys: readonly string[]
}

/** A change that an event causes: a step has ended, or there is a message. */
export type ProgressChange =
  | { readonly kind: 'ended'; readonly row: ResourceRow; readonly metadata: StepMetadata }
  | { readonly kind: 'message'; readonly message: Message }

/** The accumulated events of one deployment. */
export interface Progress {
  /** Adds the next event, and returns its changes. `nowMs`: the time of any monotonic clock. */
  readonly add: (event: EngineEventPayload, nowMs: number) => readonly ProgressChange[]
  /** Returns the latest step of each resource, in order of first appearance. */
  readonly listRows: () => readonly ResourceRow[]
  readonly listMessages: () => readonly Message[]
  readonly readSummary: () => SummaryEvent | undefined
  /** Returns the last step of the stack itself that has ended. Undefined before the first one. */
  readonly readStackStep: () => StepMetadata | undefined
  /** Reports whether the last event was received. */
  readonly isOver: () => boolean
}

/**
 * Creates a collector of events. It keeps one row per resource, so its size grows with the
 * resources and not with the events.
 */
export function createProgress(options: MessageOptions = {}): Progress {
  const rows = new Map<string, ResourceRow>()
  const messages: Message[] = []
  let summary: SummaryEvent | undefined
  let stackStep: StepMetadata | undefined
  let hasEnded = false
  const recordEnd = (
    metadata: StepMetadata,
    status: 'done' | 'failed',
    nowMs: number,
  ): ProgressChange[] => {
    const previousRow = rows.get(metadata.urn)
    const row = endRow(previousRow, metadata, { status, nowMs, options })
    rows.set(metadata.urn, row)
    // The outputs event of a component repeats an end that was already reported.
    const isReported =
      previousRow !== undefined &&
      previousRow.status === row.status &&
      previousRow.op === row.op &&
      previousRow.id === row.id
    return isReported ? [] : [{ kind: 'ended', row, metadata }]
  }
  const add: Progress['add'] = (event, nowMs) => {
    if ('resourcePreEvent' in event) {
      const { metadata } = event.resourcePreEvent
      const row = startRow(rows.get(metadata.urn), metadata, { nowMs, options })
      rows.set(row.urn, row)
      return row.status === 'done' ? [{ kind: 'ended', row, metadata }] : []
    }
    if ('resOutputsEvent' in event) {
      const { metadata } = event.resOutputsEvent
      if (metadata.type === stackType) stackStep = metadata
      return recordEnd(metadata, 'done', nowMs)
    }
    if ('resOpFailedEvent' in event)
      return recordEnd(event.resOpFailedEvent.metadata, 'failed', nowMs)
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
    // Every deployment ends with this event, also if nothing was cancelled.
    if ('cancelEvent' in event) hasEnded = true
    return []
  }
  return {
    add,
    listRows: () => [...rows.values()],
    listMessages: () => messages,
    readSummary: () => summary,
    readStackStep: () => stackStep,
    isOver: () => hasEnded,
  }
}

function startRow(
  previousRow: ResourceRow | undefined,
  metadata: StepMetadata,
  { nowMs, options }: { readonly nowMs: number; readonly options: MessageOptions },
): ResourceRow {
  const state = metadata.new ?? metadata.old
  const custom = state?.custom ?? false
  const isDoneAtBegin = !custom && metadata.op !== 'refresh' && metadata.op !== 'delete'
  return {
    urn: metadata.urn,
    type: options.urns === true ? '' : removeControls(metadata.type),
    name: displayNameOf(metadata.urn, options),
    parent: state?.parent ?? '',
    op: metadata.op,
    id: state?.id ?? '',
    custom,
    status: isDoneAtBegin ? 'done' : 'running',
    // A replace step is reported after the create of its replacement, and takes no extra time.
    startedMs:
      previousRow !== undefined && metadata.op === 'replace' ? previousRow.startedMs : nowMs,
    endedMs: isDoneAtBegin ? nowMs : undefined,
    isReplaced: previousRow?.isReplaced === true || isPartOfReplacement(metadata.op),
    changedKeys: listChangedKeys(metadata, previousRow),
  }
}

function endRow(
  previousRow: ResourceRow | undefined,
  metadata: StepMetadata,
  details: {
    readonly status: 'done' | 'failed'
    readonly nowMs: number
    readonly options: MessageOptions
  },
): ResourceRow {
  const row = previousRow ?? startRow(undefined, metadata, details)
  const isSecondEnd = previousRow !== undefined && previousRow.status !== 'running'
  return {
    ...row,
    op: details.status === 'failed' ? metadata.op : resultOpOf(metadata),
    status: details.status,
    endedMs: isSecondEnd ? row.endedMs : details.nowMs,
  }
}

/**
 * Returns the names of the changed properties. The delete of a replaced resource keeps those of its
 * replacement.
 */
function listChangedKeys(
  { op, old, new: next, diffs, detailedDiff }: StepMetadata,
  previousRow: ResourceRow | undefined,
): readonly string[] {
  if (op === 'delete-replaced') return previousRow?.changedKeys ?? []
  if (old === null || next === null || !changingOps.has(op)) return []
  const detailedPaths = Object.keys(detailedDiff ?? {})
  const paths = detailedPaths.length === 0 ? (diffs ?? []) : detailedPaths
  const keys = paths.map(path => removeControls(path.split(/[.[]/, 1)[0] ?? path))
  return [...new Set(keys)].filter(key => key !== '' && !key.startsWith('__')).toSorted()
}

const changingOps: ReadonlySet<StepOp> = new Set(['update', 'replace', 'create-replacement'])

function isPartOfReplacement(op: StepOp): boolean {
  return (
    op === 'replace' ||
    op === 'create-replacement' ||
    op === 'read-replacement' ||
    op === 'import-replacement'
  )
}

/**
 * Returns the kind of a step's result. In the events, a refresh before an update keeps the kind
 * `refresh`, so the kind of the result is derived from the states.
 */
function resultOpOf(metadata: StepMetadata): StepOp {
  if (metadata.op !== 'refresh') return metadata.op
  if (metadata.new === null) return 'delete'
  const outputs = JSON.stringify(metadata.new.outputs)
  return outputs === JSON.stringify(metadata.old?.outputs) ? 'same' : 'update'
}

/** Options that add rows to a listing of the changes. */
export interface ListingOptions {
  /** Whether unchanged resources are listed. */
  readonly showSames?: boolean
  /** Whether resources that are only read are listed. */
  readonly showReads?: boolean
}

/**
 * Reports whether a row is listed. Changes and failures are always listed, unchanged and read
 * resources on request.
 */
export function isListed(
  row: ResourceRow,
  { showSames = false, showReads = false }: ListingOptions,
): boolean {
  if (row.status === 'failed') return true
  // A refresh that has ended has the kind of its result instead.
  if (row.op === 'same' || row.op === 'refresh') return showSames
  return showReads || !readOps.has(row.op)
}

const readOps: ReadonlySet<StepOp> = new Set([
  'read',
  'read-replacement',
  'discard',
  'discard-replaced',
])
