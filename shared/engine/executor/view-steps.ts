import { markSecretOutputs } from '../secret-outputs.ts'
import { childUrnOf, nameOf, urnPartsOf, typeOf, type Urn } from '../../names/urn.ts'
import type { PropertyDiff } from '../../providers/provider.ts'
import type { OutcomeError } from '../../records/head.ts'
import type { StateEffect, StepOp } from '../../records/operation.ts'
import { type ResourceState, createResourceState } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'
import { stepOf, type TrackedState } from '../step.ts'
import type { StepEnd, ViewEnd } from '../step-end.ts'

/** A view before or after a step of it. */
export interface PublishedState {
  readonly type: string
  readonly name: string
  readonly inputs: PropertyMap
  readonly outputs: PropertyMap
}

/** What a provider says that it did with a view. */
export interface PublishedStep {
  readonly op: StepOp
  readonly status: OutcomeError['status']
  /** '' when it succeeded. */
  readonly error: string
  readonly old: PublishedState | undefined
  readonly next: PublishedState | undefined
  readonly keys: readonly string[]
  readonly diffs: readonly string[]
  readonly detailedDiff: ReadonlyMap<string, PropertyDiff> | null
}

/** The resource whose views they are. */
export interface ViewOwner {
  readonly urn: Urn
  /** Its views in the base. */
  readonly views: readonly TrackedState[]
  /** Whether the call reads it for a refresh: every step of a view is one then. */
  readonly isRefresh: boolean
  /** Whether it is made while its older copy is still there. */
  readonly isReplacing: boolean
}

/**
 * A published step as the engine takes it: under a URN below its owner, with the old state that the
 * base has. Throws an error for the provider when it names none, or lacks a state that its kind
 * needs. Source: docs/spec/step-execution.md#views.
 */
export function viewEndOf(published: PublishedStep, owner: ViewOwner): ViewEnd {
  const { op, error, status, keys, diffs, detailedDiff } = published
  const old = published.old === undefined ? undefined : oldOf(published.old, owner)
  const next = published.next === undefined ? undefined : nextOf(published.next, published, owner)
  requireStates(op, old !== undefined, next)
  const superseded =
    old ?? (owner.isReplacing && next !== undefined ? findSameView(owner, next) : old)
  const effect = owner.isRefresh
    ? old === undefined
      ? 'none'
      : 'swap'
    : effectOf(op, superseded !== undefined)
  const reason = { keys, diffs, detailedDiff }
  const fields = { op: owner.isRefresh ? ('refresh' as const) : op, effect, reason }
  const shown = effect === 'add-mark' ? superseded : old
  const resultOp = owner.isRefresh ? op : undefined
  const end: StepEnd =
    error === ''
      ? { verdict: 'succeeded', state: next, resultOp, error: undefined }
      : toFailedEnd({ message: error, status }, next, resultOp)
  if (next !== undefined) return { step: stepOf({ ...fields, old: shown, next }), end }
  if (shown === undefined) throw new TypeError('a step of a view has a state')
  return { step: stepOf({ ...fields, old: shown }), end }
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

/** What a step of a view does to the state, as the same step of a resource does. */
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

const makingOps: ReadonlySet<StepOp> = new Set([
  ...(['same', 'update', 'create', 'create-replacement'] as const),
  ...(['read', 'read-replacement', 'import', 'import-replacement'] as const),
])

function requireStates(op: StepOp, hasOld: boolean, next: ResourceState | undefined): void {
  if (makingOps.has(op) && next === undefined)
    throw new Error(`a step '${op}' of a view says what the view is after it`)
  if (next === undefined && !hasOld)
    throw new Error(`a step '${op}' of a view says what the view was before it`)
  const isOfOld = effectOf(op, hasOld) === 'remove' || op === 'same' || op === 'update'
  if (isOfOld && !hasOld)
    throw new Error(`a step '${op}' of a view says what the view was before it`)
}

/** The state of the base that is meant, with the values that the provider found. */
function oldOf({ type, name, inputs, outputs }: PublishedState, owner: ViewOwner): TrackedState {
  const found = owner.views.find(
    ({ state: { urn } }) => typeOf(urn) === type && nameOf(urn) === name,
  )
  if (found === undefined)
    throw new Error(`old resource state ${viewUrn(owner.urn, { type, name })} not found`)
  return { ...found, state: { ...found.state, inputs, outputs } }
}

function nextOf(
  { type, name, inputs, outputs }: PublishedState,
  { op, old, error, status }: PublishedStep,
  owner: ViewOwner,
): ResourceState {
  // As with resources: inputs that did not take hold are not kept.
  const isHalf = error !== '' && status === 'partial' && op === 'update' && old !== undefined
  const state = createResourceState({
    urn: viewUrn(owner.urn, { type, name }),
    type,
    custom: false,
    parent: owner.urn,
    viewOf: owner.urn,
    inputs: isHalf ? old.inputs : inputs,
    outputs,
  })
  return markSecretOutputs(state, () => undefined)
}

/** The copy of the same view that the older copy of its owner has. */
function findSameView({ views }: ViewOwner, { urn }: ResourceState): TrackedState | undefined {
  return views.find(({ state }) => state.urn === urn)
}

function viewUrn(owner: Urn, view: { readonly type: string; readonly name: string }): Urn {
  const { stack, project, qualifiedType } = urnPartsOf(owner)
  return childUrnOf({ stack, project }, qualifiedType, view)
}
