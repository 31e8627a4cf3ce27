import { isBuiltinType } from '../names/builtin.ts'
import { typeOf, type Urn } from '../names/urn.ts'
import type { StoredResource } from '../state/stored.ts'
import type { OperationId } from './ids.ts'

/**
 * The kind of a step, with the names of Pulumi's events. `join` and `hook` exist only here and have
 * no provider call.
 */
export type StepOp =
  | 'same'
  | 'create'
  | 'update'
  | 'delete'
  | 'replace'
  | 'create-replacement'
  | 'delete-replaced'
  | 'read'
  | 'read-replacement'
  | 'import'
  | 'import-replacement'
  | 'refresh'
  | 'discard'
  | 'discard-replaced'
  | 'remove-pending-replace'
  | 'join'
  | 'hook'

/**
 * Reference to an older state of a resource: in the pinned base (index and URN must match), or the
 * resulting state of an operation.
 */
export type StateReference =
  | { readonly kind: 'base'; readonly epoch: number; readonly index: number; readonly urn: Urn }
  | { readonly kind: 'operation'; readonly operation: OperationId }

/**
 * The effect of a success on the state (docs/spec/journal.md#entries-per-step).
 * - `add`: adds the new state.
 * - `replace`: removes the old state and adds the new one.
 * - `add-mark`: adds the new state and marks the old one for deletion.
 * - `swap`: puts the new state in the place of the old one (refresh).
 * - `remove`: removes the old state.
 * - `mark-pending`: marks the old state as deleted while its replacement is not created yet.
 * - `none`: no change.
 */
export type StateEffect =
  | 'add'
  | 'replace'
  | 'add-mark'
  | 'swap'
  | 'remove'
  | 'mark-pending'
  | 'none'

/**
 * The selection of properties for an import by the `import` command. `chosen`: the user selected
 * properties. `whole`: the user selected none.
 */
export type ImportedProperties = 'whole' | 'chosen'

/** A planned step: small, immutable, stored in the decision log or a plan page. */
export interface Operation {
  readonly id: OperationId
  readonly op: StepOp
  readonly urn: Urn
  readonly type: string
  /** The reference of the resource's provider. '' without a provider. */
  readonly provider: string
  readonly old?: StateReference
  /** The planned state: everything except id, outputs and times. Its secrets are sealed. */
  readonly state?: StoredResource
  readonly effect: StateEffect
  /** Number of arrivals that a begin requires. */
  readonly needs: number
  /** The operations that wait for this one; at most 32. */
  readonly releases: readonly OperationId[]
  /**
   * The join between two waves of deletes that waits for this operation. The join waits until the
   * operation has ended with any verdict, or cannot begin because one of its needs failed.
   */
  readonly barrier?: OperationId
  /**
   * True when the provider is not called: for a component, a provider resource, or a resource that
   * is external, retained or deleted with another one.
   */
  readonly skipCall?: boolean
  /**
   * True when hooks of the program surround this call. The generator then reports the step and
   * handles its failure.
   */
  readonly hooked?: boolean
  /**
   * For a hook: the call before or after which the hook runs. The generator runs the hook and ends
   * this operation.
   */
  readonly hook?: { readonly when: 'before' | 'after'; readonly of: OperationId }
  /** For a refresh: whether only the outputs are compared. */
  readonly outputsOnly?: boolean
  /**
   * True for an update that completes a partially failed create, because an error hook requested a
   * retry. `old` is the result of that create.
   */
  readonly completesCreate?: boolean
  /** True for a delete that is allowed although the resource is protected. */
  readonly ignoreProtect?: boolean
  /**
   * For an import outside of a program: whether the user selected properties
   * (docs/spec/deployment.md#import-deployment).
   */
  readonly planned?: ImportedProperties
  /** Details for events: keys that force a replacement, changed keys, detailed diff. */
  readonly keys?: readonly string[]
  readonly diffs?: readonly string[]
  readonly detailedDiff?: Readonly<
    Record<string, { readonly kind: string; readonly inputDiff: boolean }>
  > | null
  /**
   * Whether events mark the step as logical. False for a refresh, a part of a replacement, a join
   * and a hook.
   */
  readonly logical: boolean
}

/** Reports whether an operation is a join or a hook, which no executor ever begins. */
export function isJoinOrHook({ op }: Pick<Operation, 'op'>): boolean {
  return op === 'join' || op === 'hook'
}

/**
 * Reports whether the provider call of an operation creates a new object. Built-in resources have
 * no object.
 */
export function createsObject({ op, urn }: Pick<Operation, 'op' | 'urn'>): boolean {
  if (isBuiltinType(typeOf(urn))) return false
  return op === 'create' || op === 'create-replacement'
}
