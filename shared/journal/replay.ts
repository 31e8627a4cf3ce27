import { error } from '../errors/error.ts'
import { manifestOf } from '../state/snapshot-codec.ts'
import { byteStringMark } from '../state/features.ts'
import { withFlag } from '../state/field-order.ts'
import { normalizeUrns } from '../state/normalize-urns.ts'
import { rebuildDependencies } from '../state/rebuild-dependencies.ts'
import type { Json, StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import type { EntryReference, EntrySecrets, JournalEntry } from './entry.ts'

/**
 * Options of a replay: the contents of the new manifest, the features of the base, and the
 * rebuilding of references.
 */
export interface ReplayOptions {
  readonly baseFeatures: readonly string[]
  /** RFC 3339. */
  readonly now: string
  readonly version: string
  /**
   * How the program's registered resources are rebuilt. `none`: all resources only lose dangling
   * references. `base`: registered resources only lose dangling references, and the untouched base
   * is rebuilt as after any refresh. Absent: everything is rebuilt.
   */
  readonly rebuilt?: 'none' | 'base'
  /** Positions in the base that the program registered and left unchanged. */
  readonly kept?: ReadonlySet<number>
  /** Sorts the list before references to later resources are cut. Absent: the order is kept. */
  readonly sortResources?: (resources: readonly StoredResource[]) => readonly StoredResource[]
}

/** The mutable state of a replay. Its inputs are never modified. */
interface ReplayState {
  base: StoredDeployment
  secrets: EntrySecrets | undefined
  readonly added: StoredResource[]
  readonly addedAt: Map<number, number>
  readonly dropAdded: Set<number>
  readonly dropBase: Set<number>
  readonly swapBase: Map<number, StoredResource>
  readonly markDelete: Set<number>
  readonly markPending: Set<number>
  readonly open: Map<number, StoredOperation | undefined>
  readonly extensions: Map<string, Json>
  hasRefreshed: boolean
  hasBytes: boolean
}

/**
 * Applies journal entries to a base, in sequence order; a duplicate entry counts once. The states
 * touched by this update come first, and the untouched base follows. Throws STATE_INTEGRITY when an
 * entry references an absent state. Source: docs/spec/journal.md#replay-of-entries, without the
 * defects that it marks. Linear.
 */
export function replay(
  base: StoredDeployment,
  entries: Iterable<JournalEntry>,
  options: ReplayOptions,
): StoredDeployment {
  const state = createReplayState(base, options)
  const ordered = sortBySequence(entries)
  ordered.forEach((entry, at) => {
    if (entry.kind === 'rebuilt-base-state') rebase(state, options, at === ordered.length - 1)
    else apply(state, entry)
  })
  return buildDeployment(state, options)
}

function createReplayState(base: StoredDeployment, options: ReplayOptions): ReplayState {
  return {
    base,
    secrets: undefined,
    added: [],
    addedAt: new Map(),
    dropAdded: new Set(),
    dropBase: new Set(),
    swapBase: new Map(),
    markDelete: new Set(),
    markPending: new Set(),
    open: new Map(),
    extensions: new Map(),
    hasRefreshed: false,
    hasBytes: options.baseFeatures.includes('byteString') || base.metadata[byteStringMark] === true,
  }
}

function sortBySequence(entries: Iterable<JournalEntry>): readonly JournalEntry[] {
  const bySequence = new Map<number, JournalEntry>()
  for (const entry of entries)
    if (!bySequence.has(entry.sequence)) bySequence.set(entry.sequence, entry)
  return [...bySequence.values()].sort((a, b) => a.sequence - b.sequence)
}

function apply(state: ReplayState, entry: JournalEntry): void {
  if (entry.requiresByteString === true) state.hasBytes = true
  switch (entry.kind) {
    case 'begin':
      state.open.set(entry.operation, entry.pending)
      return
    case 'failure':
      state.open.delete(entry.operation)
      return
    case 'success':
      state.open.delete(entry.operation)
      applySuccess(state, entry)
      return
    case 'refresh-success':
      state.open.delete(entry.operation)
      state.hasRefreshed = true
      if (entry.remove !== undefined) swap(state, entry.remove, entry.state)
      return
    case 'outputs':
      if (entry.state !== undefined && entry.remove !== undefined)
        swap(state, entry.remove, entry.state)
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

/** Returns a base with the secrets manager of the journal. A rewritten base loses it otherwise. */
function withSecrets(base: StoredDeployment, secrets: EntrySecrets | undefined): StoredDeployment {
  return secrets === undefined ? base : { ...base, secrets_providers: secrets }
}

function applySuccess(
  state: ReplayState,
  entry: JournalEntry & { readonly kind: 'success' },
): void {
  if (entry.state !== undefined) {
    state.addedAt.set(entry.operation, state.added.length)
    state.added.push(entry.state)
  }
  const { remove, delete: marked, pendingReplacement: pending } = entry
  if (remove?.base !== undefined) state.dropBase.add(requireBaseIndex(state, remove.base))
  if (remove?.operation !== undefined)
    state.dropAdded.add(requireAddedPlace(state, remove.operation))
  if (marked !== undefined) mark(state, marked, 'delete')
  if (pending !== undefined) mark(state, pending, 'pendingReplacement')
  if (entry.isRefresh === true) state.hasRefreshed = true
}

function mark(state: ReplayState, at: EntryReference, flag: 'delete' | 'pendingReplacement'): void {
  if (at.base !== undefined) {
    const marks = flag === 'delete' ? state.markDelete : state.markPending
    marks.add(requireBaseIndex(state, at.base))
    return
  }
  const place = requireAddedPlace(state, at.operation)
  const made = state.added[place]
  if (made !== undefined) state.added[place] = withFlag(made, flag)
}

function swap(state: ReplayState, at: EntryReference, by: StoredResource | undefined): void {
  if (at.base !== undefined) {
    const place = requireBaseIndex(state, at.base)
    if (by === undefined) state.dropBase.add(place)
    else state.swapBase.set(place, by)
    return
  }
  const place = requireAddedPlace(state, at.operation)
  if (by === undefined) state.dropAdded.add(place)
  else state.added[place] = by
}

/**
 * Returns the place of an operation's state. Pulumi's CLI treats an unknown operation as the first
 * one; here it is an integrity error.
 */
function requireAddedPlace(state: ReplayState, operation: number): number {
  const place = state.addedAt.get(operation)
  if (place === undefined)
    throw error('STATE_INTEGRITY', `the journal names operation ${operation}, which added no state`)
  return place
}

function requireBaseIndex(state: ReplayState, index: number): number {
  if (index < (state.base.resources?.length ?? 0)) return index
  throw error(
    'STATE_INTEGRITY',
    `the journal names position ${index}, which is outside of its base`,
  )
}

/** Makes the refreshed result the new base. Later positions refer to it. */
function rebase(state: ReplayState, options: ReplayOptions, isLast: boolean): void {
  if (state.added.length > 0 && !isLast)
    throw error('STATE_INTEGRITY', 'the journal rebuilds its base after adding states to it')
  state.base = buildDeployment(state, options)
  state.added.length = 0
  const parts = [
    state.addedAt,
    state.dropAdded,
    state.dropBase,
    state.swapBase,
    state.markDelete,
    state.markPending,
    state.open,
    state.extensions,
  ]
  for (const part of parts) part.clear()
}

function buildDeployment(state: ReplayState, options: ReplayOptions): StoredDeployment {
  const { base } = state
  const touched = state.added.filter((_, at) => !state.dropAdded.has(at))
  const rest = collectKeptBase(state)
  const listed = [...touched, ...rest.map(({ resource }) => resource)]
  const listOrdered = (): readonly StoredResource[] => options.sortResources?.(listed) ?? listed
  const asIs = rest.filter(({ at }) => options.kept?.has(at)).map(({ resource }) => resource)
  const made = new Set([...touched, ...asIs])
  const isKept = (resource: StoredResource): boolean =>
    options.rebuilt === 'none' || (options.rebuilt === 'base' && made.has(resource))
  const isCut = state.hasRefreshed || options.rebuilt === 'base'
  const resources = isCut ? rebuildDependencies(listOrdered(), isKept) : listed
  const pending = collectPending(state)
  const extensions = { ...Object.fromEntries(state.extensions), ...base.extensions }
  return normalizeUrns({
    manifest: manifestOf(options.version, options.now),
    ...(base.secrets_providers === undefined ? {} : { secrets_providers: base.secrets_providers }),
    ...(resources.length > 0 ? { resources } : {}),
    ...(pending.length > 0 ? { pending_operations: pending } : {}),
    metadata: state.hasBytes ? { ...base.metadata, [byteStringMark]: true } : base.metadata,
    ...(base.snippets === undefined || base.snippets.length === 0
      ? {}
      : { snippets: base.snippets }),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
  })
}

/** Returns the base states that are not dropped. A swapped state has its own marks. */
function collectKeptBase(
  state: ReplayState,
): readonly { readonly resource: StoredResource; readonly at: number }[] {
  const kept: { resource: StoredResource; at: number }[] = []
  const { resources = [] } = state.base
  resources.forEach((resource, at) => {
    if (state.dropBase.has(at)) return
    const swapped = state.swapBase.get(at)
    if (swapped !== undefined) {
      kept.push({ resource: swapped, at })
      return
    }
    const pending = state.markPending.has(at) ? withFlag(resource, 'pendingReplacement') : resource
    const marked = state.markDelete.has(at) ? withFlag(pending, 'delete') : pending
    kept.push({ resource: marked, at })
  })
  return kept
}

/**
 * Returns the open operations by number, then the pending creates of the base, which only a user
 * can clear.
 */
function collectPending(state: ReplayState): readonly StoredOperation[] {
  const open = [...state.open].sort(([a], [b]) => a - b)
  return [
    ...open.flatMap(([, operation]) => (operation === undefined ? [] : [operation])),
    ...(state.base.pending_operations ?? []).filter(({ type }) => type === 'creating'),
  ]
}
