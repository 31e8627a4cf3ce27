import { isDeepStrictEqual } from 'node:util'
import type {
  DiagnosticEvent,
  EngineEventPayload,
  StepMetadata,
  SummaryEvent,
} from '../../shared/engine/events/event.ts'
import { isUrn, nameOf } from '../../shared/names/urn.ts'
import type { StepOp } from '../../shared/records/operation.ts'

/** One step of a resource, as the events told it so far. */
export interface ShownStep {
  readonly urn: string
  readonly type: string
  readonly name: string
  /** URN of the parent, '' for the stack. */
  readonly parent: string
  readonly op: StepOp
  readonly status: 'running' | 'done' | 'failed' | 'unknown'
  /** Part of a preview: nothing takes place. */
  readonly planning: boolean
  readonly component: boolean
  readonly startedMs: number
  readonly endedMs?: number
  /** Facts beside the status: changed keys, or the first line of an error. */
  readonly note: string
  /** Whether something changes, or what it came to matters: it has a line of its own. */
  readonly changed: boolean
}

/** What an event means for someone who prints as things happen. */
export type Change =
  | { readonly kind: 'ended'; readonly step: ShownStep; readonly metadata: StepMetadata }
  | { readonly kind: 'said'; readonly diagnostic: DiagnosticEvent }

/** The outputs of the stack, before and after. */
export interface ShownOutputs {
  readonly old: Readonly<Record<string, unknown>> | undefined
  readonly new: Readonly<Record<string, unknown>> | undefined
}

/** Everything that the events told, readable at any time. */
export interface Model {
  /** Takes one event in and answers what to print of it. */
  readonly apply: (event: EngineEventPayload, nowMs: number) => readonly Change[]
  /** Ends what no event ended: components are done, other steps have an unknown end. */
  readonly close: (nowMs: number) => readonly Change[]
  /** Steps by URN, in order of appearance. */
  readonly steps: ReadonlyMap<string, readonly ShownStep[]>
  /** Warnings and errors, in order. */
  readonly diagnostics: readonly DiagnosticEvent[]
  readonly outputs: () => ShownOutputs | undefined
  readonly summary: () => SummaryEvent | undefined
}

const stackType = 'pulumi:pulumi:Stack'

/**
 * Folds events into what a display shows. Several steps may concern one URN (a replacement has three);
 * an event ends the running step of its URN with the same operation, else the first one that runs.
 */
export function createModel(noteOf: (metadata: StepMetadata) => string): Model {
  const steps = new Map<string, ShownStep[]>()
  const running = new Map<ShownStep, StepMetadata>()
  const diagnostics: DiagnosticEvent[] = []
  let outputs: ShownOutputs | undefined
  let summary: SummaryEvent | undefined

  const begin = (metadata: StepMetadata, planning: boolean, nowMs: number): ShownStep => {
    const step = stepOf(metadata, planning, nowMs)
    const known = steps.get(step.urn)
    if (known === undefined) steps.set(step.urn, [step])
    else known.push(step)
    running.set(step, metadata)
    return step
  }
  const end = (step: ShownStep, changed: Partial<ShownStep>): ShownStep => {
    const ended = { ...step, ...changed }
    const known = steps.get(step.urn)
    known?.splice(known.indexOf(step), 1, ended)
    running.delete(step)
    return ended
  }
  const find = (metadata: StepMetadata): ShownStep | undefined => {
    const open = (steps.get(metadata.urn) ?? []).filter(step => step.status === 'running')
    return open.find(step => step.op === metadata.op) ?? open[0]
  }
  const ended = (metadata: StepMetadata, planning: boolean, nowMs: number): readonly Change[] => {
    if (metadata.type === stackType) outputs = outputsOf(metadata, outputs)
    const open = find(metadata)
    if (open === undefined && steps.has(metadata.urn)) return []
    const { op } = metadata
    const note = noteOf(metadata)
    const started = open ?? begin(metadata, planning, nowMs)
    const changed = isChange(metadata)
    const step = end(started, { op, status: 'done', endedMs: nowMs, note, changed })
    return [{ kind: 'ended', step, metadata }]
  }
  const failed = (metadata: StepMetadata, nowMs: number): readonly Change[] => {
    const open = find(metadata) ?? begin(metadata, false, nowMs)
    const note = firstErrorOf(diagnostics, metadata.urn)
    const step = end(open, { status: 'failed', endedMs: nowMs, note })
    return [{ kind: 'ended', step, metadata }]
  }
  const said = (diagnostic: DiagnosticEvent, nowMs: number): readonly Change[] => {
    const { severity, urn } = diagnostic
    if (severity === 'warning' || severity === 'error') diagnostics.push(diagnostic)
    const told: readonly Change[] = [{ kind: 'said', diagnostic }]
    const open = severity === 'error' ? steps.get(urn ?? '')?.find(isPlannedNow) : undefined
    const metadata = open && running.get(open)
    // A preview has no event for a failed step: the error is all that is told.
    return metadata === undefined ? told : [...told, ...failed(metadata, nowMs)]
  }
  return {
    apply(event, nowMs) {
      if ('resourcePreEvent' in event) {
        const { metadata, planning } = event.resourcePreEvent
        begin(metadata, planning === true, nowMs)
        return []
      }
      if ('resOutputsEvent' in event) {
        const { metadata, planning } = event.resOutputsEvent
        return ended(metadata, planning === true, nowMs)
      }
      if ('resOpFailedEvent' in event) return failed(event.resOpFailedEvent.metadata, nowMs)
      if ('diagnosticEvent' in event) return said(event.diagnosticEvent, nowMs)
      if ('summaryEvent' in event) summary = event.summaryEvent
      return []
    },
    close: nowMs =>
      [...running].map(([step, metadata]) => {
        const status = step.component || step.planning ? 'done' : 'unknown'
        const note = status === 'done' ? noteOf(metadata) : ''
        return { kind: 'ended', step: end(step, { status, endedMs: nowMs, note }), metadata }
      }),
    steps,
    diagnostics,
    outputs: () => outputs,
    summary: () => summary,
  }
}

/** The name of a resource; a text that is no URN stands for itself. */
export function shownName(urn: string): string {
  return isUrn(urn) ? nameOf(urn) : urn
}

function stepOf(metadata: StepMetadata, planning: boolean, nowMs: number): ShownStep {
  const state = metadata.new ?? metadata.old
  return {
    urn: metadata.urn,
    type: metadata.type,
    name: shownName(metadata.urn),
    parent: state?.parent ?? '',
    op: metadata.op,
    status: 'running',
    planning,
    component: state?.custom !== true,
    startedMs: nowMs,
    note: '',
    changed: metadata.op !== 'same' && metadata.op !== 'refresh',
  }
}

/** A refresh matters when it found something else than the state had. */
function isChange(metadata: StepMetadata): boolean {
  if (metadata.op !== 'refresh') return metadata.op !== 'same'
  return !isDeepStrictEqual(metadata.old?.outputs, metadata.new?.outputs)
}

/** A stack whose outputs are told twice (its step, then what it registered) keeps the first old ones. */
function outputsOf(metadata: StepMetadata, before: ShownOutputs | undefined): ShownOutputs {
  return { old: (before ?? { old: metadata.old?.outputs }).old, new: metadata.new?.outputs }
}

function isPlannedNow(step: ShownStep): boolean {
  return step.planning && step.status === 'running'
}

function firstErrorOf(diagnostics: readonly DiagnosticEvent[], urn: string): string {
  const found = diagnostics.findLast(said => said.urn === urn && said.severity === 'error')
  return found?.message.trim().split('\n')[0] ?? ''
}
