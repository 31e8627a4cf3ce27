import type { OperationId } from '../../../records/ids.ts'
import type { Operation, StateReference } from '../../../records/operation.ts'
import type { Urn } from '../../../names/urn.ts'
import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import type { TrackedState } from '../../step.ts'
import type { SetsDelta } from '../sets-delta.ts'
import type { GeneratorSets } from '../sets.ts'

/** The recorded results from which the deltas of decisions are computed. */
interface RecordedResults {
  /** Reports whether an operation had succeeded before this generator run started. */
  readonly hasSucceeded: (id: OperationId) => boolean
  /** Returns the resulting state of an operation that ended before this generator run started. */
  readonly findResultState: (id: OperationId) => TrackedState | undefined
}

/**
 * Returns the deltas of recorded decisions, in their recorded order. The generator applies the
 * deltas before it serves its first call. An unchanged resource has no record, and is decided
 * again.
 */
export function restoreSets(
  decisions: readonly RecordedDecision[],
  results: RecordedResults,
): readonly SetsDelta[] {
  /** Refresh operation → the base index of the state that it read. */
  const baseIndexReadBy = new Map<OperationId, number>()
  return decisions.map(decision => {
    // The deleted URNs come from the operations instead. Several records may list the same URN, but
    // only one of them has the operation that deletes it.
    const { deleted: _repeated, ...recordedDelta } = decision.sets
    const delta = createCollectedDelta()
    const refreshed: [number, TrackedState | undefined][] = []
    const operations = operationsOf(decision)
    for (const operation of operations) {
      const { id, op, old } = operation
      const hasSucceeded = decision.kind === 'settled' || results.hasSucceeded(id)
      const baseIndex = oldBaseIndexOf(old, readId => baseIndexReadBy.get(readId))
      collectOperation(delta, operation, { hasSucceeded, baseIndex })
      if (op !== 'refresh' || old?.kind !== 'base') continue
      baseIndexReadBy.set(id, old.index)
      if (hasSucceeded) refreshed.push([old.index, results.findResultState(id)])
    }
    const replaced = [...(recordedDelta.replaced ?? []), ...delta.replaced]
    const removed = { deleted: listRecreatedUrns(decision, operations) }
    return { ...recordedDelta, ...delta, replaced, refreshed, removed }
  })
}

/**
 * Returns the URNs that another replacement deleted earlier, and that this decision creates again.
 */
function listRecreatedUrns(
  decision: RecordedDecision,
  operations: readonly Operation[],
): readonly Urn[] {
  const createOperation = operations.find(
    ({ op }) => op === 'create-replacement' || op === 'create',
  )
  const urns =
    createOperation === undefined ? [] : currentAndFormerUrnsOf(createOperation.urn, decision)
  const isOwnDelete = operations.some(
    ({ effect, urn }) => effect === 'mark-pending' && urns.includes(urn),
  )
  return isOwnDelete ? [] : urns
}

/** Returns the URN of a resource, and the URNs that it had until this decision. */
function currentAndFormerUrnsOf(urn: Urn, { sets }: RecordedDecision): readonly Urn[] {
  const formerUrns = (sets.aliased ?? []).flatMap(([old, current]) =>
    current === urn ? [old] : [],
  )
  return [urn, ...formerUrns]
}

/** Returns the delta that removes a withdrawn decision from the sets. */
export function createWithdrawalDelta(sets: GeneratorSets, decision: RecordedDecision): SetsDelta {
  const operations = operationsOf(decision)
  const indices = operations.flatMap(
    ({ old }) => oldBaseIndexOf(old, id => findIndexReadBy(sets, id)) ?? [],
  )
  return {
    removed: {
      replaced: decision.sets.replaced ?? [],
      targeted: decision.sets.targeted ?? [],
      dependentKeys: (decision.sets.dependentKeys ?? []).map(([urn]) => urn),
      handledUrns: operations.map(({ urn }) => urn),
      deleted: operations.flatMap(({ effect, urn }) => (effect === 'mark-pending' ? [urn] : [])),
      markedForDeleteIndices: indices,
      condemnedIndices: indices,
      pendingReplacementIndices: indices,
    },
  }
}

/**
 * Returns the base index of an operation's old state. Undefined if the base has no such state.
 * `baseIndexReadBy`: returns the base index of the state that a refresh operation read.
 */
function oldBaseIndexOf(
  old: StateReference | undefined,
  baseIndexReadBy: (id: OperationId) => number | undefined,
): number | undefined {
  return old?.kind === 'operation' ? baseIndexReadBy(old.operation) : old?.index
}

function findIndexReadBy({ refreshedStates }: GeneratorSets, id: OperationId): number | undefined {
  for (const [index, refreshedState] of refreshedStates)
    if (refreshedState?.ref.kind === 'operation' && refreshedState.ref.operation === id)
      return index
  return undefined
}

function operationsOf(decision: RecordedDecision): readonly Operation[] {
  return decision.kind === 'registration' ? decision.operations : [decision.operation]
}

/** Creates an empty delta with the members that `collectOperation` fills. */
function createCollectedDelta() {
  return {
    handledUrns: [] as Urn[],
    deleted: [] as Urn[],
    replaced: [] as Urn[],
    markedForDeleteIndices: [] as number[],
    pendingReplacementIndices: [] as number[],
    condemnedIndices: [] as number[],
  }
}

function collectOperation(
  delta: ReturnType<typeof createCollectedDelta>,
  { op, urn, effect }: Operation,
  {
    hasSucceeded,
    baseIndex,
  }: { readonly hasSucceeded: boolean; readonly baseIndex: number | undefined },
): void {
  switch (op) {
    case 'delete-replaced':
      // The delete of an old copy does not delete the live resource of the same URN.
      if (effect === 'mark-pending') delta.deleted.push(urn)
      if (baseIndex !== undefined) delta.condemnedIndices.push(baseIndex)
      if (baseIndex !== undefined && hasSucceeded && effect === 'mark-pending')
        delta.pendingReplacementIndices.push(baseIndex)
      return
    case 'create-replacement':
    case 'read-replacement':
      delta.replaced.push(urn)
      delta.handledUrns.push(urn)
      if (baseIndex !== undefined && hasSucceeded && effect === 'add-mark')
        delta.markedForDeleteIndices.push(baseIndex)
      return
    case 'import-replacement':
      // The URN is not added to `replaced`, because other resources would then be replaced together
      // with this one.
      delta.handledUrns.push(urn)
      if (baseIndex !== undefined && hasSucceeded) delta.markedForDeleteIndices.push(baseIndex)
      return
    case 'refresh':
    case 'same':
    case 'update':
    case 'read':
    case 'import':
      delta.handledUrns.push(urn)
      return
    default:
  }
}
