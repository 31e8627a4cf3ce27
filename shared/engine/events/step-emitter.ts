import { isDefaultProviderName, isProviderType } from '../../names/provider-reference.ts'
import { nameOf } from '../../names/urn.ts'
import { pluginOf } from '../../providers/provider-inputs.ts'
import type { StepOp } from '../../records/operation.ts'
import type { ResourceState } from '../../state/resource.ts'
import { emptyMap } from '../../values/value.ts'
import { redactMap } from '../../values/walk.ts'
import {
  isImport,
  isLogical,
  type Step,
  stepOf,
  type StepReason,
  type TrackedState,
} from '../step.ts'
import { type StepEnd, successEndOf } from '../step-end.ts'
import type {
  DiagnosticEvent,
  EngineEventPayload,
  EventSink,
  StepMetadata,
  StepState,
} from './event.ts'
import { toShownResource, type WholeStates } from './whole-states.ts'

/**
 * Tells what happens, as engine events: ordered per URN (pre, then outputs or failed), redacted.
 */
export interface StepEmitter {
  /** Before a step begins; every step but internal ones. */
  readonly emitBegin: (step: Step) => void
  /** After a step: outputs, or a diagnostic and the failure; and what became of its views. */
  readonly emitEnd: (step: Step, end: StepEnd) => void
  /**
   * Counts a step that succeeded, as the summary shows it; once per step, by whoever decided it.
   */
  readonly count: (step: Step, end: StepEnd) => void
  /** Outputs that a component or the stack registered. */
  readonly emitOutputs: (op: StepOp, old: TrackedState | undefined, state: ResourceState) => void
  readonly report: (severity: DiagnosticEvent['severity'], message: string, urn?: string) => void
  readonly emit: (event: EngineEventPayload) => void
  /** Takes secret texts of the configuration out of a message. */
  readonly scrub: (text: string) => string
  /** Logical steps by kind, so far. */
  readonly readCounts: () => Readonly<Record<string, number>>
  /** Whether a provider could not say whether something took place. */
  readonly isMaybeCorrupt: () => boolean
}

/** What an emitter is about. `scrub` takes secret texts out of any message. */
export interface EmitterOptions {
  readonly isPreview: boolean
  /** Refresh as the command: its steps are counted and told by what they came to. */
  readonly refreshCommand: boolean
  readonly scrub: (text: string) => string
  /** Whether messages for debugging are told, of which programs send some for each resource. */
  readonly debug?: boolean
  /**
   * What earlier lives of this process counted: each counts again what it replays, and none what
   * had come to its end before it.
   */
  readonly counted?: Map<string, number>
}

/** Tells who wants to know of the plugin of a provider, of default ones too. */
function emitPlugin({ provider }: EventSink, { urn, next }: Step): void {
  if (provider === undefined || next === undefined || !isProviderType(next.type)) return
  const { version, downloadUrl } = pluginOf(urn, next.inputs)
  provider(urn, { version, downloadUrl })
}

/** A sink that is told nothing that is for debugging only. */
function withoutDebug(sink: EventSink): EventSink {
  return {
    ...sink,
    emit(event, states) {
      if ('diagnosticEvent' in event && event.diagnosticEvent.severity === 'debug') return
      sink.emit(event, states)
    },
  }
}

/** Makes an emitter. Source: docs/spec/events.md#emission-rules. */
export function createStepEmitter(fullSink: EventSink, options: EmitterOptions): StepEmitter {
  const sink = options.debug === true ? fullSink : withoutDebug(fullSink)
  const counts: Record<string, number> = {}
  const { counted = new Map<string, number>() } = options
  let maybeCorrupt = false
  const report: StepEmitter['report'] = (severity, message, urn) => {
    const about_ = urn === undefined ? {} : { urn }
    const fields = { ...about_, prefix: `${severity}: `, message: options.scrub(message) }
    sink.emit({ diagnosticEvent: { ...fields, color: 'raw', severity } })
  }
  const planning = options.isPreview ? { planning: true } : {}
  const resultOf = (step: Step, end: StepEnd): StepOp =>
    options.refreshCommand && step.op === 'refresh' ? (end.resultOp ?? 'same') : step.op
  const count: StepEmitter['count'] = (step, end) => {
    if (end.error?.status === 'unknown') maybeCorrupt = true
    if (end.error !== undefined || isInternal(step)) return
    const op = resultOf(step, end)
    const resulted = options.refreshCommand && step.op === 'refresh'
    if (!resulted && !(isLogical(op) && isCountedRead(step, end))) return
    counts[op] = (counts[op] ?? 0) + 1
    counted.set(op, Math.max(counted.get(op) ?? 0, counts[op]))
  }
  const emitEnd: StepEmitter['emitEnd'] = (step, end) => {
    const internal = isInternal(step)
    if (end.error !== undefined) {
      report(
        'error',
        options.isPreview ? `Preview failed: ${end.error.message}` : end.error.message,
        internal ? undefined : step.urn,
      )
      if (internal || options.isPreview) return
      const status = { ok: 0, partial: 1, unknown: 2 }[end.error.status]
      const steps = Object.values(counts).reduce((sum, one) => sum + one, 0)
      sink.emit({ resOpFailedEvent: { metadata: metadataOf(step, step.op, end), status, steps } })
      return
    }
    if (internal) return
    const op = resultOf(step, end)
    const custom = (end.state ?? step.next ?? step.old?.state)?.custom ?? false
    const isShown = custom || (end.state ?? step.next ?? step.old?.state)?.viewOf !== ''
    if (!options.isPreview && !isShown && step.op !== 'refresh' && step.op !== 'delete') return
    const event = { resOutputsEvent: { metadata: metadataOf(step, op, end), ...planning } }
    sink.emit(event, () => wholeStatesOf(step, end))
  }
  return withViews({
    emitBegin(step) {
      emitPlugin(sink, step)
      if (isInternal(step)) return
      const event = { metadata: metadataOf(step, step.op, undefined), ...planning }
      sink.emit({ resourcePreEvent: event }, () => wholeStatesOf(step, undefined))
    },
    emitEnd,
    count,
    emitOutputs(op, old, state) {
      const step = stepOf({ op, effect: 'none', old, next: state })
      const metadata_ = metadataOf(step, op, successEndOf(state))
      sink.emit({ resOutputsEvent: { metadata: metadata_, ...planning } })
    },
    report,
    emit: sink.emit,
    scrub: options.scrub,
    readCounts: () => Object.fromEntries(counted),
    isMaybeCorrupt: () => maybeCorrupt,
  })
}

/** Tells what became of views with the end of their owner, and counts them with it. */
function withViews(emitter: StepEmitter): StepEmitter {
  const { emitEnd, count } = emitter
  return {
    ...emitter,
    emitEnd(step, end) {
      // What is deleted with its owner goes before it.
      const isBefore = step.next === undefined && step.op !== 'refresh'
      if (!isBefore) emitEnd(step, end)
      for (const view of end.views ?? []) emitEnd(view.step, view.end)
      if (isBefore) emitEnd(step, end)
    },
    count(step, end) {
      for (const view of end.views ?? []) count(view.step, view.end)
      count(step, end)
    },
  }
}

/** What an event says of a step, before (no end) or after it. */
function metadataOf(step: Step, op: StepOp, end: StepEnd | undefined): StepMetadata {
  const old = oldStateOf(step, end)
  const next = eventStateOf(step, end)
  const reason = end?.reason ?? step.reason
  return {
    op,
    urn: step.urn,
    type: step.type,
    old: old === undefined ? null : stepStateOf(old),
    new: next === undefined ? null : stepStateOf(next),
    ...(reason.keys.length > 0 ? { keys: reason.keys } : {}),
    ...(reason.diffs.length > 0 ? { diffs: reason.diffs } : {}),
    detailedDiff: detailedDiffOf(reason),
    ...(isLogical(step.op) ? { logical: true } : {}),
    provider: step.provider,
  }
}

/** What was there: of what is replaced and goes at the end, a copy that is to be deleted. */
function oldStateOf(step: Step, end: StepEnd | undefined): ResourceState | undefined {
  // What an import found is what it is shown against.
  if (isImport(step.op)) return end?.state
  const old = step.old?.state
  const isMarked =
    (step.op === 'create-replacement' && step.effect === 'add-mark' && end?.state !== undefined) ||
    (step.op === 'delete-replaced' && step.effect === 'remove')
  return old === undefined || !isMarked ? old : { ...old, delete: true }
}

/**
 * The new state as events have it: before a step only what is wished for, and of a refresh what is
 * there.
 */
function eventStateOf(step: Step, end: StepEnd | undefined): ResourceState | undefined {
  const old = step.old?.state
  if (end === undefined && step.op === 'refresh') return old
  const next = newStateOf(step, end)
  if (next === undefined || next === old) return next
  if (end === undefined && step.op === 'same') return { ...next, id: '', outputs: emptyMap }
  if (end?.state === undefined && end !== undefined && step.op === 'update')
    return { ...next, id: old?.id ?? next.id }
  return next
}

/** What the resource is to be, or is, after the step. */
function newStateOf(step: Step, end: StepEnd | undefined): ResourceState | undefined {
  return end?.state ?? (end?.resultOp === 'delete' ? undefined : step.next)
}

function wholeStatesOf(step: Step, end: StepEnd | undefined): WholeStates {
  const [old, next] = [step.old?.state, newStateOf(step, end)]
  return {
    old: old === undefined ? undefined : toShownResource(old),
    new: next === undefined ? undefined : toShownResource(next),
  }
}

/** A read counts only when it found something else than before. */
function isCountedRead(step: Step, end: StepEnd): boolean {
  if (step.op !== 'read') return true
  const old = step.old?.state
  if (old === undefined || end.state === undefined) return false
  return JSON.stringify(redactMap(old.outputs)) !== JSON.stringify(redactMap(end.state.outputs))
}

/** Steps that people are not shown: default providers and bookkeeping. */
function isInternal(step: Pick<Step, 'op' | 'type' | 'urn'>): boolean {
  if (['remove-pending-replace', 'join', 'hook'].includes(step.op)) return true
  return isProviderType(step.type) && isDefaultProviderName(nameOf(step.urn))
}

function detailedDiffOf({ detailedDiff }: StepReason): StepMetadata['detailedDiff'] {
  if (detailedDiff === null) return null
  return Object.fromEntries(
    [...detailedDiff].map(([path, { kind, inputDiff }]) => [path, { diffKind: kind, inputDiff }]),
  )
}

function stepStateOf(state: ResourceState): StepState {
  return {
    type: state.type,
    urn: state.urn,
    ...(state.custom ? { custom: true } : {}),
    ...(state.delete ? { delete: true } : {}),
    id: state.id,
    parent: state.parent,
    ...(state.protect ? { protect: true } : {}),
    ...(state.taint ? { taint: true } : {}),
    ...(state.external ? { external: true } : {}),
    ...(state.retainOnDelete ? { retainOnDelete: true } : {}),
    inputs: redactMap(state.inputs),
    outputs: redactMap(state.outputs),
    provider: state.provider,
    ...(state.initErrors.length > 0 ? { initErrors: state.initErrors } : {}),
    ...(state.hideDiff.length > 0 ? { hideDiffs: state.hideDiff } : {}),
  }
}
