import type { Urn } from '../names/urn.ts'
import type { PropertyDiff } from '../providers/provider.ts'
import type { OperationId } from '../records/ids.ts'
import type {
  ImportedProperties,
  StateEffect,
  StateReference,
  StepOp,
} from '../records/operation.ts'
import type { ResourceState } from '../state/resource.ts'

/** A state, and the reference to the record that contains the state. */
export interface TrackedState {
  readonly state: ResourceState
  readonly ref: StateReference
  /** For a state that a refresh read: the base index of its old state. Absent for other states. */
  readonly refreshedIndex?: number
}

/**
 * The reference of a state that no record contains: a previewed state, or that of a resource which
 * is not created. No operation has the id 0.
 */
export const unrecordedStateReference: StateReference = {
  kind: 'operation',
  operation: 0 as OperationId,
}

/** Returns the base index of a state. A refreshed state has the index of its old state. */
export function baseIndexOf({
  ref,
  refreshedIndex,
}: Omit<TrackedState, 'state'>): number | undefined {
  return ref.kind === 'base' ? ref.index : refreshedIndex
}

/**
 * The reason of a step, for events. `keys`: properties that require a replacement. `diffs`: changed
 * properties. `detailedDiff` null: the provider gave none.
 */
export interface StepReason {
  readonly keys: readonly string[]
  readonly diffs: readonly string[]
  readonly detailedDiff: ReadonlyMap<string, PropertyDiff> | null
}

const noReason: StepReason = { keys: [], diffs: [], detailedDiff: null }

/** One planned step, with its states opened. Its record is an `Operation`. */
export interface Step {
  readonly op: StepOp
  readonly urn: Urn
  readonly type: string
  /** The reference of the provider instance, '' for none. */
  readonly provider: string
  readonly old: TrackedState | undefined
  /**
   * The planned state. Undefined for a step that only removes a state, and for a planned refresh.
   * The end of the step contains the final id, outputs and times.
   */
  readonly next: ResourceState | undefined
  readonly effect: StateEffect
  /** Whether the provider call is skipped, for example for a retained resource. */
  readonly skipCall: boolean
  /** Whether the step deletes its resource although the resource is protected. */
  readonly ignoreProtect?: boolean
  /** For a refresh: whether only the outputs are compared. */
  readonly outputsOnly?: boolean
  /** For an update: whether it completes a create that failed partially. */
  readonly completesCreate?: boolean
  /** Only for the command `import`: whether the user selected properties. */
  readonly importedProperties?: ImportedProperties
  readonly reason: StepReason
  /** The views that the resource of the step has in the base. Absent until the step is executed. */
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

/**
 * Reports whether events mark a kind of step as logical. A refresh, a join, a hook and the parts of
 * a replacement are not logical. The `replace` step of a replacement is logical.
 */
export function isLogical(op: StepOp): boolean {
  return logicalOps.has(op)
}

/** Reports whether a step adopts an existing resource. */
export function isImport(op: StepOp): boolean {
  return op === 'import' || op === 'import-replacement'
}

/**
 * Reports whether a step creates a replacement. The events show a `replace` step beside such a
 * step.
 */
export function isReplacementOp(op: StepOp): boolean {
  return op === 'create-replacement' || op === 'read-replacement' || op === 'import-replacement'
}

/**
 * Reports whether a delete is refused because its resource is protected. The delete of a replaced
 * copy is never refused.
 */
export function isProtected({
  op,
  old,
  ignoreProtect,
}: Pick<Step, 'op' | 'old' | 'ignoreProtect'>): boolean {
  return op === 'delete' && old?.state.protect === true && ignoreProtect !== true
}

/** Returns the planned state of a step, or else its old state. */
export function newestStateOf({ next, old }: Pick<Step, 'next' | 'old'>): ResourceState {
  const state = next ?? old?.state
  if (state === undefined) throw new TypeError('the step has neither an old nor a new state')
  return state
}

/** Creates a step with defaults for the missing fields. */
export function stepOf(
  fields: Pick<Step, 'op' | 'effect'> &
    Partial<Step> &
    ({ old: TrackedState } | { next: ResourceState }),
): Step {
  const { urn, type, provider } = newestStateOf({ old: undefined, next: undefined, ...fields })
  return {
    urn,
    type,
    provider,
    old: undefined,
    next: undefined,
    skipCall: false,
    reason: noReason,
    ...fields,
  }
}
