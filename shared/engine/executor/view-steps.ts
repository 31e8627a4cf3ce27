import { markSecretOutputs } from '../secret-outputs.ts'
import { childUrnOf, nameOf, urnPartsOf, typeOf, type Urn } from '../../names/urn.ts'
import type { PropertyDiff } from '../../providers/provider.ts'
import type { OutcomeError } from '../../records/head.ts'
import type { StateEffect, StepOp } from '../../records/operation.ts'
import { type ResourceState, createResourceState } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'
import { stepOf, type TrackedState } from '../step.ts'
import type { StepEnd, ViewEnd } from '../step-end.ts'

/** The state of a view before or after one of its steps. */
export interface ReportedViewState {
  readonly type: string
  readonly name: string
  readonly inputs: PropertyMap
  readonly outputs: PropertyMap
}

/** A view step as its provider reports it. */
export interface ReportedViewStep {
  readonly op: StepOp
  readonly status: OutcomeError['status']
  /** The error message, or '' when the step succeeded. */
  readonly error: string
  readonly old: ReportedViewState | undefined
  readonly next: ReportedViewState | undefined
  readonly keys: readonly string[]
  readonly diffs: readonly string[]
  readonly detailedDiff: ReadonlyMap<string, PropertyDiff> | null
}

/** The resource to which the views belong. */
export interface ViewOwner {
  readonly urn: Urn
  /** The views of the owner in the base. */
  readonly views: readonly TrackedState[]
  /**
   * Whether the call reads the owner for a refresh. In such a call, every view step is a refresh.
   */
  readonly isRefresh: boolean
  /** Whether the call creates the owner. An older copy of the owner may still exist. */
  readonly isCreate: boolean
}

/**
 * Converts a reported step into a view step with its end. The URN of the view is below the URN of
 * its owner, and the old state comes from the base. Throws an error for the provider when the old
 * state is unknown, or when the step lacks a state that its kind requires. Source:
 * docs/spec/step-execution.md#views.
 */
export function viewEndOf(reportedStep: ReportedViewStep, owner: ViewOwner): ViewEnd {
  const { op, error, status, keys, diffs, detailedDiff } = reportedStep
  const old = reportedStep.old === undefined ? undefined : findOldView(reportedStep.old, owner)
  const next =
    reportedStep.next === undefined
      ? undefined
      : createNextState(reportedStep.next, reportedStep, owner)
  requireStates(op, old !== undefined, next)
  const replacedView =
    old ?? (owner.isCreate && next !== undefined ? findOlderCopy(owner, next) : undefined)
  const effect = owner.isRefresh
    ? old === undefined
      ? 'none'
      : 'swap'
    : effectOf(op, replacedView !== undefined)
  const reason = { keys, diffs, detailedDiff }
  const fields = { op: owner.isRefresh ? ('refresh' as const) : op, effect, reason }
  const trackedOld = effect === 'add-mark' ? replacedView : old
  const resultOp = owner.isRefresh ? op : undefined
  const end: StepEnd =
    error === ''
      ? { verdict: 'succeeded', state: next, resultOp, error: undefined }
      : toFailedEnd({ message: error, status }, next, resultOp)
  if (next !== undefined) return { step: stepOf({ ...fields, old: trackedOld, next }), end }
  if (trackedOld === undefined)
    throw new TypeError('the view step has neither an old nor a new state')
  return { step: stepOf({ ...fields, old: trackedOld }), end }
}

function toFailedEnd(
  error: OutcomeError,
  next: ResourceState | undefined,
  resultOp: StepOp | undefined,
): StepEnd {
  const isPartial = error.status === 'partial'
  return {
    verdict: isPartial ? 'partial' : 'failed',
    state: isPartial ? next : undefined,
    resultOp,
    error,
  }
}

/**
 * Returns the effect of a view step on the state. A step of the same kind on a resource has the
 * same effect. `hasOld`: whether the step replaces or removes an existing view.
 */
export function effectOf(op: StepOp, hasOld: boolean): StateEffect {
  switch (op) {
    case 'create':
    case 'create-replacement':
    case 'import':
    case 'import-replacement':
      return hasOld ? 'add-mark' : 'add'
    case 'same':
    case 'update':
    case 'read':
    case 'read-replacement':
      return hasOld ? 'replace' : 'add'
    case 'delete':
    case 'delete-replaced':
    case 'discard':
    case 'discard-replaced':
    case 'remove-pending-replace':
      return 'remove'
    case 'refresh':
      return hasOld ? 'swap' : 'none'
    case 'replace':
    case 'join':
    case 'hook':
      return 'none'
    default:
      return op satisfies never
  }
}

const opsWithNewState: ReadonlySet<StepOp> = new Set([
  ...(['same', 'update', 'create', 'create-replacement'] as const),
  ...(['read', 'read-replacement', 'import', 'import-replacement'] as const),
])

function requireStates(op: StepOp, hasOld: boolean, next: ResourceState | undefined): void {
  if (opsWithNewState.has(op) && next === undefined)
    throw new Error(`the step '${op}' requires the new state of the view`)
  if (next === undefined && !hasOld)
    throw new Error(`the step '${op}' requires the old state of the view`)
  const mustHaveOld = effectOf(op, hasOld) === 'remove' || op === 'same' || op === 'update'
  if (mustHaveOld && !hasOld) throw new Error(`the step '${op}' requires the old state of the view`)
}

/**
 * Returns the view in the base with its reference, and with the values that the provider reported.
 */
function findOldView(
  { type, name, inputs, outputs }: ReportedViewState,
  owner: ViewOwner,
): TrackedState {
  const oldView = owner.views.find(
    ({ state: { urn } }) => typeOf(urn) === type && nameOf(urn) === name,
  )
  if (oldView === undefined)
    throw new Error(`old resource state ${viewUrnOf(owner.urn, { type, name })} not found`)
  return { ...oldView, state: { ...oldView.state, inputs, outputs } }
}

function createNextState(
  { type, name, inputs, outputs }: ReportedViewState,
  { op, old, error, status }: ReportedViewStep,
  owner: ViewOwner,
): ResourceState {
  // The new inputs of a partial update did not take effect. As for resources, they do not get into
  // the state.
  const isPartialUpdate =
    error !== '' && status === 'partial' && op === 'update' && old !== undefined
  const state = createResourceState({
    urn: viewUrnOf(owner.urn, { type, name }),
    type,
    custom: false,
    parent: owner.urn,
    viewOf: owner.urn,
    inputs: isPartialUpdate ? old.inputs : inputs,
    outputs,
  })
  return markSecretOutputs(state, () => undefined)
}

/** Returns the view of the same URN that the older copy of the owner has. */
function findOlderCopy({ views }: ViewOwner, { urn }: ResourceState): TrackedState | undefined {
  return views.find(({ state }) => state.urn === urn)
}

function viewUrnOf(owner: Urn, view: { readonly type: string; readonly name: string }): Urn {
  const { stack, project, qualifiedType } = urnPartsOf(owner)
  return childUrnOf({ stack, project }, qualifiedType, view)
}
