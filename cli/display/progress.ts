import type {
  DiagnosticEvent,
  EngineEventPayload,
  StepMetadata,
  SummaryEvent,
} from '../../shared/engine/events/event.ts'
import type { PolicyIdentity } from '../../shared/engine/events/policy-events.ts'
import { isUrn, nameOf, stackType } from '../../shared/names/urn.ts'
import type { StepOp } from '../../shared/records/operation.ts'
import { cleanText } from './paint.ts'

/**
 * One step of a resource, as the events told it. States:
 * running → done | failed; a component's step is done when it begins, for no provider does
 * anything.
 */
export interface Row {
  readonly urn: string
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

/** A message, cleaned of control characters; `urn` '' when it is about no resource. */
export interface Message {
  readonly severity: DiagnosticEvent['severity']
  readonly urn: string
  readonly text: string
  readonly ephemeral: boolean
}

/** What an event changed, for a display that goes line by line. */
export type Change =
  | { readonly kind: 'ended'; readonly row: Row; readonly metadata: StepMetadata }
  | { readonly kind: 'message'; readonly message: Message }

/** All that the events of one deployment told so far. */
export interface Progress {
  /** Takes the next event in; `nowMs` is any clock that only goes forward. */
  readonly take: (event: EngineEventPayload, nowMs: number) => readonly Change[]
  /** The latest step of each resource, in order of first appearance. */
  readonly rows: () => readonly Row[]
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
export function createProgress(): Progress {
  const rows = new Map<string, Row>()
  const messages: Message[] = []
  let summary: SummaryEvent | undefined
  let stack: StepMetadata | undefined
  let over = false
  const end = (metadata: StepMetadata, status: 'done' | 'failed', nowMs: number): Change[] => {
    const before = rows.get(metadata.urn)
    const row = endedRow(before, metadata, { status, nowMs })
    rows.set(metadata.urn, row)
    // Outputs that a component registers tell of an end that was told before.
    const isTold =
      before !== undefined &&
      before.status === row.status &&
      before.op === row.op &&
      before.id === row.id
    return isTold ? [] : [{ kind: 'ended', row, metadata }]
  }
  const take: Progress['take'] = (event, nowMs) => {
    if ('resourcePreEvent' in event) {
      const { metadata } = event.resourcePreEvent
      const row = startedRow(rows.get(metadata.urn), metadata, nowMs)
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
      const message = messageIn(event)
      if (message === undefined) return []
      if (!message.ephemeral) messages.push(message)
      return [{ kind: 'message', message }]
    }
    if ('startDebuggingEvent' in event) {
      const text = `waiting for a debugger: ${JSON.stringify(event.startDebuggingEvent.config)}`
      return [{ kind: 'message', message: { ...calm, text: cleanText(text) } }]
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

/** What is told as it happens, and not again at the end. */
const calm = { severity: 'info', urn: '', ephemeral: false } as const

function startedRow(before: Row | undefined, metadata: StepMetadata, nowMs: number): Row {
  const state = metadata.new ?? metadata.old
  const custom = state?.custom ?? false
  const isLocal = !custom && metadata.op !== 'refresh' && metadata.op !== 'delete'
  return {
    urn: metadata.urn,
    type: cleanText(metadata.type),
    name: nameOfUrn(metadata.urn),
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

function endedRow(
  before: Row | undefined,
  metadata: StepMetadata,
  end: { readonly status: 'done' | 'failed'; readonly nowMs: number },
): Row {
  const row = before ?? startedRow(undefined, metadata, end.nowMs)
  const isSecondEnd = before !== undefined && before.status !== 'running'
  return {
    ...row,
    op: end.status === 'failed' ? metadata.op : resultOf(metadata),
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
function resultOf(metadata: StepMetadata): StepOp {
  if (metadata.op !== 'refresh') return metadata.op
  if (metadata.new === null) return 'delete'
  const found = JSON.stringify(metadata.new.outputs)
  return found === JSON.stringify(metadata.old?.outputs) ? 'same' : 'update'
}

/** What somebody says: program, engine, provider, or a policy. */
function messageIn(event: EngineEventPayload): Message | undefined {
  if ('diagnosticEvent' in event) return messageOf(event.diagnosticEvent)
  const urnOf = ({ resourceUrn = '' }: { readonly resourceUrn?: string }): string => resourceUrn
  if ('policyEvent' in event) {
    const { policyEvent: policy } = event
    const { enforcementLevel: level } = policy
    const message = `[${level}] ${policyName(policy)}\n${policy.message}`
    const severity = level === 'mandatory' ? 'error' : 'warning'
    return messageOf({ severity, message, color: 'raw', urn: urnOf(policy) })
  }
  if (!('policyRemediationEvent' in event)) return undefined
  const { policyRemediationEvent: policy } = event
  const message = `[remediate] ${policyName(policy)}`
  return messageOf({ severity: 'info', message, color: 'raw', urn: urnOf(policy) })
}

function policyName(policy: PolicyIdentity & { readonly policyName: string }): string {
  return `${policy.policyPackName}@v${policy.policyPackVersion}  ${policy.policyName}`
}

/** Messages that a person is to see; nothing of empty ones and those for debugging. */
function messageOf(event: DiagnosticEvent): Message | undefined {
  const text = cleanText(event.message).trimEnd()
  if (text.trim() === '' || event.severity === 'debug') return undefined
  return {
    severity: event.severity,
    urn: event.urn ?? '',
    text,
    ephemeral: event.ephemeral ?? false,
  }
}

/** The name in a URN; a text that is no URN is its own name. */
export function nameOfUrn(urn: string): string {
  // A name must not make lines of its own.
  return cleanText(isUrn(urn) ? nameOf(urn) : urn).replaceAll(/\s*\n\s*/g, ' ')
}

/** Whether a row is worth a line: everything but what stays as it is. */
export function isListed(row: Row): boolean {
  return row.status === 'failed' || (row.op !== 'same' && row.op !== 'refresh')
}
