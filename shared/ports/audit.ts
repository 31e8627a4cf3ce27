import type { EpochMs } from '../records/ids.ts'

/** An entry of the audit log: a requested change, or its result. Contains no secrets. */
export interface AuditEntry {
  /** A unique text that the writer chooses. An entry with an existing id is a repetition. */
  readonly id: string
  readonly at: EpochMs
  /** The actor: the name of a token. */
  readonly who: string
  /** The client address. */
  readonly from: string
  /** The request, as `<method> <path>`. */
  readonly what: string
  /**
   * The `asked` entry is written before the change. The `answered` entry is written after the
   * change, with an HTTP status. Both entries have the same `request` and `importedFrom`.
   */
  readonly kind: 'asked' | 'answered'
  /** A unique text for each request. */
  readonly request: string
  readonly status?: number
  /** The installation that wrote an imported entry. Absent for an entry of this installation. */
  readonly importedFrom?: string
}

/** An entry with its position in append order. */
export interface PositionedAuditEntry extends AuditEntry {
  readonly position: number
}

/** The append-only audit log of changes. */
export interface AuditPort {
  /** Appends an entry, durably. An entry with an existing id changes nothing. */
  readonly append: (entry: AuditEntry) => Promise<void>
  /** Reports whether the log has an entry with this id. */
  readonly has: (id: string) => Promise<boolean>
  /**
   * Returns at most `limit` entries before `beforePosition`, newest first. With `beforePosition` 0,
   * it returns the newest entries of the log.
   */
  readonly read: (beforePosition: number, limit: number) => Promise<readonly PositionedAuditEntry[]>
}
