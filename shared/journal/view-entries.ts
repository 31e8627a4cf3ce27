import type { ViewOutcome } from '../records/head.ts'
import type { Operation, StateReference } from '../records/operation.ts'
import { readTextField } from '../state/stored-fields.ts'
import type { StoredDeployment, StoredResource } from '../state/stored.ts'
import { endEntryOf } from './entry-contents.ts'
import type { EntryContent, EntryReference } from './entry.ts'

/** A journal entry of a view. `operation` is a number above all operations of the records. */
export interface ViewEntry {
  readonly operation: number
  readonly content: EntryContent
}

/** A factory of view entries. The caller requests them in the order of their owners' entries. */
export interface ViewEntryFactory {
  /** Returns entries for the view steps that an owner's provider reported. */
  readonly reportedViewEntriesOf: (views: readonly ViewOutcome[]) => readonly ViewEntry[]
  /** Returns entries that delete the remaining views of a deleted owner. */
  readonly remainingViewEntriesOf: (owner: StoredResource) => readonly ViewEntry[]
}

/**
 * Creates the factory of view entries. A view step references a state of the base. After a step has
 * replaced that state, the entries reference the new state. `firstOperation`: the first unused
 * operation number.
 */
export function createViewEntryFactory(
  base: StoredDeployment,
  firstOperation: number,
): ViewEntryFactory {
  const currentReferences = new Map<number, EntryReference | 'removed'>()
  const viewsByOwner = groupViewsByOwner(base)
  let nextOperation = firstOperation
  const currentReferenceOf = (
    reference: StateReference | undefined,
  ): EntryReference | undefined => {
    if (reference?.kind !== 'base') return undefined
    const currentReference = currentReferences.get(reference.index) ?? { base: reference.index }
    return currentReference === 'removed' ? undefined : currentReference
  }
  const setReference = (
    oldReference: StateReference | undefined,
    newReference: EntryReference | 'removed',
  ): void => {
    if (oldReference?.kind === 'base') currentReferences.set(oldReference.index, newReference)
  }
  const entriesOf = (view: ViewOutcome): readonly ViewEntry[] => {
    const operation = nextOperation
    const oldReference = view.old?.at
    const old = currentReferenceOf(oldReference)
    if (view.verdict === 'failed' || view.effect === 'none') return []
    // A deleted view cannot be refreshed or deleted again.
    if (old === undefined && (view.effect === 'swap' || view.effect === 'remove')) return []
    nextOperation += 1
    const isSwapped = view.effect === 'swap' && view.state !== undefined
    if (view.effect === 'replace') setReference(oldReference, { operation })
    else if (view.effect === 'remove' || (view.effect === 'swap' && !isSwapped))
      setReference(oldReference, 'removed')
    const content = endEntryOf(view, { newState: view.state, old, isReferencedLater: false })
    return [
      { operation, content: { kind: 'begin' } },
      { operation, content },
    ]
  }
  return {
    reportedViewEntriesOf: views => views.flatMap(entriesOf),
    remainingViewEntriesOf: owner =>
      (viewsByOwner.get(owner.urn) ?? []).flatMap(index => {
        const state = base.resources?.[index]
        if (state === undefined || isOldCopy(state) !== isOldCopy(owner)) return []
        // An entry references a state by its index only, so the epoch has no effect.
        const reference = { kind: 'base', epoch: 0, index, urn: state.urn } as StateReference
        return entriesOf({
          urn: state.urn as ViewOutcome['urn'],
          type: state.type,
          op: 'delete',
          effect: 'remove',
          verdict: 'succeeded',
          old: { at: reference, state },
        })
      }),
  }
}

/**
 * Reports whether a succeeded operation removes the views of its resource: a delete, or a refresh
 * that found the resource gone.
 */
export function removesViews(
  { effect }: Pick<Operation, 'effect'>,
  newState: StoredResource | undefined,
): boolean {
  const isRefreshed = effect === 'swap' || effect === 'replace'
  return effect === 'remove' || effect === 'mark-pending' || (isRefreshed && !newState)
}

function isOldCopy(state: StoredResource): boolean {
  return state['delete'] === true
}

/** Returns the positions of views by the URN of their owner. */
function groupViewsByOwner({
  resources = [],
}: StoredDeployment): ReadonlyMap<string, readonly number[]> {
  return Map.groupBy(resources.keys(), index => readTextField(resources[index] ?? {}, 'viewOf'))
}
