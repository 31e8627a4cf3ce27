import { error } from '../errors/error.ts'
import { manifestOf } from '../state/snapshot-codec.ts'
import { byteStringMark } from '../state/features.ts'
import { withFlag } from '../state/field-order.ts'
import { normalizeUrns } from '../state/normalize-urns.ts'
import { rebuildDependencies } from '../state/rebuild-dependencies.ts'
import type { Json, StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import type { EntryReference, EntrySecrets, JournalEntry } from './entry.ts'

/** What a replay says of itself in the manifest, and what the envelope of its base said. */
export interface ReplayOptions {
  readonly baseFeatures: readonly string[]
  /** RFC 3339. */
  readonly now: string
  readonly version: string
  /**
   * How what a program read and registered is rebuilt: only where it names what is gone, and the
   * untouched base as well (`none`), or as after any refresh (`base`). Absent: all as after any.
   */
  readonly rebuilt?: 'none' | 'base'
  /** Positions in the base that the program registered and left as they are. */
  readonly kept?: ReadonlySet<number>
  /** Orders the list before references to what comes later are cut; as it is when absent. */
  readonly sortResources?: (resources: readonly StoredResource[]) => readonly StoredResource[]
}

/** Where a replay stands; changed in place, but never what it was given. */
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
 * What a base becomes by journal entries, whatever the order in which they came; an entry that is
 * there twice counts once. What this update touched stands first, the untouched base after it.
 * Throws STATE_INTEGRITY when an entry names what is not there. Source:
 * docs/spec/journal.md#replay-of-entries, without the defects that it marks. Linear.
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

/**
 * A base that is written anew loses the manager that the journal named before it: it is set again.
 */
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

/** The CLI takes an unknown operation for the first one; here it is what it is, damage. */
function requireAddedPlace(state: ReplayState, operation: number): number {
  const place = state.addedAt.get(operation)
  if (place === undefined)
    throw error('STATE_INTEGRITY', `the journal names operation ${operation}, which made no state`)
  return place
}

function requireBaseIndex(state: ReplayState, index: number): number {
  if (index < (state.base.resources?.length ?? 0)) return index
  throw error('STATE_INTEGRITY', `the journal names position ${index}, which its base has not`)
}

/**
 * What was rebuilt by a refresh becomes the base; positions from here on are those of the result.
 */
function rebase(state: ReplayState, options: ReplayOptions, isLast: boolean): void {
  if (state.added.length > 0 && !isLast)
    throw error('STATE_INTEGRITY', 'the journal rebuilds its base after states were added to it')
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

/** What is dropped is dropped; what was swapped carries its own marks. */
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

/** What is open, by operation; then creates that the base has pending: those only a person ends. */
function collectPending(state: ReplayState): readonly StoredOperation[] {
  const open = [...state.open].sort(([a], [b]) => a - b)
  return [
    ...open.flatMap(([, operation]) => (operation === undefined ? [] : [operation])),
    ...(state.base.pending_operations ?? []).filter(({ type }) => type === 'creating'),
  ]
}
