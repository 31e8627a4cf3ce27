import type { Decision } from '../records/log.ts'
import { isJoinOrHook, type Operation, type StateReference } from '../records/operation.ts'
import { withFlag } from '../state/field-order.ts'
import type { PendingOperationType } from '../state/snapshot.ts'
import type { StoredOperation, StoredResource } from '../state/stored.ts'
import type { EntryContent, EntryReference } from './entry.ts'
import type { OperationFacts } from './operation-facts.ts'

/**
 * Returns the journal entries of an operation: none for a join, a hook, a `replace`, or an
 * operation that never began. Otherwise returns the begin, and the end if the fold can use it.
 * Throws STATE_INTEGRITY if the base does not have the old state. Source:
 * docs/spec/journal.md#entries-per-step.
 */
export function entryContentsOf(
  operation: Operation,
  facts: OperationFacts,
): readonly EntryContent[] {
  if (isJoinOrHook(operation) || operation.op === 'replace') return []
  requireBaseState(operation.old, facts)
  const fact = facts.get(operation.id)
  switch (fact.kind) {
    case 'not-begun':
      return []
    case 'begun':
      return [beginEntryOf(operation, facts)]
    case 'failed':
      return [beginEntryOf(operation, facts), { kind: 'failure' }]
    case 'applied':
      return [beginEntryOf(operation, facts), operationEndEntryOf(operation, fact.state, facts)]
    default:
      return fact satisfies never
  }
}

/**
 * Returns the entry of registered outputs. Returns undefined if they belong to the resource of an
 * operation without a usable state. Throws STATE_INTEGRITY if the base does not have the resource.
 */
export function outputsEntryOf(
  decision: Decision & { readonly kind: 'outputs' },
  facts: OperationFacts,
): EntryContent | undefined {
  const { target, state } = decision
  requireBaseState(target, facts)
  if (target.kind !== 'base') {
    const fact = facts.get(target.operation)
    if (fact.kind !== 'applied' || fact.state === undefined) return undefined
  }
  return { kind: 'outputs', state, remove: toEntryReference(target) }
}

/** Throws STATE_INTEGRITY if a reference to the base leads to no state. */
function requireBaseState(reference: StateReference | undefined, facts: OperationFacts): void {
  if (reference?.kind === 'base') facts.getState(reference)
}

function beginEntryOf(operation: Operation, facts: OperationFacts): EntryContent {
  const pending = pendingOf(operation, facts)
  return { kind: 'begin', ...(pending === undefined ? {} : { pending }) }
}

/**
 * Returns the pending operation in the begin of an operation. The fold keeps it if the operation
 * has no usable end. A pending delete contains the old state, with the mark `delete` if a
 * replacement came first. Any other pending operation contains the planned state. Returns undefined
 * for steps such as a refresh, which are never pending.
 */
function pendingOf(operation: Operation, facts: OperationFacts): StoredOperation | undefined {
  const type = pendingTypeOf(operation)
  if (type === undefined) return undefined
  const { old, state } = operation
  const resource =
    type === 'deleting' ? deletedStateOf(operation, old && facts.getState(old)) : state
  if (resource === undefined) return undefined
  const origin = type === 'creating' ? facts.getOrigin(operation.id) : undefined
  return { resource, type, ...(origin === undefined ? {} : { origin }) }
}

/**
 * Returns the state of a pending delete. A replaced copy gets the mark `delete`, which the state
 * may not have yet.
 */
function deletedStateOf(
  { op, effect }: Operation,
  state: StoredResource | undefined,
): StoredResource | undefined {
  const isReplacedCopy =
    effect === 'remove' && (op === 'delete-replaced' || op === 'discard-replaced')
  return isReplacedCopy && state !== undefined ? withFlag(state, 'delete') : state
}

function pendingTypeOf({ op }: Operation): PendingOperationType | undefined {
  switch (op) {
    case 'create':
    case 'create-replacement':
      return 'creating'
    case 'update':
      return 'updating'
    case 'delete':
    case 'delete-replaced':
    case 'discard':
    case 'discard-replaced':
      return 'deleting'
    case 'read':
    case 'read-replacement':
      return 'reading'
    case 'import':
    case 'import-replacement':
      return 'importing'
    case 'same':
    case 'replace':
    case 'refresh':
    case 'remove-pending-replace':
    case 'join':
    case 'hook':
      return undefined
    default:
      return op satisfies never
  }
}

function operationEndEntryOf(
  operation: Operation,
  newState: StoredResource | undefined,
  facts: OperationFacts,
): EntryContent {
  const old = operation.old === undefined ? undefined : toEntryReference(operation.old)
  return endEntryOf(operation, {
    newState,
    old,
    isReferencedLater: facts.isReferencedLater(operation.id),
  })
}

/**
 * Returns the end entry of a step by its effect. `newState`: the resulting state. `old`: the
 * reference to the old state. `isReferencedLater`: whether a later entry references the new state.
 */
export function endEntryOf(
  { op, effect }: Pick<Operation, 'op' | 'effect'>,
  {
    newState,
    old,
    isReferencedLater,
  }: {
    readonly newState: StoredResource | undefined
    readonly old: EntryReference | undefined
    readonly isReferencedLater: boolean
  },
): EntryContent {
  const state = newState === undefined ? {} : { state: newState }
  switch (effect) {
    case 'add':
      return { kind: 'success', ...state }
    case 'replace':
      return {
        kind: 'success',
        ...state,
        ...(old === undefined ? {} : { remove: old }),
        ...(op === 'refresh' ? { isRefresh: true } : {}),
      }
    case 'add-mark':
      return { kind: 'success', ...state, ...(old === undefined ? {} : { delete: old }) }
    case 'swap':
      // Only a success entry creates a state that later entries can reference by its operation.
      return {
        kind: newState !== undefined && isReferencedLater ? 'success' : 'refresh-success',
        ...state,
        ...(old === undefined ? {} : { remove: old }),
        isRefresh: true,
      }
    case 'remove':
      return { kind: 'success', ...(old === undefined ? {} : { remove: old }) }
    case 'mark-pending':
      return { kind: 'success', ...(old === undefined ? {} : { pendingReplacement: old }) }
    case 'none':
      return { kind: 'success' }
    default:
      return effect satisfies never
  }
}

function toEntryReference(reference: StateReference): EntryReference {
  return reference.kind === 'base' ? { base: reference.index } : { operation: reference.operation }
}
