import type { Decision } from '../records/log.ts'
import { envelopeOf } from '../state/snapshot-codec.ts'
import type { StoredDeployment } from '../state/stored.ts'
import { decodeEntry } from './entry.ts'
import { completeReplay, sortResources } from './fold.ts'
import { replay } from './replay.ts'

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
 * not change the result, because the replay sorts the entries by sequence. Returns the base itself
 * when the client sent no entry. Throws STATE_INTEGRITY when an entry references an absent state,
 * and STATE_INVALID for a malformed entry.
 */
export function foldClientLog(input: ClientFoldInput): StoredDeployment {
  const { base, decisions, now, version } = input
  const entries = decisions.flatMap(decision =>
    decision.kind === 'client-entries' ? decision.entries.map(decodeEntry) : [],
  )
  if (entries.length === 0) return base
  const { features: baseFeatures = [] } = envelopeOf(base)
  return completeReplay(replay(base, entries, { baseFeatures, now, version, sortResources }))
}
