import { hasCode, messageOf } from '../errors/error.ts'
import type { Decision } from '../records/log.ts'
import { envelopeVersionOf, featuresOf } from '../state/features.ts'
import type { StoredDeployment } from '../state/stored.ts'
import type { JsonObject } from '../values/value-codec.ts'
import { decodeEntry, type EntryReference, type JournalEntry } from './entry.ts'
import { completeReplay, sortResources } from './fold.ts'
import { replaySortedEntries } from './replay-entries.ts'
import { sortBySequence } from './sort-by-sequence.ts'

/** The input of the fold of a log that a client of Pulumi wrote. */
export interface ClientFoldInput {
  /** The pinned base, or the last checkpoint of the client. */
  readonly base: StoredDeployment
  readonly decisions: readonly Decision[]
  /** The time in the manifest of the snapshot, in RFC 3339. */
  readonly now: string
  /** The engine version in the manifest of the snapshot. */
  readonly version: string
}

/**
 * Folds base and entries of a client to the next snapshot. The order and repetition of records do
 * not change the result, because this function sorts the entries by sequence. Returns the base
 * itself when the client sent no entry. If entries reference absent states, these references are
 * ignored, and the metadata has the integrity error (I7). Throws STATE_INVALID for a malformed
 * entry.
 */
export function foldClientLog(input: ClientFoldInput): StoredDeployment {
  const { base, decisions, now, version } = input
  const rawEntries = sortBySequence(
    decisions.flatMap(decision => (decision.kind === 'client-entries' ? decision.entries : [])),
    ({ sequenceID }) => Number(sequenceID),
  )
  if (rawEntries.length === 0) return base
  const baseFeatures = featuresOf(base)
  const foldEntries = (entries: Iterable<JournalEntry>): StoredDeployment =>
    completeReplay(
      replaySortedEntries(base, entries, { baseFeatures, now, version, sortResources }),
    )
  try {
    return foldEntries(decodeEntries(rawEntries))
  } catch (thrown) {
    if (!hasCode(thrown, 'STATE_INTEGRITY')) throw thrown
    const entries = [...decodeEntries(rawEntries)]
    const folded = foldEntries(withoutUnknownReferences(base, entries))
    const integrityError = {
      version: String(envelopeVersionOf(featuresOf(folded))),
      error: messageOf(thrown),
    }
    return { ...folded, metadata: { ...folded.metadata, integrity_error: integrityError } }
  }
}

/** Decodes each entry when the replay needs it. */
function* decodeEntries(rawEntries: readonly JsonObject[]): Generator<JournalEntry> {
  for (const rawEntry of rawEntries) yield decodeEntry(rawEntry)
}

/**
 * Returns the entries, with their references to absent states removed. Entries that rebuild the
 * base are left out, because the size of a rebuilt base is unknown.
 */
function withoutUnknownReferences(
  base: StoredDeployment,
  entries: readonly JournalEntry[],
): readonly JournalEntry[] {
  const baseSize = base.resources?.length ?? 0
  const addedOperations = new Set<number>()
  const isKnown = ({ base: position, operation }: EntryReference): boolean =>
    position === undefined ? addedOperations.has(operation) : position < baseSize
  return entries
    .filter(({ kind }) => kind !== 'rebuilt-base-state')
    .map(entry => {
      if (entry.kind !== 'success' && entry.kind !== 'refresh-success' && entry.kind !== 'outputs')
        return entry
      if (entry.kind === 'success' && entry.state !== undefined)
        addedOperations.add(entry.operation)
      const { remove, delete: deleted, pendingReplacement, ...otherFields } = entry
      return {
        ...otherFields,
        ...(remove !== undefined && isKnown(remove) ? { remove } : {}),
        ...(deleted !== undefined && isKnown(deleted) ? { delete: deleted } : {}),
        ...(pendingReplacement !== undefined && isKnown(pendingReplacement)
          ? { pendingReplacement }
          : {}),
      }
    })
}
