import { isDefaultProviderName, isProviderType } from '../../names/provider-reference.ts'
import { nameOf } from '../../names/urn.ts'
import { readProviderPlugin } from '../../providers/provider-inputs.ts'
import type { StepOp } from '../../records/operation.ts'
import type { ResourceState } from '../../state/resource.ts'
import { emptyMap } from '../../values/value.ts'
import { redactMap } from '../../values/special-values.ts'
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
import { toMaskedResource, type PreviewDigestStates } from './preview-digest-states.ts'

/**
 * The emitter of steps as engine events. The events are redacted. For each URN, the event of the
 * begin of a step precedes the event of its outputs or failure.
 */
export interface StepEmitter {
  /** Reports the begin of every step except internal ones. */
  readonly emitBegin: (step: Step) => void
  /**
   * Reports the end of a step: its outputs, or a diagnostic and the failure. The ends of its views
   * are reported too. A deployment reports outputs of a component by `emitOutputs` instead.
   */
  readonly emitEnd: (step: Step, end: StepEnd) => void
  /**
   * Adds a successful step to the counts of the summary, and notes an unknown result. Called once
   * for each step, by the code that decided the step.
   */
  readonly count: (step: Step, end: StepEnd) => void
  /** Reports outputs that a component or the stack registered. */
  readonly emitOutputs: (op: StepOp, old: TrackedState | undefined, state: ResourceState) => void
  readonly report: (severity: DiagnosticEvent['severity'], message: string, urn?: string) => void
  readonly emit: (event: EngineEventPayload) => void
  /** Replaces secret texts of the configuration in a message. */
  readonly redact: (text: string) => string
  /** Returns the number of counted steps by kind, over all generator runs that share the counts. */
  readonly readCounts: () => Readonly<Record<string, number>>
  /** Reports whether the result of a counted step is unknown. Pulumi's word is "maybe corrupt". */
  readonly isMaybeCorrupt: () => boolean
}

/** The options of an emitter. `redact` replaces secret texts in any message. */
export interface EmitterOptions {
  readonly isPreview: boolean
  /**
   * Whether the command is `refresh`. Its refresh steps are counted and reported as the step that
   * resulted, such as `update` or `same`.
   */
  readonly isRefreshCommand: boolean
  readonly redact: (text: string) => string
  /** Whether debug messages are reported. Programs send several for each resource. */
  readonly debug?: boolean
  /**
   * The step counts that successive generator runs share. Each run counts its replayed steps again,
   * so the larger of the old and the new count is kept.
   */
  readonly sharedCounts?: Map<string, number>
}

/** Reports the plugin of a provider step to the sink. Default providers are reported too. */
function emitPlugin({ reportPlugin }: EventSink, { urn, next }: Step): void {
  if (reportPlugin === undefined || next === undefined || !isProviderType(next.type)) return
  const { version, downloadUrl } = readProviderPlugin(urn, next.inputs)
  reportPlugin(urn, { version, downloadUrl })
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
  const { sharedCounts = new Map<string, number>() } = options
  let hasUnknownResult = false
  const report: StepEmitter['report'] = (severity, message, urn) => {
    const urnField = urn === undefined ? {} : { urn }
    const fields = { ...urnField, prefix: `${severity}: `, message: options.redact(message) }
    sink.emit({ diagnosticEvent: { ...fields, color: 'raw', severity } })
  }
  const planningField = options.isPreview ? { planning: true } : {}
  const resultOpOf = (step: Step, end: StepEnd): StepOp =>
    options.isRefreshCommand && step.op === 'refresh' ? (end.resultOp ?? 'same') : step.op
  const count: StepEmitter['count'] = (step, end) => {
    if (end.error?.status === 'unknown') hasUnknownResult = true
    if (end.error !== undefined || isInternal(step)) return
    const op = resultOpOf(step, end)
    const isRefreshResult = options.isRefreshCommand && step.op === 'refresh'
    if (!isRefreshResult && !(isLogical(op) && isCounted(step, end))) return
    counts[op] = (counts[op] ?? 0) + 1
    sharedCounts.set(op, Math.max(sharedCounts.get(op) ?? 0, counts[op]))
  }
  const emitEnd: StepEmitter['emitEnd'] = (step, end) => {
    const isInternalStep = isInternal(step)
    if (end.error !== undefined) {
      report(
        'error',
        options.isPreview ? `Preview failed: ${end.error.message}` : end.error.message,
        isInternalStep ? undefined : step.urn,
      )
      if (isInternalStep || options.isPreview) return
      const status = { ok: 0, partial: 1, unknown: 2 }[end.error.status]
      const steps = Object.values(counts).reduce((sum, stepCount) => sum + stepCount, 0)
      sink.emit({ resOpFailedEvent: { metadata: metadataOf(step, step.op, end), status, steps } })
      return
    }
    if (isInternalStep) return
    const op = resultOpOf(step, end)
    const state = end.state ?? step.next ?? step.old?.state
    const isComponent = state?.custom !== true && state?.viewOf === ''
    // The outputs of a component are reported when the program registers them.
    if (!options.isPreview && isComponent && step.op !== 'refresh' && step.op !== 'delete') return
    const event = { resOutputsEvent: { metadata: metadataOf(step, op, end), ...planningField } }
    sink.emit(event, () => previewDigestStatesOf(step, end))
  }
  return withViewEvents({
    emitBegin(step) {
      emitPlugin(sink, step)
      if (isInternal(step)) return
      const event = { metadata: metadataOf(step, step.op, undefined), ...planningField }
      sink.emit({ resourcePreEvent: event }, () => previewDigestStatesOf(step, undefined))
    },
    emitEnd,
    count,
    emitOutputs(op, old, state) {
      const step = stepOf({ op, effect: 'none', old, next: state })
      const stepMetadata = metadataOf(step, op, successEndOf(state))
      sink.emit({ resOutputsEvent: { metadata: stepMetadata, ...planningField } })
    },
    report,
    emit: sink.emit,
    redact: options.redact,
    readCounts: () => Object.fromEntries(sharedCounts),
    isMaybeCorrupt: () => hasUnknownResult,
  })
}

/** Reports and counts the views of a step together with their owner. */
function withViewEvents(emitter: StepEmitter): StepEmitter {
  const { emitEnd, count } = emitter
  return {
    ...emitter,
    emitEnd(step, end) {
      // Views that are deleted with their owner are reported before the owner.
      const isOwnerLast = step.next === undefined && step.op !== 'refresh'
      if (!isOwnerLast) emitEnd(step, end)
      for (const view of end.views ?? []) emitEnd(view.step, view.end)
      if (isOwnerLast) emitEnd(step, end)
    },
    count(step, end) {
      for (const view of end.views ?? []) count(view.step, view.end)
      count(step, end)
    },
  }
}

/**
 * Returns the metadata of a step for an event: before the step (without an end), or after the step.
 */
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
 * Returns the old state of a step for an event. A replaced old state is marked for deletion in the
 * event after the create of its replacement, and in the events of its later delete.
 */
function oldStateOf(step: Step, end: StepEnd | undefined): ResourceState | undefined {
  // The old state in the event of an import is the state that the provider read.
  if (isImport(step.op)) return end?.state
  const old = step.old?.state
  const isMarkedForDeletion =
    (step.op === 'create-replacement' && step.effect === 'add-mark' && end?.state !== undefined) ||
    (step.op === 'delete-replaced' && step.effect === 'remove')
  return old === undefined || !isMarkedForDeletion ? old : { ...old, delete: true }
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
  // As in Pulumi, the event before a `same` step shows only the fields that the program requested.
  if (end === undefined && step.op === 'same') return { ...next, id: '', outputs: emptyMap }
  // An update keeps the id, so the id is known even if the update failed.
  if (end?.state === undefined && end !== undefined && step.op === 'update')
    return { ...next, id: old?.id ?? next.id }
  return next
}

/**
 * Returns the state that resulted from a step, otherwise the planned state. Returns undefined if a
 * refresh found that the resource is gone.
 */
function newStateOf(step: Step, end: StepEnd | undefined): ResourceState | undefined {
  return end?.state ?? (end?.resultOp === 'delete' ? undefined : step.next)
}

function previewDigestStatesOf(step: Step, end: StepEnd | undefined): PreviewDigestStates {
  const [old, next] = [step.old?.state, newStateOf(step, end)]
  return {
    old: old === undefined ? undefined : toMaskedResource(old),
    new: next === undefined ? undefined : toMaskedResource(next),
  }
}

/**
 * Reports whether the summary counts a step. It counts a read only if the read outputs differ from
 * the recorded ones.
 */
function isCounted(step: Step, end: StepEnd): boolean {
  if (step.op !== 'read') return true
  const old = step.old?.state
  if (old === undefined || end.state === undefined) return false
  return JSON.stringify(redactMap(old.outputs)) !== JSON.stringify(redactMap(end.state.outputs))
}

/**
 * Reports whether a step is hidden from users: a step of a default provider, a join, a hook, or the
 * removal of a pending replacement.
 */
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
