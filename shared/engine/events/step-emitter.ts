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

/** Reports steps as engine events: redacted, and ordered per URN (pre, then outputs or failed). */
export interface StepEmitter {
  /** Reports the begin of every step except internal ones. */
  readonly emitBegin: (step: Step) => void
  /**
   * Reports the end of a step: its outputs, or a diagnostic and the failure. It also reports the
   * ends of its views.
   */
  readonly emitEnd: (step: Step, end: StepEnd) => void
  /**
   * Counts a step that succeeded for the summary. The component that decided the step calls it
   * once.
   */
  readonly count: (step: Step, end: StepEnd) => void
  /** Reports outputs that a component or the stack registered. */
  readonly emitOutputs: (op: StepOp, old: TrackedState | undefined, state: ResourceState) => void
  readonly report: (severity: DiagnosticEvent['severity'], message: string, urn?: string) => void
  readonly emit: (event: EngineEventPayload) => void
  /** Removes secret texts of the configuration from a message. */
  readonly scrub: (text: string) => string
  /** Returns the logical steps so far, by kind. */
  readonly readCounts: () => Readonly<Record<string, number>>
  /** Reports whether a provider was unable to say whether a change took place. */
  readonly isMaybeCorrupt: () => boolean
}

/** The options of an emitter. `scrub` removes secret texts from any message. */
export interface EmitterOptions {
  readonly isPreview: boolean
  /** Whether the command is `refresh`. Its steps are counted and reported by their result. */
  readonly refreshCommand: boolean
  readonly scrub: (text: string) => string
  /** Whether debug messages are reported. Programs send several for each resource. */
  readonly debug?: boolean
  /**
   * The counts of earlier generator runs of this process. Each run counts its replayed steps again,
   * but not steps that had ended before it.
   */
  readonly counted?: Map<string, number>
}

/** Reports the plugin of a provider to the sink, including default providers. */
function emitPlugin({ provider }: EventSink, { urn, next }: Step): void {
  if (provider === undefined || next === undefined || !isProviderType(next.type)) return
  const { version, downloadUrl } = pluginOf(urn, next.inputs)
  provider(urn, { version, downloadUrl })
}

/** Returns a sink that omits debug messages. */
function withoutDebug(sink: EventSink): EventSink {
  return {
    ...sink,
    emit(event, states) {
      if ('diagnosticEvent' in event && event.diagnosticEvent.severity === 'debug') return
      sink.emit(event, states)
    },
  }
}

/** Creates an emitter. Source: docs/spec/events.md#emission-rules. */
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

/** Reports and counts the views of a step together with their owner. */
function withViews(emitter: StepEmitter): StepEmitter {
  const { emitEnd, count } = emitter
  return {
    ...emitter,
    emitEnd(step, end) {
      // Views that are deleted with their owner are reported before it.
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

/** Returns the event metadata of a step, before it (no end) or after it. */
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

/**
 * Returns the old state of a step. A replaced resource that is deleted at the end is marked for
 * deletion.
 */
function oldStateOf(step: Step, end: StepEnd | undefined): ResourceState | undefined {
  // An import is compared with the state that it found.
  if (isImport(step.op)) return end?.state
  const old = step.old?.state
  const isMarked =
    (step.op === 'create-replacement' && step.effect === 'add-mark' && end?.state !== undefined) ||
    (step.op === 'delete-replaced' && step.effect === 'remove')
  return old === undefined || !isMarked ? old : { ...old, delete: true }
}

/**
 * Returns the new state for an event. Before a step it is the planned state, or for a refresh the
 * recorded one.
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

/** Returns the planned state, or the resulting one after the step. */
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

/**
 * Reports whether a step counts. A read counts only when its result differs from the recorded
 * state.
 */
function isCountedRead(step: Step, end: StepEnd): boolean {
  if (step.op !== 'read') return true
  const old = step.old?.state
  if (old === undefined || end.state === undefined) return false
  return JSON.stringify(redactMap(old.outputs)) !== JSON.stringify(redactMap(end.state.outputs))
}

/** Reports whether a step is hidden from users: default providers and bookkeeping. */
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
