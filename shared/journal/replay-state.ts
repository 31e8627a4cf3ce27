import { byteStringMark } from '../state/features.ts'
import type { Json, StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import type { EntrySecrets } from './entry.ts'

/** The mutable state of a replay. The inputs of the replay are never modified. */
export interface ReplayState {
  base: StoredDeployment
  secrets: EntrySecrets | undefined
  readonly addedStates: StoredResource[]
  /** The operations that added the states of `addedStates`, in the same order. */
  readonly addingOperations: number[]
  /**
   * Operation → index in `addedStates` of the state that the operation added. Completed when an
   * entry references an operation, because most entries do not.
   */
  readonly addedIndexes: Map<number, number>
  /** Number of `addingOperations` that `addedIndexes` has. */
  indexedCount: number
  /** Indexes in `addedStates` of states that later entries removed. */
  readonly droppedAddedIndexes: Set<number>
  /** Indexes in the base of states that entries removed. */
  readonly droppedBaseIndexes: Set<number>
  /** Index in the base → the state that replaces the base state in its place. */
  readonly swappedBaseStates: Map<number, StoredResource>
  /** Indexes in the base of states that get the mark `delete`. */
  readonly deleteMarks: Set<number>
  /** Indexes in the base of states that get the mark `pendingReplacement`. */
  readonly pendingReplacementMarks: Set<number>
  /** Operations without an end → their pending operations, if any. */
  readonly begunOperations: Map<number, StoredOperation | undefined>
  readonly extensions: Map<string, Json>
  hasRefreshed: boolean
  hasByteStrings: boolean
}

/** Creates the state of a replay before its first entry. */
export function createReplayState(
  base: StoredDeployment,
  baseFeatures: readonly string[],
): ReplayState {
  return {
    base,
    secrets: undefined,
    addedStates: [],
    addingOperations: [],
    addedIndexes: new Map(),
    indexedCount: 0,
    droppedAddedIndexes: new Set(),
    droppedBaseIndexes: new Set(),
    swappedBaseStates: new Map(),
    deleteMarks: new Set(),
    pendingReplacementMarks: new Set(),
    begunOperations: new Map(),
    extensions: new Map(),
    hasRefreshed: false,
    hasByteStrings: baseFeatures.includes('byteString') || base.metadata[byteStringMark] === true,
  }
}
