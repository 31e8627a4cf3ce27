import type { OperationId } from '../../../records/ids.ts'
import type { Operation, StateReference } from '../../../records/operation.ts'
import type { Urn } from '../../../names/urn.ts'
import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import type { TrackedState } from '../../step.ts'
import type { SetsDelta } from '../sets-delta.ts'
import type { GeneratorSets } from '../sets.ts'

/** The records by which recorded decisions are judged. */
interface RecordedResults {
  /** Whether an operation had succeeded when this generator started. */
  readonly hasSucceeded: (id: OperationId) => boolean
  /** The state that an operation had created by then. */
  readonly findMade: (id: OperationId) => TrackedState | undefined
}

/**
 * Returns the deltas of recorded decisions, in the order in which they were made. The generator
 * applies them before it serves its first call. An unchanged resource has no record: it is decided
 * again.
 */
export function restoreSets(
  decisions: readonly RecordedDecision[],
  results: RecordedResults,
): readonly SetsDelta[] {
  const indexReadBy = new Map<OperationId, number>()
  return decisions.map(decision => {
    // The deletes of a record are those of its operations: other records may repeat the names.
    const { deleted: _repeated, ...recorded } = decision.sets
    const delta = createCollectedDelta()
    const refreshed: [number, TrackedState | undefined][] = []
    const operations = operationsOf(decision)
    for (const operation of operations) {
      const { id, op, old } = operation
      const hasEnded = decision.kind === 'settled' || results.hasSucceeded(id)
      const index = baseIndexOf(old, read => indexReadBy.get(read))
      collectOperation(delta, operation, { hasEnded, index })
      if (op !== 'refresh' || old?.kind !== 'base') continue
      indexReadBy.set(id, old.index)
      if (hasEnded) refreshed.push([old.index, results.findMade(id)])
    }
    const replaced = [...(recorded.replaced ?? []), ...delta.replaced]
    const removed = { deleted: listRecreated(decision, operations) }
    return { ...recorded, ...delta, replaced, refreshed, removed }
  })
}

/** The URNs that another replacement deleted first and that this decision creates again. */
function listRecreated(
  decision: RecordedDecision,
  operations: readonly Operation[],
): readonly Urn[] {
  const create = operations.find(({ op }) => op === 'create-replacement' || op === 'create')
  const names = create === undefined ? [] : namesOf(create.urn, decision)
  const isOwnDelete = operations.some(
    ({ effect, urn }) => effect === 'mark-pending' && names.includes(urn),
  )
  return isOwnDelete ? [] : names
}

/** The URN of a resource, and the URNs that it had until this decision. */
function namesOf(urn: Urn, { sets }: RecordedDecision): readonly Urn[] {
  const former = (sets.aliased ?? []).flatMap(([old, now]) => (now === urn ? [old] : []))
  return [urn, ...former]
}

/** Returns the delta that takes a withdrawn decision out of the sets. */
export function forgetDecision(sets: GeneratorSets, decision: RecordedDecision): SetsDelta {
  const operations = operationsOf(decision)
  const indices = operations.flatMap(
    ({ old }) => baseIndexOf(old, id => findIndexReadBy(sets, id)) ?? [],
  )
  return {
    removed: {
      replaced: decision.sets.replaced ?? [],
      targeted: decision.sets.targeted ?? [],
      dependentKeys: (decision.sets.dependentKeys ?? []).map(([urn]) => urn),
      operated: operations.map(({ urn }) => urn),
      deleted: operations.flatMap(({ effect, urn }) => (effect === 'mark-pending' ? [urn] : [])),
      markedForDelete: indices,
      condemned: indices,
      pendingReplacement: indices,
    },
  }
}

/** The base index of the old state of an operation; `indexReadBy` resolves refreshed states. */
function baseIndexOf(
  old: StateReference | undefined,
  indexReadBy: (id: OperationId) => number | undefined,
): number | undefined {
  return old?.kind === 'operation' ? indexReadBy(old.operation) : old?.index
}

function findIndexReadBy({ refreshed }: GeneratorSets, id: OperationId): number | undefined {
  for (const [index, now] of refreshed)
    if (now?.ref.kind === 'operation' && now.ref.operation === id) return index
  return undefined
}

function operationsOf(decision: RecordedDecision): readonly Operation[] {
  return decision.kind === 'registration' ? decision.operations : [decision.operation]
}

/** The kinds of a delta that operations add to. */
function createCollectedDelta() {
  return {
    operated: [] as Urn[],
    deleted: [] as Urn[],
    replaced: [] as Urn[],
    markedForDelete: [] as number[],
    pendingReplacement: [] as number[],
    condemned: [] as number[],
  }
}

function collectOperation(
  delta: ReturnType<typeof createCollectedDelta>,
  { op, urn, effect }: Operation,
  { hasEnded, index }: { readonly hasEnded: boolean; readonly index: number | undefined },
): void {
  switch (op) {
    case 'delete-replaced':
      // The delete of an old copy says nothing about the copy that superseded it.
      if (effect === 'mark-pending') delta.deleted.push(urn)
      if (index !== undefined) delta.condemned.push(index)
      if (index !== undefined && hasEnded && effect === 'mark-pending')
        delta.pendingReplacement.push(index)
      return
    case 'create-replacement':
    case 'read-replacement':
      delta.replaced.push(urn)
      delta.operated.push(urn)
      if (index !== undefined && hasEnded && effect === 'add-mark')
        delta.markedForDelete.push(index)
      return
    case 'import-replacement':
      // Not in `replaces`: that would replace other resources with it.
      delta.operated.push(urn)
      if (index !== undefined && hasEnded) delta.markedForDelete.push(index)
      return
    case 'refresh':
    case 'same':
    case 'update':
    case 'read':
    case 'import':
      delta.operated.push(urn)
      return
    default:
  }
}
