import { isBuiltinType } from '../names/builtin.ts'
import { typeOf, type Urn } from '../names/urn.ts'
import type { StoredResource } from '../state/stored.ts'
import type { OperationId } from './ids.ts'

/**
 * What a step does, in the words of Pulumi's events; `join` and `hook` are ours and have no
 * provider call.
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
 * Where an older state of a resource is: in the pinned base (index and URN must agree), or made by
 * an operation.
 */
export type StateReference =
  | { readonly kind: 'base'; readonly epoch: number; readonly index: number; readonly urn: Urn }
  | { readonly kind: 'operation'; readonly operation: OperationId }

/**
 * What a success does to the state (docs/spec/journal.md#entries-per-step):
 * `add` the new state; `replace` the old one by it; `add-mark` it and mark the old one for
 * deletion; `swap` it for the old one in its place (refresh); `remove` the old one; `mark-pending`
 * the old one as deleted, its create outstanding; `none`.
 */
export type StateEffect =
  | 'add'
  | 'replace'
  | 'add-mark'
  | 'swap'
  | 'remove'
  | 'mark-pending'
  | 'none'

/** An import by the command of that name: of a resource with all its properties, or with some. */
export type PlannedImport = 'whole' | 'chosen'

/** One planned step: small, immutable, in the decision log or in a plan page. */
export interface Operation {
  readonly id: OperationId
  readonly op: StepOp
  readonly urn: Urn
  readonly type: string
  /** The provider instance that does it: a provider reference, '' when no provider is called. */
  readonly provider: string
  readonly old?: StateReference
  /** The state to be: everything but id, outputs and times; secrets sealed. */
  readonly state?: StoredResource
  readonly effect: StateEffect
  /** How many arrivals a begin requires. */
  readonly needs: number
  /** The operations that wait for this one; at most 32. */
  readonly releases: readonly OperationId[]
  /**
   * The join that waits until this operation has ended, however that was, or can no longer begin
   * since something that it needs failed. A barrier between waves of deletes.
   */
  readonly barrier?: OperationId
  /**
   * True when the cloud is not to be asked (component, external, retained, deleted with another).
   */
  readonly skipCall?: boolean
  /**
   * Hooks of the program stand around this call: the generator tells of it, and what its failure
   * means.
   */
  readonly hooked?: boolean
  /** Of a hook: the call that it stands before or after; the generator itself runs and ends it. */
  readonly hook?: { readonly when: 'before' | 'after'; readonly of: OperationId }
  /** Of a refresh: what it came to is judged by the outputs alone. */
  readonly outputsOnly?: boolean
  /** True for a delete that is done though the resource is protected. */
  readonly ignoreProtect?: boolean
  /**
   * Of an import that no program asked for: whether a person chose properties of it
   * (docs/spec/deployment.md#import-deployment).
   */
  readonly planned?: PlannedImport
  /** Facts for events: keys that force a replacement, changed keys, detailed diff. */
  readonly keys?: readonly string[]
  readonly diffs?: readonly string[]
  readonly detailedDiff?: Readonly<
    Record<string, { readonly kind: string; readonly inputDiff: boolean }>
  > | null
  /** Whether the program asked for it (counted in summaries). */
  readonly logical: boolean
}

/** Whether an operation is the generator's own: no executor ever begins it. */
export function isUnsent({ op }: Pick<Operation, 'op'>): boolean {
  return op === 'join' || op === 'hook'
}

/** Whether the success of an operation is an object that did not exist before. */
export function makesObject({ op, urn }: Pick<Operation, 'op' | 'urn'>): boolean {
  if (isBuiltinType(typeOf(urn))) return false
  return op === 'create' || op === 'create-replacement'
}
