/** One billed request, in the units of AWS: 1 KB of a write, 4 KB of a strong read. */
export interface BilledRequest {
  readonly operation: string
  readonly table: string
  /** Number of requested or written items, including absent ones. */
  readonly items: number
  readonly readUnits: number
  readonly writeUnits: number
}

/**
 * Returns the units of a read of this many bytes. An absent item costs as much as the smallest one.
 */
export function readUnits(bytes: number, isStrong: boolean): number {
  return Math.max(1, Math.ceil(bytes / 4096)) * (isStrong ? 1 : 0.5)
}
