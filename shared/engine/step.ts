import type { Urn } from '../names/urn.ts'
import type { PropertyDiff } from '../providers/provider.ts'
import type { PlannedImport, StateEffect, StateReference, StepOp } from '../records/operation.ts'
import type { ResourceState } from '../state/resource.ts'

/** A state together with where the records have it. */
export interface TrackedState {
  readonly state: ResourceState
  readonly ref: StateReference
  /** The base index of what it was before it was read again, where that is not in `ref`. */
  readonly refreshedIndex?: number
}

/** The base index of what a state is, or was before it was read again. */
export function indexOf({ ref, refreshedIndex }: Omit<TrackedState, 'state'>): number | undefined {
  return ref.kind === 'base' ? ref.index : refreshedIndex
}

/** Why a step is what it is, for events. `detailedDiff` null: the provider gave none. */
export interface StepReason {
  readonly keys: readonly string[]
  readonly diffs: readonly string[]
  readonly detailedDiff: ReadonlyMap<string, PropertyDiff> | null
}

/** Nothing to say about a difference. */
const noReason: StepReason = { keys: [], diffs: [], detailedDiff: null }

/** One planned step, opened: what becomes an `Operation` in the records. */
export interface Step {
  readonly op: StepOp
  readonly urn: Urn
  readonly type: string
  /** The provider instance that does it, '' for none. */
  readonly provider: string
  readonly old: TrackedState | undefined
  /** The state to be; id, outputs and times are filled in by the end. */
  readonly next: ResourceState | undefined
  readonly effect: StateEffect
  readonly skipCall: boolean
  /** Whether it is deleted though it is protected. */
  readonly ignoreProtect?: boolean
  /** Of a refresh: what it came to is judged by the outputs alone. */
  readonly outputsOnly?: boolean
  /** Set for an import by the command of that name. */
  readonly planned?: PlannedImport
  readonly reason: StepReason
  /** The views of its resource in the base, where it is carried out. */
  readonly views?: readonly TrackedState[]
}

const logicalOps: ReadonlySet<StepOp> = new Set([
  'same',
  'create',
  'update',
  'delete',
  'replace',
  'read',
  'import',
  'discard',
])

/** Whether the program asked for this kind of step itself: only those are counted. */
export function isLogical(op: StepOp): boolean {
  return logicalOps.has(op)
}

/** Whether a step adopts what exists already. */
export function isImport(op: StepOp): boolean {
  return op === 'import' || op === 'import-replacement'
}

/** Whether a step makes what supersedes another: a replace is told beside it. */
export function isReplacing(op: StepOp): boolean {
  return op === 'create-replacement' || op === 'read-replacement' || op === 'import-replacement'
}

/** Whether a delete is refused because its resource is protected; a replaced copy may go. */
export function isProtected({
  op,
  old,
  ignoreProtect,
}: Pick<Step, 'op' | 'old' | 'ignoreProtect'>): boolean {
  return op === 'delete' && old?.state.protect === true && ignoreProtect !== true
}

/** Makes a step; what is not given is empty. */
export function stepOf(
  fields: Pick<Step, 'op' | 'effect'> &
    Partial<Step> &
    ({ old: TrackedState } | { next: ResourceState }),
): Step {
  const subject = fields.next ?? fields.old?.state
  if (subject === undefined) throw new TypeError('a step has an old or a new state')
  return {
    urn: subject.urn,
    type: subject.type,
    provider: subject.provider,
    old: undefined,
    next: undefined,
    skipCall: false,
    reason: noReason,
    ...fields,
  }
}
