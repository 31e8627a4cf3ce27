import { createError } from '../errors/error.ts'
import { manifestOf } from '../state/snapshot-codec.ts'
import { byteStringMark } from '../state/features.ts'
import { withFlag } from '../state/field-order.ts'
import { normalizeUrns } from '../state/normalize-urns.ts'
import { rebuildDependencies } from '../state/rebuild-dependencies.ts'
import type { StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import { selectUnknownDeploymentFields } from '../state/unknown-fields.ts'
import type { EntryReference, EntrySecrets, JournalEntry } from './entry.ts'
import { createReplayState } from './replay-state.ts'
import type { ReplayState } from './replay-state.ts'
import { sortBySequence } from './sort-by-sequence.ts'

/**
 * Options of a replay: the contents of the new manifest, the features of the base, and the
 * rebuilding of references.
 */
export interface EntryReplayOptions {
  readonly baseFeatures: readonly string[]
  /** The time in the new manifest, in RFC 3339. */
  readonly now: string
  /** The engine version in the new manifest. */
  readonly version: string
  /**
   * The resources whose dependencies are rebuilt after a refresh. `none`: all resources only lose
   * dangling references. `base`: registered resources only lose dangling references, and the other
   * resources of the base are rebuilt as after any refresh. Absent: all resources are rebuilt.
   */
  readonly rebuildMode?: 'none' | 'base'
  /** Positions in the base of resources that the program registered and left unchanged. */
  readonly unchangedPositions?: ReadonlySet<number>
  /** Sorts the list before references to later resources are cut. Absent: the order is kept. */
  readonly sortResources?: (resources: readonly StoredResource[]) => readonly StoredResource[]
}

/**
 * Applies journal entries to a base, in sequence order. A duplicate entry counts once. The states
 * that the entries add come first, and the remaining states of the base follow. Throws
 * STATE_INTEGRITY when an entry references an absent state. Source:
 * docs/spec/journal.md#replay-of-entries, without the defects that the page marks. Linear apart
 * from sorting.
 */
export function replayEntries(
  base: StoredDeployment,
  entries: Iterable<JournalEntry>,
  options: EntryReplayOptions,
): StoredDeployment {
  return replaySortedEntries(
    base,
    sortBySequence(entries, ({ sequence }) => sequence),
    options,
  )
}

/**
 * Applies entries like `replayEntries`. The caller passes them in sequence order, each sequence
 * once. The replay keeps only the states of the result, so the entries need little memory if the
 * caller decodes them one after another.
 */
export function replaySortedEntries(
  base: StoredDeployment,
  entries: Iterable<JournalEntry>,
  options: EntryReplayOptions,
): StoredDeployment {
  const state = createReplayState(base, options.baseFeatures)
  let isRebuildDue = false
  for (const entry of entries) {
    if (isRebuildDue) rebase(state, options, false)
    isRebuildDue = entry.kind === 'rebuilt-base-state'
    applyEntry(state, entry)
  }
  if (isRebuildDue) rebase(state, options, true)
  return buildDeployment(state, options)
}

function applyEntry(state: ReplayState, entry: JournalEntry): void {
  if (entry.requiresByteString === true) state.hasByteStrings = true
  switch (entry.kind) {
    case 'begin':
      state.begunOperations.set(entry.operation, entry.pending)
      return
    case 'failure':
      state.begunOperations.delete(entry.operation)
      return
    case 'success':
      state.begunOperations.delete(entry.operation)
      applySuccess(state, entry)
      return
    case 'refresh-success':
      state.begunOperations.delete(entry.operation)
      state.hasRefreshed = true
      if (entry.remove !== undefined) swapState(state, entry.remove, entry.state)
      return
    case 'outputs':
      if (entry.state !== undefined && entry.remove !== undefined)
        swapState(state, entry.remove, entry.state)
      return
    case 'write':
      state.base = withSecrets(entry.snapshot, state.secrets)
      return
    case 'secrets-manager':
      state.secrets = entry.secretsProvider
      state.base = withSecrets(state.base, state.secrets)
      return
    case 'extension-parameterize':
      state.extensions.set(entry.ref, entry.extension)
      return
    case 'snippets':
      state.base = { ...state.base, snippets: entry.snippets }
      return
    case 'rebuilt-base-state':
      return
    default:
      entry satisfies never
  }
}

/** Returns a base with the secrets manager of the journal. The snapshot of a `write` has none. */
function withSecrets(base: StoredDeployment, secrets: EntrySecrets | undefined): StoredDeployment {
  return secrets === undefined ? base : { ...base, secrets_providers: secrets }
}

function applySuccess(
  state: ReplayState,
  entry: JournalEntry & { readonly kind: 'success' },
): void {
  if (entry.state !== undefined) {
    state.addingOperations.push(entry.operation)
    state.addedStates.push(entry.state)
  }
  const { remove: removed, delete: deleted, pendingReplacement } = entry
  if (removed?.base !== undefined)
    state.droppedBaseIndexes.add(requireBaseIndex(state, removed.base))
  if (removed?.operation !== undefined)
    state.droppedAddedIndexes.add(requireAddedIndex(state, removed.operation))
  if (deleted !== undefined) flagState(state, deleted, 'delete')
  if (pendingReplacement !== undefined) flagState(state, pendingReplacement, 'pendingReplacement')
  if (entry.isRefresh === true) state.hasRefreshed = true
}

function flagState(
  state: ReplayState,
  reference: EntryReference,
  flag: 'delete' | 'pendingReplacement',
): void {
  if (reference.base !== undefined) {
    const marks = flag === 'delete' ? state.deleteMarks : state.pendingReplacementMarks
    marks.add(requireBaseIndex(state, reference.base))
    return
  }
  const index = requireAddedIndex(state, reference.operation)
  const addedState = state.addedStates[index]
  if (addedState !== undefined) state.addedStates[index] = withFlag(addedState, flag)
}

function swapState(
  state: ReplayState,
  reference: EntryReference,
  replacement: StoredResource | undefined,
): void {
  if (reference.base !== undefined) {
    const index = requireBaseIndex(state, reference.base)
    if (replacement === undefined) state.droppedBaseIndexes.add(index)
    else state.swappedBaseStates.set(index, replacement)
    return
  }
  const index = requireAddedIndex(state, reference.operation)
  if (replacement === undefined) state.droppedAddedIndexes.add(index)
  else state.addedStates[index] = replacement
}

/**
 * Returns the index of the state that an operation added. Pulumi's CLI treats an unknown operation
 * as the first operation. Here an unknown operation is an integrity error.
 */
function requireAddedIndex(state: ReplayState, operation: number): number {
  const { addedIndexes, addingOperations } = state
  for (; state.indexedCount < addingOperations.length; state.indexedCount += 1)
    addedIndexes.set(addingOperations[state.indexedCount] ?? 0, state.indexedCount)
  const index = addedIndexes.get(operation)
  if (index === undefined)
    throw createError(
      'STATE_INTEGRITY',
      `the journal names operation ${operation}, which added no state`,
    )
  return index
}

function requireBaseIndex(state: ReplayState, index: number): number {
  if (index < (state.base.resources?.length ?? 0)) return index
  throw createError(
    'STATE_INTEGRITY',
    `the journal names position ${index}, which is outside of its base`,
  )
}

/**
 * Makes the refreshed result the new base. Later entries reference positions in this base.
 * `isLast`: whether no entry follows.
 */
function rebase(state: ReplayState, options: EntryReplayOptions, isLast: boolean): void {
  if (state.addedStates.length > 0 && !isLast)
    throw createError('STATE_INTEGRITY', 'the journal rebuilds its base after adding states to it')
  state.base = buildDeployment(state, options)
  state.addedStates.length = 0
  state.addingOperations.length = 0
  state.indexedCount = 0
  const collections = [
    state.addedIndexes,
    state.droppedAddedIndexes,
    state.droppedBaseIndexes,
    state.swappedBaseStates,
    state.deleteMarks,
    state.pendingReplacementMarks,
    state.begunOperations,
    state.extensions,
  ]
  for (const collection of collections) collection.clear()
}

function buildDeployment(state: ReplayState, options: EntryReplayOptions): StoredDeployment {
  const { base, addedStates, droppedAddedIndexes } = state
  const remainingAddedStates = addedStates.filter((_, index) => !droppedAddedIndexes.has(index))
  const remainingBaseStates = collectRemainingBaseStates(state)
  const states = [...remainingAddedStates, ...remainingBaseStates.map(({ resource }) => resource)]
  const sortStates = (): readonly StoredResource[] => options.sortResources?.(states) ?? states
  const registeredStates = new Set<StoredResource>()
  if (options.rebuildMode === 'base') {
    for (const added of remainingAddedStates) registeredStates.add(added)
    for (const { resource, index } of remainingBaseStates)
      if (options.unchangedPositions?.has(index)) registeredStates.add(resource)
  }
  const losesOnlyDanglingReferences = (resource: StoredResource): boolean =>
    options.rebuildMode === 'none' ||
    (options.rebuildMode === 'base' && registeredStates.has(resource))
  const shouldRebuildReferences = state.hasRefreshed || options.rebuildMode === 'base'
  const resources = shouldRebuildReferences
    ? rebuildDependencies(sortStates(), losesOnlyDanglingReferences)
    : states
  const pending = collectPending(state)
  const extensions = { ...Object.fromEntries(state.extensions), ...base.extensions }
  return normalizeUrns({
    manifest: manifestOf(options.version, options.now),
    ...(base.secrets_providers === undefined ? {} : { secrets_providers: base.secrets_providers }),
    ...(resources.length > 0 ? { resources } : {}),
    ...(pending.length > 0 ? { pending_operations: pending } : {}),
    metadata: state.hasByteStrings ? { ...base.metadata, [byteStringMark]: true } : base.metadata,
    ...(base.snippets === undefined || base.snippets.length === 0
      ? {}
      : { snippets: base.snippets }),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    ...selectUnknownDeploymentFields(base),
  })
}

/**
 * Returns the base states that are not dropped. Marks are not set on a swapped state, which already
 * contains its marks.
 */
function collectRemainingBaseStates(
  state: ReplayState,
): readonly { readonly resource: StoredResource; readonly index: number }[] {
  const remainingStates: { resource: StoredResource; index: number }[] = []
  const { resources = [] } = state.base
  resources.forEach((resource, index) => {
    if (state.droppedBaseIndexes.has(index)) return
    const swappedState = state.swappedBaseStates.get(index)
    if (swappedState !== undefined) {
      remainingStates.push({ resource: swappedState, index })
      return
    }
    const flaggedResource = state.pendingReplacementMarks.has(index)
      ? withFlag(resource, 'pendingReplacement')
      : resource
    const markedResource = state.deleteMarks.has(index)
      ? withFlag(flaggedResource, 'delete')
      : flaggedResource
    remainingStates.push({ resource: markedResource, index })
  })
  return remainingStates
}

/**
 * Returns the begun operations without an end, ordered by their numbers, and then the pending
 * creates of the base, which only a user can clear.
 */
function collectPending(state: ReplayState): readonly StoredOperation[] {
  const begunOperations = [...state.begunOperations].sort(([a], [b]) => a - b)
  return [
    ...begunOperations.flatMap(([, operation]) => (operation === undefined ? [] : [operation])),
    ...(state.base.pending_operations ?? []).filter(({ type }) => type === 'creating'),
  ]
}
