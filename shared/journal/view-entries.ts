import type { ViewOutcome } from '../records/head.ts'
import type { Operation, StateReference } from '../records/operation.ts'
import { readTextField } from '../state/stored-fields.ts'
import type { StoredDeployment, StoredResource } from '../state/stored.ts'
import { endOf } from './entry-contents.ts'
import type { EntryContent, EntryReference } from './entry.ts'

/** A journal entry of a view. `operation` is a number above all operations of the records. */
export interface ViewEntry {
  readonly operation: number
  readonly content: EntryContent
}

/** Creates entries for views, in the order of their owners' entries. */
export interface ViewEntries {
  /** Returns entries for the view steps that an owner's provider reported. */
  readonly publishedEntriesOf: (views: readonly ViewOutcome[]) => readonly ViewEntry[]
  /** Returns entries for the views that remained when their owner was deleted. */
  readonly removedEntriesOf: (owner: StoredResource) => readonly ViewEntry[]
}

/**
 * Creates the entries of views. A step names a state of the base; after a replacement the reference
 * points to the new state. `first`: the first unused operation number.
 */
export function createViewEntries(base: StoredDeployment, first: number): ViewEntries {
  const now = new Map<number, EntryReference | 'gone'>()
  const owned = groupViewsByOwner(base)
  let next = first
  const referTo = (at: StateReference | undefined): EntryReference | undefined => {
    if (at?.kind !== 'base') return undefined
    const found = now.get(at.index) ?? { base: at.index }
    return found === 'gone' ? undefined : found
  }
  const note = (at: StateReference | undefined, made: EntryReference | 'gone'): void => {
    if (at?.kind === 'base') now.set(at.index, made)
  }
  const entriesOf = (view: ViewOutcome): readonly ViewEntry[] => {
    const operation = next
    const at = view.old?.at
    const old = referTo(at)
    if (view.verdict === 'failed' || view.effect === 'none') return []
    // A deleted view cannot be refreshed or deleted again.
    if (old === undefined && (view.effect === 'swap' || view.effect === 'remove')) return []
    next += 1
    const isSwapped = view.effect === 'swap' && view.state !== undefined
    if (view.effect === 'replace') note(at, { operation })
    else if (view.effect === 'remove' || (view.effect === 'swap' && !isSwapped)) note(at, 'gone')
    const content = endOf(view, { made: view.state, old, isNamed: false })
    return [
      { operation, content: { kind: 'begin' } },
      { operation, content },
    ]
  }
  return {
    publishedEntriesOf: views => views.flatMap(entriesOf),
    removedEntriesOf: owner =>
      (owned.get(owner.urn) ?? []).flatMap(index => {
        const state = base.resources?.[index]
        if (state === undefined || isMarkedDeleted(state) !== isMarkedDeleted(owner)) return []
        const at = { kind: 'base', epoch: 0, index, urn: state.urn } as StateReference
        const { urn, type } = state
        const gone = { urn, type, op: 'delete', effect: 'remove', verdict: 'succeeded' } as const
        return entriesOf({ ...gone, urn: urn as ViewOutcome['urn'], old: { at, state } })
      }),
  }
}

/**
 * Reports whether a succeeded operation removes its old state without a successor. Its views are
 * then removed too.
 */
export function removesViews(
  { effect }: Pick<Operation, 'effect'>,
  made: StoredResource | undefined,
): boolean {
  const isRead = effect === 'swap' || effect === 'replace'
  return effect === 'remove' || effect === 'mark-pending' || (isRead && !made)
}

function isMarkedDeleted(state: StoredResource): boolean {
  return state['delete'] === true
}

/** Returns the positions of views by the URN of their owner. */
function groupViewsByOwner({
  resources = [],
}: StoredDeployment): ReadonlyMap<string, readonly number[]> {
  return Map.groupBy(resources.keys(), index => readTextField(resources[index] ?? {}, 'viewOf'))
}
