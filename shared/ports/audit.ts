import type { EpochMs } from '../records/ids.ts'

/** Something that somebody asked to change, or what it came to. Holds no secret. */
export interface AuditEntry {
  /** Of the one who writes it: the same entry again is the same one. */
  readonly id: string
  readonly at: EpochMs
  /** Who: the name of a token. */
  readonly who: string
  /** From where: an address. */
  readonly from: string
  /** What was asked, as `<method> <path>`. */
  readonly what: string
  /**
   * `asked` stands before the change, `answered` after it, with a status; both name the request.
   */
  readonly kind: 'asked' | 'answered'
  readonly request: string
  readonly status?: number
}

/** An entry with its place in the order in which entries were appended. */
export interface AuditedEntry extends AuditEntry {
  readonly position: number
}

/** The record of who changed what: it only grows. */
export interface AuditPort {
  /** Durable when it returns. An entry whose id is there changes nothing. */
  readonly append: (entry: AuditEntry) => Promise<void>
  /** Newest first: entries before a position, 0 for the newest, at most `limit`. */
  readonly read: (before: number, limit: number) => Promise<readonly AuditedEntry[]>
}
