import type { Decision } from '../records/log.ts'
import { isUnsent, type Operation, type StateReference } from '../records/operation.ts'
import type { PendingOperationType } from '../state/snapshot.ts'
import type { StoredOperation, StoredResource } from '../state/stored.ts'
import type { EntryContent, EntryReference } from './entry.ts'
import type { OperationFacts } from './operation-facts.ts'

/**
 * Returns the journal entries of an operation: none if it never began or has no provider call.
 * Otherwise it returns the begin, and the end if it is known. Source:
 * docs/spec/journal.md#entries-per-step.
 */
export function contentsOf(operation: Operation, facts: OperationFacts): readonly EntryContent[] {
  if (isUnsent(operation) || operation.op === 'replace') return []
  if (operation.old?.kind === 'base') facts.stateAt(operation.old)
  const fact = facts.get(operation.id)
  switch (fact.kind) {
    case 'untouched':
      return []
    case 'open':
      return [beginOf(operation, facts)]
    case 'failed':
      return [beginOf(operation, facts), { kind: 'failure' }]
    case 'done':
      return [beginOf(operation, facts), endOfOperation(operation, fact.state, facts)]
    default:
      return fact satisfies never
  }
}

/**
 * Returns the entry of registered outputs, or undefined when the state they belong to is unknown.
 */
export function outputsOf(
  decision: Decision & { readonly kind: 'outputs' },
  facts: OperationFacts,
): EntryContent | undefined {
  const { target, state } = decision
  if (target.kind === 'base') facts.stateAt(target)
  else {
    const fact = facts.get(target.operation)
    if (fact.kind !== 'done' || fact.state === undefined) return undefined
  }
  return { kind: 'outputs', state, remove: toEntryReference(target) }
}

function beginOf(operation: Operation, facts: OperationFacts): EntryContent {
  const pending = pendingOf(operation, facts)
  return { kind: 'begin', ...(pending === undefined ? {} : { pending }) }
}

/**
 * Returns the pending operation to record while the end is unknown. A delete carries the old state,
 * all other operations the planned one.
 */
function pendingOf(operation: Operation, facts: OperationFacts): StoredOperation | undefined {
  const type = pendingTypeOf(operation)
  if (type === undefined) return undefined
  const { old, state } = operation
  const resource =
    type === 'deleting' ? (old === undefined ? undefined : facts.stateAt(old)) : state
  if (resource === undefined) return undefined
  const origin = type === 'creating' ? facts.originOf(operation.id) : undefined
  return { resource, type, ...(origin === undefined ? {} : { origin }) }
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

function endOfOperation(
  operation: Operation,
  made: StoredResource | undefined,
  facts: OperationFacts,
): EntryContent {
  const old = operation.old === undefined ? undefined : toEntryReference(operation.old)
  return endOf(operation, { made, old, isNamed: facts.isNamed(operation.id) })
}

/**
 * Returns the end entry of a step by its effect. `made`: the new state. `old`: the reference of the
 * old state. `isNamed`: whether a later entry references the new state.
 */
export function endOf(
  { op, effect }: Pick<Operation, 'op' | 'effect'>,
  {
    made,
    old,
    isNamed,
  }: {
    readonly made: StoredResource | undefined
    readonly old: EntryReference | undefined
    readonly isNamed: boolean
  },
): EntryContent {
  const state = made === undefined ? {} : { state: made }
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
        kind: made !== undefined && isNamed ? 'success' : 'refresh-success',
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
