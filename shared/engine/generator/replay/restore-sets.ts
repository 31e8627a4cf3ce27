import type { OperationId } from '../../../records/ids.ts'
import type { Operation, StateReference } from '../../../records/operation.ts'
import type { Urn } from '../../../names/urn.ts'
import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import type { ProviderRegistry } from '../../../providers/provider-registry.ts'
import type { TrackedState } from '../../step.ts'
import type { GeneratorSets } from '../sets.ts'

/**
 * Folds recorded decisions into the sets, in the order in which they were made, before a new life
 * serves its first call. What was unchanged left no record and is decided again.
 */
export function restoreSets(
  sets: GeneratorSets,
  decisions: readonly RecordedDecision[],
  input: {
    readonly providers: Pick<ProviderRegistry, 'alias'>
    /** Whether an operation had ended well when this life began. */
    readonly hasSucceeded: (id: OperationId) => boolean
    /** The state that an operation had made by then. */
    readonly findMade: (id: OperationId) => TrackedState | undefined
  },
): void {
  const { providers, hasSucceeded, findMade: madeBy } = input
  const read = new Map<OperationId, number>()
  for (const decision of decisions) {
    for (const [old, current] of decision.sets.aliased ?? []) {
      sets.aliased.set(old, current)
      sets.formerUrns.set(current, old)
      providers.alias(old, current)
    }
    for (const [urn, keys] of decision.sets.dependentKeys ?? []) sets.dependentKeys.set(urn, keys)
    for (const urn of decision.sets.replaced ?? []) sets.replaces.add(urn)
    for (const urn of decision.sets.targeted ?? []) sets.targeted.add(urn)
    const operations = operationsOf(decision)
    for (const operation of operations) {
      const hasEnded = decision.kind === 'settled' || hasSucceeded(operation.id)
      applyOperation(sets, operation, {
        hasEnded,
        index: baseIndexOf(operation.old, id => read.get(id)),
      })
      if (operation.op === 'refresh' && operation.old?.kind === 'base') {
        read.set(operation.id, operation.old.index)
        if (hasEnded) sets.refreshed.set(operation.old.index, madeBy(operation.id))
      }
    }
    // What another replacement deleted first is there again once its own create was decided.
    const findMade = operations.find(({ op }) => op === 'create-replacement' || op === 'create')
    const names = findMade === undefined ? [] : namesOf(findMade.urn, decision)
    const isOwnDelete = operations.some(
      ({ effect, urn }) => effect === 'mark-pending' && names.includes(urn),
    )
    if (!isOwnDelete) for (const name of names) sets.deletes.delete(name)
  }
}

/** What a resource is called, and was until this decision. */
function namesOf(urn: Urn, { sets }: RecordedDecision): readonly Urn[] {
  const former = (sets.aliased ?? []).flatMap(([old, now]) => (now === urn ? [old] : []))
  return [urn, ...former]
}

/** Takes a decision that was withdrawn out of the sets again. */
export function forgetDecision(sets: GeneratorSets, decision: RecordedDecision): void {
  for (const urn of decision.sets.replaced ?? []) sets.replaces.delete(urn)
  for (const urn of decision.sets.targeted ?? []) sets.targeted.delete(urn)
  for (const [urn] of decision.sets.dependentKeys ?? []) sets.dependentKeys.delete(urn)
  for (const { effect, urn, old } of operationsOf(decision)) {
    sets.operated.delete(urn)
    if (effect === 'mark-pending') sets.deletes.delete(urn)
    const index = baseIndexOf(old, id => readBy(sets, id))
    if (index === undefined) continue
    for (const set of [sets.markedForDelete, sets.condemned, sets.pendingReplacement])
      set.delete(index)
  }
}

/** The base index of what an operation is about: `read` knows what was read again since. */
function baseIndexOf(
  old: StateReference | undefined,
  read: (id: OperationId) => number | undefined,
): number | undefined {
  return old?.kind === 'operation' ? read(old.operation) : old?.index
}

function readBy({ refreshed }: GeneratorSets, id: OperationId): number | undefined {
  for (const [index, now] of refreshed)
    if (now?.ref.kind === 'operation' && now.ref.operation === id) return index
  return undefined
}

function operationsOf(decision: RecordedDecision): readonly Operation[] {
  return decision.kind === 'registration' ? decision.operations : [decision.operation]
}

function applyOperation(
  sets: GeneratorSets,
  { op, urn, effect }: Operation,
  { hasEnded, index }: { readonly hasEnded: boolean; readonly index: number | undefined },
): void {
  switch (op) {
    case 'delete-replaced':
      // An old copy that goes says nothing of the one that superseded it.
      if (effect === 'mark-pending') sets.deletes.add(urn)
      if (index !== undefined) sets.condemned.add(index)
      if (index !== undefined && hasEnded && effect === 'mark-pending')
        sets.pendingReplacement.add(index)
      return
    case 'create-replacement':
    case 'read-replacement':
      sets.replaces.add(urn)
      sets.operated.add(urn)
      if (index !== undefined && hasEnded && effect === 'add-mark') sets.markedForDelete.add(index)
      return
    case 'import-replacement':
      // Not among what is replaced, by which others would be replaced with it.
      sets.operated.add(urn)
      if (index !== undefined && hasEnded) sets.markedForDelete.add(index)
      return
    case 'refresh':
    case 'same':
    case 'update':
    case 'read':
    case 'import':
      sets.operated.add(urn)
      return
    default:
  }
}
